import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { areas, testsOf } from './areas.ts'
import { changedSystemTests } from './changed-code.ts'

// `npm test`, `npm run test:system` and `npm run test:full`; README, "Tests", says what each of them runs. Arguments that name an area
// stand for its tests, and all others are Vitest's.

const [suite = 'test', ...given] = process.argv.slice(2)
const named = given.filter((argument) => argument in areas)
const options = given.filter((argument) => !(argument in areas))
const filters = named.flatMap((name) => testsOf(areas[name]!))
const isWhole = filters.length === 0 && options.every((option) => option.startsWith('-'))

const projects: Readonly<Record<string, readonly string[]>> = {
  test: ['quick', 'platform', 'alone', 'postgres15'],
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

async function run(): Promise<boolean> {
  if (suite === 'system' && isWhole) {
    const changed = changedSystemTests()
    process.stderr.write(`System tests whose code has changed since they passed: ${changed.length}\n`)
    return changed.length === 0 || vitest(...changed)
  }
  if (!isWhole) return vitest()
  // The linters use one core while the tests start; both report, whichever fails.
  const results = await Promise.all([succeeds('npm', 'run', '-s', 'lint:all'), vitest()])
  return results.every(Boolean)
}

process.exitCode = (await run()) ? 0 : 1
