import type { Caller } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { storableText } from '../../kernel/json/storable-json.ts'
import type { Ports } from '../../kernel/request.ts'
import { limits } from '../../kernel/sandbox/limits.ts'
import type { CompiledSource, SandboxLog, SandboxResult } from '../../kernel/sandbox/sandbox.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { callsOf } from '../function/calls.ts'
import { countCpu, secondsUntilAllowed } from '../function/function-limits.ts'
import type { RunnableFunction } from '../function/prepare.ts'
import { messageMax, runMsMax, shownLogCharactersMax } from './bounds.ts'
import { differenceFrom, shortened, type Difference } from './expectation.ts'
import type { FunctionTest } from './function-test.schema.ts'
import type { MetadataTestResult } from './function-test.types.ts'
import { ListedAnswers } from './listed-answers.ts'

export const testPorts = ['sandbox', 'graph', 'rest', 'counters'] as const

export type TestServices = Pick<Ports, (typeof testPorts)[number]> & { readonly clock: Clock }

export interface SelectedTest {
  readonly name: string
  /** Path of its file in the project. */
  readonly file: string
  readonly text: string
}

/** A function as it is, or as a deployment would make it, with the tests that are to run. */
export interface TestedFunction {
  readonly apiName: string
  readonly functionId: string
  readonly settings: Omit<
    RunnableFunction,
    'apiName' | 'updatedById' | 'runAsUserId' | 'runAsAdmin' | 'scopes' | 'appSettings' | 'managedBy'
  >
  readonly secretNames: readonly string[]
  readonly tests: readonly SelectedTest[]
  /** Null if it has no source. Refuses one that does not compile, or not until `endsAt`. */
  readonly program: (endsAt: number) => Promise<CompiledSource | null>
  /** As whom it acts; null if that user may not act. */
  readonly caller: Caller | null
}

export interface TestRun {
  readonly organizationId: string
  readonly depth: number
  readonly functions: readonly TestedFunction[]
  /** By `performance.now()`: what has not ended then, also a source that is being compiled or a program that waits for its turn, is not waited for. */
  readonly endsAt: number
  /** When it aborts, no further test runs. */
  readonly signal?: AbortSignal
  /** Before each test. Throws if the others are not to run. */
  readonly requireWanted?: () => Promise<void>
}

type Verdict = Pick<MetadataTestResult, 'status' | 'path' | 'message'>

const error = (message: string): Verdict => ({ status: 'ERROR', path: null, message: message.slice(0, messageMax) })
const failed = ({ path, message }: Difference): Verdict => ({
  status: 'FAILED',
  path: shortened(path),
  message: storableText(message.slice(0, messageMax)),
})
const timeIsOver = error(`The tests of a run must end within ${runMsMax / 1000} seconds together.`)

/**
 * Runs tests one after another, while no transaction is open. A function acts as its user, with its scopes, as at every invocation; but nothing that it
 * does has an effect: its requests are answered from the file, its changes are tried and rolled back, secrets have a value that is none, and
 * no invocation is logged. What it reads is what the organization has. Its time and CPU count as those of other invocations.
 */
export async function runTests(services: TestServices, run: TestRun): Promise<MetadataTestResult[]> {
  const results: MetadataTestResult[] = []
  for (const tested of run.functions) {
    const program = isOver(run) ? { verdict: timeIsOver } : await programOf(tested, run)
    for (const test of tested.tests) {
      await run.requireWanted?.()
      run.signal?.throwIfAborted()
      const { verdict, result } =
        'verdict' in program
          ? { verdict: program.verdict, result: null }
          : await attempt(services, run, { tested, test, program })
      const { apiName } = tested
      const { name, file } = test
      const durationMs = Math.round(result?.durationMs ?? 0)
      results.push({ function: apiName, name, file, ...verdict, durationMs, logs: shownLogs(result?.logs ?? []) })
      if (isTurnOver()) await nextTurn(run.organizationId)
    }
  }
  return results
}

const isOver = ({ endsAt }: TestRun): boolean => performance.now() >= endsAt

async function programOf(
  { program }: TestedFunction,
  run: TestRun,
): Promise<CompiledSource | { readonly verdict: Verdict }> {
  try {
    return (await program(run.endsAt)) ?? { verdict: error('The function has no source.') }
  } catch (thrown) {
    if (thrown instanceof Refusal && isOver(run)) return { verdict: timeIsOver }
    if (!(thrown instanceof Refusal) || thrown.code === 'UNAVAILABLE') throw thrown
    return { verdict: error(shortened(`The function does not compile: ${thrown.message}`)) }
  }
}

interface Attempted {
  readonly verdict: Verdict
  readonly result: SandboxResult | null
}

interface Attempt {
  readonly tested: TestedFunction
  readonly test: SelectedTest
  readonly program: CompiledSource
}

async function attempt(services: TestServices, run: TestRun, { tested, test, program }: Attempt) {
  const withoutRun = (message: string): Attempted => ({ verdict: error(message), result: null })
  const { organizationId, depth, endsAt } = run
  const { settings, caller, secretNames } = tested
  if (isOver(run)) return { verdict: timeIsOver, result: null }
  if (!caller) return withoutRun('The user as whom the function acts is not active.')
  const retryAfter = await secondsUntilAllowed(services, organizationId)
  if (retryAfter !== null)
    return withoutRun(
      `The functions of the organization have used what they may use in a minute; retry in ${retryAfter} s.`,
    )
  const { input = {}, expect, fetch = [] } = parseJsonExactly(test.text) as FunctionTest
  const answers = new ListedAnswers(fetch)
  const invocationId = newId()
  const limitMs = Math.min(settings.timeoutMs, Math.max(1, Math.floor(endsAt - performance.now())))
  const ports = {
    graph: services.graph,
    rest: services.rest,
    outbound: answers,
    credentials: {
      send: ({ apiName }: { readonly apiName?: string | null }, request: Parameters<ListedAnswers['send']>[0]) =>
        answers.sendWithCredential(apiName!, request),
    },
  }
  const { allowedHosts } = settings
  if (JSON.stringify(input).length > limits.inputMax)
    return withoutRun(`The input must not exceed ${limits.inputMax} characters of JSON.`)
  const result = await services.sandbox.run({
    organizationId,
    program,
    input,
    env: settings.envVars,
    secrets: Object.fromEntries(secretNames.map((name) => [name, `value-of-${name}-in-tests`])),
    invocation: { id: invocationId, trigger: 'TEST', depth, attempt: 1 },
    level: depth,
    timeoutMs: limitMs,
    endsAt,
    memoryMb: settings.memoryMb,
    call: callsOf(
      ports,
      { organizationId, invocationId, depth, allowedHosts, managedBy: null, effectKey: null },
      caller,
      limitMs,
    ),
  })
  await countCpu(services, organizationId, result.cpuMs)
  const { status } = result
  const isCut = (status === 'TIMEOUT' && limitMs < settings.timeoutMs) || (endedByTime(status) && isOver(run))
  return { verdict: isCut ? timeIsOver : verdictOf(result, expect, answers.unlisted), result }
}

const endedByTime = (status: SandboxResult['status']): boolean => status === 'TIMEOUT' || status === 'THROTTLED'

function verdictOf(result: SandboxResult, expect: FunctionTest['expect'], unlisted: string | null): Verdict {
  const { status, error: thrown } = result
  if (status !== 'SUCCEEDED' && status !== 'FAILED') return error(shortened(`${status}: ${thrown?.message ?? ''}`))
  if (unlisted !== null) return failed({ path: 'fetch', message: `fetch has no answer to ${shortened(unlisted)}.` })
  const difference = differenceFrom(expect, result)
  return difference ? failed(difference) : { status: 'PASSED', path: null, message: null }
}

/** The first lines of a log. */
function shownLogs(logs: readonly SandboxLog[]): MetadataTestResult['logs'] {
  const shown: MetadataTestResult['logs'] = []
  let left = shownLogCharactersMax
  for (const { level, text } of logs) {
    if (left <= 0) break
    shown.push({ level, text: storableText(text.slice(0, left)) })
    left -= text.length
  }
  return shown
}
