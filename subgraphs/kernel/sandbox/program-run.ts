import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type ivm from 'isolated-vm'
import type { PreparedIsolate } from './isolate.ts'
import type { AnswerMessage, FromChild, ResultMessage, RunMessage } from './messages.ts'
import type { SandboxError, SandboxLog } from './sandbox.ts'

const watchEveryMs = 5
const lowPriorityAfterMs = 250
/** What the process may grow by besides the memory of the program. */
const spareMb = 64
/** When nothing is open for so long, nothing will resolve the promise of the program; compiling WebAssembly is not seen as open. */
const idleMs = 50

const mb = (bytes: number): number => Math.round((bytes / 1_048_576) * 10) / 10
const rss = (): number => process.memoryUsage.rss()

/** Texts only: what a program throws is never used as an object. */
function errorOf(thrown: unknown): SandboxError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown), stack: null }
  return { name: thrown.name, message: thrown.message, stack: thrown.stack ?? null }
}

/** One invocation in its isolate. The child has one at a time. */
export class ProgramRun {
  readonly #message: RunMessage
  readonly #prepared: PreparedIsolate
  readonly #send: (message: FromChild) => void
  readonly #end: (result: Omit<ResultMessage, 'isLast'>, mustEnd: boolean) => void
  readonly #beganMs = performance.now()
  readonly #cpu = process.cpuUsage()
  readonly #rss = rss()
  readonly #open = new Set<number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #logs: SandboxLog[] = []
  #dropped = 0
  #peak = 0
  #isLow = false
  #hasEnded = false
  #main: ivm.Module | null = null
  #idle: NodeJS.Timeout | null = null

  constructor(
    message: RunMessage,
    prepared: PreparedIsolate,
    send: (message: FromChild) => void,
    end: (result: Omit<ResultMessage, 'isLast'>, mustEnd: boolean) => void,
  ) {
    this.#message = message
    this.#prepared = prepared
    this.#send = send
    this.#end = end
  }

  async begin(): Promise<void> {
    const { code, input, context, loadOnly, timeoutMs } = this.#message
    this.#timers.add(setTimeout(() => this.#finish('TIMEOUT', null, timedOut(timeoutMs)), timeoutMs))
    this.#timers.add(setInterval(() => this.#watch(), watchEveryMs))
    const { isolate, begin } = this.#prepared
    try {
      const program = await isolate.compileModule(code, { filename: 'program' })
      const [imported] = program.dependencySpecifiers
      if (imported !== undefined) throw new Error(`The module must import nothing, but imports "${imported}".`)
      // oxlint-disable-next-line eslint/no-useless-call
      await begin.apply(undefined, [input, context, loadOnly])
      this.#main = await isolate.compileModule(
        `import * as program from 'program'; globalThis['run program'](program)`,
        { filename: 'sandbox:main' },
      )
      await this.#main.instantiate(this.#prepared.context, () => program)
      await this.#main.evaluate()
    } catch (error) {
      return this.#failed(error)
    }
    this.#checkIdle()
  }

  log(level: string, text: string): void {
    this.#logs.push({ at: new Date().toISOString(), level: level as SandboxLog['level'], text })
  }

  dropped(count: number): void {
    this.#dropped = count
  }

  call(id: number, kind: string, json: string): void {
    if (this.#hasEnded) return
    this.#open.add(id)
    this.#flush()
    this.#send({ type: 'call', call: id, kind: kind as 'fetch', json })
  }

  wait(id: number, ms: number): void {
    if (this.#hasEnded) return
    this.#open.add(id)
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.#deliver(id, false, 'null')
      },
      Math.min(Math.max(0, ms), this.#message.timeoutMs + 1000),
    )
    this.#timers.add(timer)
  }

  answer({ call, isError, json }: AnswerMessage): void {
    this.#deliver(call, isError, json)
  }

  ended(status: 'SUCCEEDED' | 'FAILED', json: string, dropped: number): void {
    this.#dropped = dropped
    if (status === 'SUCCEEDED') return this.#finish('SUCCEEDED', json, null)
    this.#finish('FAILED', null, JSON.parse(json) as SandboxError)
  }

  /** V8 has lost control of the isolate, which happens when its heap is full. */
  fatal(): void {
    this.#finish('MEMORY_LIMIT', null, outOfMemory(this.#message.memoryMb))
  }

  #deliver(id: number, isError: boolean, json: string): void {
    if (this.#hasEnded || !this.#open.delete(id)) return
    this.#prepared.deliver.apply(undefined, [id, isError, json]).then(
      () => this.#checkIdle(),
      (error: unknown) => this.#failed(error),
    )
  }

  #checkIdle(): void {
    if (this.#hasEnded || this.#open.size > 0 || this.#idle) return
    this.#idle = setTimeout(() => void this.#endIdle(), idleMs)
    this.#timers.add(this.#idle)
  }

  async #endIdle(): Promise<void> {
    this.#idle = null
    if (this.#hasEnded || this.#open.size > 0) return
    try {
      // Waits for what the isolate still executes, and throws what loading the module has thrown since.
      await this.#main?.evaluate()
    } catch (error) {
      return this.#failed(error)
    }
    if (this.#open.size > 0) return
    const message = 'The promise of the program never resolves: it waits for nothing that is open.'
    this.#finish('TIMEOUT', null, { name: 'Error', message, stack: null })
  }

  #failed(thrown: unknown): void {
    if (this.#hasEnded) return
    if (this.#prepared.isolate.isDisposed) return this.fatal()
    this.#finish('FAILED', null, errorOf(thrown))
  }

  #watch(): void {
    this.#flush()
    const grown = rss() - this.#rss
    this.#peak = Math.max(this.#peak, grown)
    if (mb(grown) > this.#message.memoryMb + spareMb) return this.fatal()
    if (!this.#isLow && this.#cpuMs() > lowPriorityAfterMs) this.#lowerPriority()
  }

  #lowerPriority(): void {
    this.#isLow = true
    try {
      for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), constants.priority.PRIORITY_LOW)
    } catch {
      // Only Linux has priorities of threads.
    }
  }

  #cpuMs(): number {
    const { user, system } = process.cpuUsage(this.#cpu)
    return Math.round((user + system) / 100) / 10
  }

  #flush(): void {
    if (this.#logs.length === 0) return
    this.#send({ type: 'log', logs: this.#logs })
    this.#logs = []
  }

  #memoryMb(status: ResultMessage['status']): number {
    try {
      if (status === 'SUCCEEDED' || status === 'FAILED') {
        const { used_heap_size: heap, externally_allocated_size: outside } =
          this.#prepared.isolate.getHeapStatisticsSync()
        return mb(heap + outside)
      }
    } catch {
      // The isolate has ended.
    }
    return mb(this.#peak)
  }

  #finish(status: ResultMessage['status'], output: string | null, error: SandboxError | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const timer of this.#timers) clearTimeout(timer)
    const durationMs = Math.round((performance.now() - this.#beganMs) * 10) / 10
    const cpuMs = this.#cpuMs()
    this.#flush()
    const droppedLogs = this.#dropped
    const mustEnd = status === 'TIMEOUT' || status === 'MEMORY_LIMIT' || this.#isLow
    const memoryMb = mustEnd ? mb(this.#peak) : this.#memoryMb(status)
    this.#end({ type: 'result', status, output, error, droppedLogs, durationMs, cpuMs, memoryMb }, mustEnd)
  }
}

const timedOut = (timeoutMs: number): SandboxError => ({
  name: 'Error',
  message: `The program did not end within ${timeoutMs} ms.`,
  stack: null,
})

const outOfMemory = (memoryMb: number): SandboxError => ({
  name: 'Error',
  message: `The program needs more than ${memoryMb} MB of memory.`,
  stack: null,
})
