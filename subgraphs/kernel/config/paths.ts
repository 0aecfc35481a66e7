import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

function folderOf(file: string, from: string): string {
  if (existsSync(join(from, file))) return from
  const parent = dirname(from)
  if (parent === from) throw new Error(`No folder above this code contains ${file}.`)
  return folderOf(file, parent)
}

/** The folder of package.json and `schema`, whether this code runs from source or from `dist`. */
export const projectRoot = folderOf('package.json', import.meta.dirname)

const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }

/** The version of this release. */
export const releaseVersion = version

export const schemaPath = (...parts: readonly string[]): string => join(projectRoot, 'schema', ...parts)
