import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { FailedReporter, failedFilesVariable } from './test/failed-reporter.ts'
import { PassedReporter } from './test/passed-reporter.ts'
import { hasPostgres15 } from './test/postgres15-programs.ts'
import { LongestFirst } from './test/sequencer.ts'
import { WeightsReporter } from './test/weights-reporter.ts'

const failedFiles = process.env[failedFilesVariable]
const require = createRequire(import.meta.url)

// Source and dependencies must use the same copy of graphql, because it refuses types of another copy.
const resolve = { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] }
const tests = '{cli,gateway,rest-adapter,subgraphs,test}/**'
// Some tests check every field and operation of the API, which takes more than half a minute on a busy machine.
// Test files share a process, so that the platform is loaded only once. A test that changes a module must restore it.
const common = { isolate: false, setupFiles: ['test/setup.ts'], testTimeout: 120_000, hookTimeout: 120_000 }

/** Migrations, row-level security, records, lists, searches, totals, events and documents: the kinds of SQL of the platform. */
const alsoOnPostgres15 = [
  'subgraphs/kernel/database/{database,extensions,row-level-security}.platform.test.ts',
  'subgraphs/kernel/formula/*.platform.test.ts',
  'subgraphs/kernel/record/{custom-fields-read,indexes,maintained-totals,save,search,structure}.platform.test.ts',
  'subgraphs/kernel/outbox/event-partitions.platform.test.ts',
  'test/contract/model.platform.test.ts',
  'test/graphql/filters.platform.test.ts',
  'test/rest/documents.platform.test.ts',
]
if (!hasPostgres15)
  process.stderr.write('PostgreSQL 15 is not installed: the tests of the project "postgres15" are skipped.\n')

export default defineConfig({
  test: {
    // Uses every core; by default, Vitest leaves one free.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      new PassedReporter(),
      ...(failedFiles ? [new FailedReporter(failedFiles)] : []),
      ...(process.env['WEIGHTS'] === 'write' ? [new WeightsReporter()] : []),
    ],
    projects: [
      {
        resolve,
        test: {
          ...common,
          name: 'quick',
          include: [`${tests}/*.test.ts`],
          exclude: ['**/node_modules/**', 'dist/**', `${tests}/*.{platform,system}.test.ts`],
        },
      },
      {
        // Tests that need a server, a process or a separate database.
        resolve,
        test: {
          ...common,
          name: 'platform',
          include: [`${tests}/*.platform.test.ts`],
          exclude: ['**/node_modules/**', 'dist/**'],
          globalSetup: ['test/database.ts'],
        },
      },
      {
        // Tests that kill processes, restart servers, measure times or run clients: `npm run test:system`. One file at a time.
        resolve,
        test: {
          ...common,
          name: 'system',
          include: [`${tests}/*.system.test.ts`],
          globalSetup: ['test/database.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      ...(hasPostgres15
        ? [
            {
              // The oldest PostgreSQL that the platform promises to run on. Runs after the others, because a process has one registry of
              // metrics and cannot load the platform for two projects.
              resolve,
              test: {
                ...common,
                name: 'postgres15',
                include: alsoOnPostgres15,
                globalSetup: ['test/postgres15.ts'],
                sequence: { groupOrder: 1 },
              },
            },
          ]
        : []),
    ],
  },
})
