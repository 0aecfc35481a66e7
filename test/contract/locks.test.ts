import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { databaseLocks, lockOf } from '../../subgraphs/kernel/database/locks.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

it('every advisory lock takes its key from the list of locks', () => {
  const code = globSync('{gateway,rest-adapter,subgraphs}/**/*.ts', { cwd: projectRoot }).filter(
    (path) => !/\.test\.ts$|\/migrations\/|\.migrations\.ts$|\/database\/locks\.ts$/.test(path),
  )
  const own = code.filter((path) => {
    const text = readFileSync(join(projectRoot, path), 'utf8')
    return /hashtextextended\([^)$]*\$\d[^)]*, *\d+\)|advisory\w*\(\s*\d/.test(text)
  })
  expect(own).toEqual([])
})

it('no two locks of the whole database have the same key', () => {
  const keys = Object.values(databaseLocks)
  expect(new Set(keys).size).toBe(keys.length)
})

it('the key of the lock of a name depends on its value', () => {
  expect([lockOf('job'), lockOf('leadConversion', 'concat($1, kind)')]).toEqual([
    'hashtextextended($1, 11)',
    'hashtextextended(concat($1, kind), 48)',
  ])
})
