import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'
import { systemTests } from './system-tests.ts'

/** For each system test the hash of the code with which it passed last. Written by `npm run test:system`, and committed. */
export const passedFile = join(projectRoot, 'test/system-passed.json')

export const passed = (): Record<string, string> =>
  existsSync(passedFile) ? (JSON.parse(readFileSync(passedFile, 'utf8')) as Record<string, string>) : {}

const isCode = (path: string): boolean => statSync(path).isFile() && !/(\.test\.ts|\.md)$/.test(path)

function filesOf(path: string): string[] {
  const full = join(projectRoot, path)
  return statSync(full).isFile() ? [full] : globSync(join(full, '**/*')).filter(isCode)
}

/** The hash of a system test and of the code that it is about. */
export function codeHash(test: string): string {
  const files = [join(projectRoot, test), ...systemTests[test]!.flatMap(filesOf)].toSorted()
  const hash = createHash('sha256')
  for (const file of new Set(files)) hash.update(relative(projectRoot, file)).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

/** The system tests that have not passed with the code as it is. */
export function changedSystemTests(): string[] {
  const known = passed()
  return Object.keys(systemTests).filter((test) => known[test] !== codeHash(test))
}
