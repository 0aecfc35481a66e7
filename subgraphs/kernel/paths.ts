import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

function folderOf(file: string, from: string): string {
  if (existsSync(join(from, file))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error(`${file} was found in no folder above this code.`)
  return folderOf(file, parent)
}

/** Where the contract and package.json lie, whether this code runs from its source or from `dist`. */
export const projectRoot = folderOf('package.json', import.meta.dirname)

export const schemaPath = (...parts: readonly string[]): string => join(projectRoot, 'schema', ...parts)
