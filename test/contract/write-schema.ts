import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { printedSchema, standardRestFiles } from './printed.ts'
import { scopeGuide, withScopeTable } from './scope-table.ts'

const root = join(import.meta.dirname, '../../schema')
const printed = await printedSchema()
// Removes the printed files of operations that no longer exist.
for (const path of standardRestFiles()) if (!printed.has(path)) await rm(join(root, path))
for (const [path, text] of printed) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
await writeFile(scopeGuide, withScopeTable(await readFile(scopeGuide, 'utf8')))
