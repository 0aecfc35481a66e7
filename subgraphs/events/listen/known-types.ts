import { eventCatalog } from '../../kernel/outbox/event-catalog.ts'

const objectOf = (type: string): string => type.slice(0, type.lastIndexOf('.'))

let objects: ReadonlySet<string> | null = null

const catalogObjects = (): ReadonlySet<string> =>
  (objects ??= new Set(eventCatalog().entries.map(({ type }) => objectOf(type))))

/** A type of custom events, which may be defined later, or all of them. */
const custom = /^custom\.(?:\*|[a-z][a-z0-9_]{1,47})$/

/** A type of events of custom objects, which may be defined later, or all of them of an object. */
const customObject = /^custom_object\.[a-z][a-z0-9_]{0,62}\.(?:\*|created|updated|deleted|restored)$/

/** Whether events of this type, or of this object (`lead.*`), can occur. */
export function isKnownType(name: string): boolean {
  if (name.startsWith('custom.')) return custom.test(name)
  if (customObject.test(name)) return true
  if (name.endsWith('.*')) return catalogObjects().has(objectOf(name))
  // A type is named without its version.
  return eventCatalog().find(name)?.type === name
}
