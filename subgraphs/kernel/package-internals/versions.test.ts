import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../config/paths.ts'

/** The versions whose internals this folder was compared with. */
const compared: Readonly<Record<string, string>> = {
  '@apollo/federation-internals': '2.14.4',
  '@apollo/query-planner': '2.14.4',
  graphql: '16.15.0',
  pg: '8.23.1',
  'pg-protocol': '1.16.1',
}

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')

it('the packages whose internals are used have the versions that they were compared with', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> }
  const locked = Object.keys(compared).map((name) => [name, packages[`node_modules/${name}`]?.version])
  expect(Object.fromEntries(locked)).toEqual(compared)
})

/** An import of a file inside a package, or a value that is taken for more than its package declares. */
const intoPackage =
  /(?<!import type .*)from '(?:pg|pg-protocol|graphql|graphql-jit|@apollo\/[a-z-]+)\/|\((?:pg|client|connection) as unknown as|= (?:client|connection|this\.#client) as unknown as/

it('no other code reaches into a package', () => {
  const files = globSync('{subgraphs,gateway,rest-adapter}/**/*.ts', {
    cwd: projectRoot,
    exclude: ['subgraphs/kernel/package-internals/**', '**/*.test.ts'],
  })
  expect(files.filter((file) => intoPackage.test(read(file)))).toEqual([])
})
