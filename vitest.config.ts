import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const require = createRequire(import.meta.url)

// One copy of graphql for source and dependencies; two copies refuse each other's types.
const resolve = { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] }
const tests = '{gateway,rest-adapter,subgraphs,test}/**'
// Some go over every field and operation of the API, which takes a busy machine more than half a minute.
// One process for many files saves each the loading of the platform; what a test changes of a module, it puts back.
const common = { isolate: false, setupFiles: ['test/setup.ts'], testTimeout: 120_000, hookTimeout: 120_000 }

const alone = [
  'test/hostile/{resources,isolation,blocking,subscriptions}.platform.test.ts',
  'test/faults/process.platform.test.ts',
]

export default defineConfig({
  test: {
    // Every core: left to itself Vitest keeps one for a watching editor.
    maxWorkers: availableParallelism(),
    projects: [
      {
        resolve,
        test: {
          ...common,
          name: 'quick',
          include: [`${tests}/*.test.ts`],
          exclude: ['**/node_modules/**', 'dist/**', `${tests}/*.platform.test.ts`],
        },
      },
      {
        // What measures how long requests wait, or hits moments of a shutdown: one file at a time, after all others.
        resolve,
        test: {
          ...common,
          name: 'alone',
          include: alone,
          globalSetup: ['test/database.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // What needs a server, a process or a database of its own.
        resolve,
        test: {
          ...common,
          name: 'platform',
          include: [`${tests}/*.platform.test.ts`],
          exclude: ['**/node_modules/**', 'dist/**', ...alone],
          globalSetup: ['test/database.ts'],
        },
      },
    ],
  },
})
