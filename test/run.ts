import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { areas, testsOf } from './areas.ts'
import { changedSystemTests } from './changed-code.ts'
import { failedFilesVariable } from './failed-reporter.ts'

// `npm test`, `npm run test:system` and `npm run test:full`; the guide "Contributing" says what each of them runs. Arguments that name an area
// stand for its tests, and all others are Vitest's.

const [suite = 'test', ...given] = process.argv.slice(2)
const named = given.filter((argument) => argument in areas)
const options = given.filter((argument) => !(argument in areas))
const filters = named.flatMap((name) => testsOf(areas[name]!))
const isWhole = filters.length === 0 && options.every((option) => option.startsWith('-'))

const projects: Readonly<Record<string, readonly string[]>> = {
  test: ['quick', 'platform', 'postgres15'],
  system: ['system'],
  full: [],
}

async function succeeds(command: string, ...args: readonly string[]): Promise<boolean> {
  const [code] = (await once(spawn(command, args, { stdio: 'inherit' }), 'exit')) as [number | null]
  return code === 0
}

const vitest = (...tests: readonly string[]): Promise<boolean> => {
  const selected = projects[suite]!.flatMap((name) => ['--project', name])
  return succeeds('vitest', 'run', ...selected, ...options, ...filters, ...tests)
}

/** More failed files than these are no matter of a busy machine. */
const againMax = 5

/**
 * A few files that fail beside hundreds of others run once more, alone and with a database of their own. Whatever then fails is a failure; what passes is
 * named, because a test that depends on the speed of the machine should be mended.
 */
async function vitestTwice(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-failed-'))
  const report = join(folder, 'files.json')
  process.env[failedFilesVariable] = report
  try {
    if (await vitest()) return true
    const failed = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as string[]) : []
    if (failed.length === 0 || failed.length > againMax) return false
    process.stderr.write(`Failed beside others, and run again alone:\n  ${failed.join('\n  ')}\n`)
    return await vitest('--maxWorkers=1', ...failed)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Few enough that those of a batch take some minutes. */
const batchSize = 6

/**
 * The system tests whose code has changed since they passed. With SYSTEM_TESTS_SECONDS no batch begins later than that: what is left is named, and is
 * still due, because only tests that passed are noted.
 */
async function changedTestsPass(): Promise<boolean> {
  const changed = changedSystemTests()
  process.stderr.write(`System tests whose code has changed since they passed: ${changed.length}\n`)
  const until = performance.now() + Number(process.env['SYSTEM_TESTS_SECONDS'] ?? Infinity) * 1_000
  let isPassed = true
  while (changed.length > 0 && performance.now() < until)
    if (!(await vitest(...changed.splice(0, batchSize)))) isPassed = false
  if (changed.length > 0) process.stderr.write(`Not run for lack of time, and still due:\n  ${changed.join('\n  ')}\n`)
  return isPassed
}

async function run(): Promise<boolean> {
  if (suite === 'system' && isWhole) return changedTestsPass()
  if (!isWhole) return vitest()
  // The linters use one core while the tests start; both report, whichever fails.
  const results = await Promise.all([succeeds('npm', 'run', '-s', 'lint:all'), vitestTwice()])
  return results.every(Boolean)
}

process.exitCode = (await run()) ? 0 : 1
