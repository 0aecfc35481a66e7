import type { CachedExtensions } from '../../subgraphs/kernel/extension/cached-extensions.ts'

// Loaded before the project (`node --import`). No organization has extensions, and none is looked for. The time that this saves is
// what a write of an organization without extensions pays in the server; PostgreSQL compares the version in both cases.

const path = new URL('../../dist/subgraphs/kernel/extension/cached-extensions.js', import.meta.url).href
const compiled = (await import(path)) as { CachedExtensions: typeof CachedExtensions }
compiled.CachedExtensions.prototype.load = () => null
compiled.CachedExtensions.prototype.of = () => null
