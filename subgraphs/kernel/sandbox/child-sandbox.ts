import type { Logger } from 'pino'
import { Refusal } from '../errors.ts'
import { ChildPool, type PoolBounds, type PoolResult } from './child-pool.ts'
import { compileError, compileTypeScript } from './esbuild.ts'
import { jsonDepth } from './json-depth.ts'
import { isRequest, limits } from './limits.ts'
import { cutSecretMask, maskedJson, secretMask } from './mask-secrets.ts'
import type { CallMessage, RunMessage } from './messages.ts'
import type {
  CompiledSource,
  Sandbox,
  SandboxCall,
  SandboxError,
  SandboxLog,
  SandboxResult,
  SandboxRun,
} from './sandbox.ts'
import { userPlaceOf, userStack } from './user-lines.ts'

const loadMs = 1_000
const loadMemoryMb = 128

/** Runs each program in a fresh V8 isolate of a child process. The first program starts the first child. */
export class ChildSandbox implements Sandbox {
  readonly #pool: ChildPool
  readonly #log: Logger

  constructor(log: Logger, bounds: PoolBounds) {
    this.#log = log
    this.#pool = new ChildPool(log, bounds)
  }

  /** For metrics and tests. */
  get pool(): Pick<ChildPool, 'children' | 'waiting'> {
    return this.#pool
  }

  async compile(
    organizationId: string,
    source: string,
    language: 'typescript' | 'javascript',
    endsAt = Infinity,
  ): Promise<CompiledSource> {
    const program =
      language === 'typescript'
        ? await compileTypeScript(organizationId, source, endsAt)
        : { code: source, sourceMap: null }
    const message = messageOf(
      program,
      { input: 'null', context: '{}', timeoutMs: loadMs, memoryMb: loadMemoryMb },
      true,
    )
    const loaded = await this.#pool.run({
      organizationId,
      endsAt,
      message,
      onLogs: () => undefined,
      onCall: async () => ({ isError: true, json: '{"message":"","code":""}' }),
    })
    if (loaded.status === 'SUCCEEDED') return program
    if (loaded.status === 'THROTTLED')
      throw new Refusal('UNAVAILABLE', 'Too many programs are waiting; retry in 1 s.', { retryAfter: 1 })
    throw loadRefusal(loaded, program)
  }

  async run(run: SandboxRun): Promise<SandboxResult> {
    const { organizationId, program, env, secrets, invocation, timeoutMs, memoryMb, level = 0, endsAt = Infinity } = run
    const input = JSON.stringify(run.input) ?? 'null'
    if (input.length > limits.inputMax)
      throw new Refusal('PAYLOAD_TOO_LARGE', `The input must not exceed ${limits.inputMax} characters of JSON.`)
    const masks = { whole: secretMask(secrets), cut: cutSecretMask(secrets) }
    const context = JSON.stringify({ env, secrets, invocation })
    const logs = new BoundedLogs()
    const calls = new OutsideCalls(run, this.#log)
    const message = messageOf(program, { input, context, timeoutMs, memoryMb }, false)
    try {
      const ended = await this.#pool.run({
        organizationId,
        level,
        endsAt,
        message,
        onLogs: (more) => logs.add(more),
        onCall: (call) => calls.make(call),
      })
      const result = withinDepth(ended)
      return { ...result, ...shown(result, program, masks), logs: logs.masked(masks) }
    } finally {
      calls.end()
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

const messageOf = (
  { code }: CompiledSource,
  rest: Pick<RunMessage, 'input' | 'context' | 'timeoutMs' | 'memoryMb'>,
  loadOnly: boolean,
): RunMessage => ({ type: 'run', code, loadOnly, ...rest })

/** What replaces secrets in a text: in a whole one, and in one that may end within a secret, because it was cut. */
interface Masks {
  readonly whole: (text: string) => string
  readonly cut: (text: string) => string
}

/** The child is not trusted with bounds: whatever it sends, no more is kept. */
class BoundedLogs {
  readonly #logs: SandboxLog[] = []
  #characters = 0

  add(logs: readonly SandboxLog[]): void {
    for (const log of logs) {
      if (this.#logs.length >= limits.logLinesMax || this.#characters >= limits.logCharactersMax) return
      this.#characters += log.text.length
      this.#logs.push(log)
    }
  }

  /** The line that reaches the bound may be cut. */
  masked({ whole, cut }: Masks): SandboxLog[] {
    const isFull = this.#characters >= limits.logCharactersMax
    return this.#logs.map((log, at) => {
      const mask = isFull && at === this.#logs.length - 1 ? cut : whole
      return { ...log, text: mask(log.text) }
    })
  }
}

/** The calls of one invocation. When it ends, those that are open are aborted. */
class OutsideCalls {
  readonly #run: SandboxRun
  readonly #log: Logger
  readonly #ended = new AbortController()
  #calls = 0

  constructor(run: SandboxRun, log: Logger) {
    this.#run = run
    this.#log = log
  }

  end(): void {
    this.#ended.abort()
  }

  async make({ kind, json }: CallMessage): Promise<{ isError: boolean; json: string }> {
    try {
      const [givenMax, answerMax] = isRequest(kind)
        ? [limits.requestMax, limits.requestMax]
        : [limits.callArgumentsMax, limits.answerMax]
      if (++this.#calls > limits.callsMax || json.length > givenMax)
        throw new Refusal('VALIDATION_FAILED', 'Too many or too large calls.')
      const call: SandboxCall = { kind, arguments: JSON.parse(json) as unknown[] }
      const answer = JSON.stringify(await this.#run.call(call, this.#ended.signal)) ?? 'null'
      if (answer.length > answerMax)
        throw new Refusal('PAYLOAD_TOO_LARGE', `The answer exceeds ${answerMax} characters.`)
      return { isError: false, json: answer }
    } catch (error) {
      return { isError: true, json: JSON.stringify(this.#toldOf(error)) }
    }
  }

  #toldOf(error: unknown): { message: string; code: string } {
    if (error instanceof Refusal) return { message: error.message, code: error.code }
    if (!this.#ended.signal.aborted) this.#log.error({ err: error }, 'a call of a program failed')
    return { message: 'The call failed because of an error of the platform.', code: 'INTERNAL' }
  }
}

/** The result, which is a failure if its output is nested too deeply. */
function withinDepth(result: PoolResult): PoolResult {
  if (result.output === null || jsonDepth(result.output) <= limits.outputDepthMax) return result
  const message = `The output must not be nested more than ${limits.outputDepthMax} levels deep.`
  return { ...result, status: 'FAILED', output: null, error: { name: 'Error', message, stack: null } }
}

/** Output and error as the user may see them. */
function shown(
  { output, error }: PoolResult,
  program: CompiledSource,
  masks: Masks,
): Pick<SandboxResult, 'output' | 'error'> {
  return {
    output: output === null ? null : maskedJson(JSON.parse(output), masks.whole),
    error: error && told(error, program, masks),
  }
}

function told({ name, message, stack }: SandboxError, program: CompiledSource, { whole, cut }: Masks): SandboxError {
  // A text with as many characters as may be kept was cut here or by the child.
  const bounded = (text: string): string =>
    text.length < limits.errorMax ? whole(text) : cut(text.slice(0, limits.errorMax))
  return {
    name: bounded(name),
    message: bounded(message),
    stack: stack === null ? null : whole(userStack(bounded(stack), program)),
  }
}

/** Where V8 says that the syntax is wrong, or where the load failed. */
function loadRefusal({ error }: PoolResult, program: CompiledSource): Refusal {
  const message = error?.message ?? 'The module cannot be loaded.'
  const syntax = /^(.*) \[program:(\d+):(\d+)\]$/s.exec(message)
  const place = syntax ?? /^()?[^]*?\bprogram:(\d+):(\d+)/.exec(error?.stack ?? '')
  const [line, column] = place
    ? userPlaceOf(program)(Number(place[2]), Number(place[3]))
    : placeOfImport(message, program)
  return compileError(syntax ? syntax[1]! : message, line, column)
}

function placeOfImport(message: string, program: CompiledSource): [number, number] {
  const specifier = /but imports "(.*)"\.$/s.exec(message)?.[1]
  const at = specifier === undefined ? -1 : program.code.indexOf(specifier)
  if (at < 0) return [1, 1]
  const before = program.code.slice(0, at).split('\n')
  return userPlaceOf(program)(before.length, before.at(-1)!.length + 1)
}
