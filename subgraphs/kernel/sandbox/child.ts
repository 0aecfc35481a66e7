// The child process of the sandbox. It gets its work by messages only, has no environment, and ends with its parent.
import { createRequire } from 'node:module'
import { prepareIsolate, type Ivm, type PreparedIsolate } from './isolate.ts'
import type { FromChild, ResultMessage, ToChild } from './messages.ts'
import { ProgramRun } from './program-run.ts'

const ivm = createRequire(import.meta.url)('isolated-vm') as Ivm

const runsMax = 1_000
const rssMbMax = 150
const preparedMemoryMb = 128

// Whatever a thread of an isolate does at this moment, the process ends.
const end = (): void => void process.kill(process.pid, 'SIGKILL')
process.on('disconnect', end)

const send = (message: FromChild, sent?: () => void): void => void process.send!(message, undefined, undefined, sent)

let runs = 0
let current: ProgramRun | null = null
let prepared = prepare(preparedMemoryMb)

function prepare(memoryMb: number): PreparedIsolate {
  let own: ProgramRun | null = null
  // Calls of an isolate whose invocation has ended reach nothing.
  const run = (): ProgramRun | null => (own ??= current)
  const receiver = {
    log: (level: string, text: string) => run()?.log(level, text),
    dropped: (count: number) => run()?.dropped(count),
    call: (id: number, kind: string, json: string) => run()?.call(id, kind, json),
    wait: (id: number, ms: number) => run()?.wait(id, ms),
    ended: (status: 'SUCCEEDED' | 'FAILED', json: string, dropped: number) => run()?.ended(status, json, dropped),
  }
  return prepareIsolate(ivm, memoryMb, receiver, () => run()?.fatal())
}

const rssMb = (): number => process.memoryUsage.rss() / 1_048_576
const ready = (): void => send({ type: 'ready', rssMb: Math.round(rssMb()) })

function ended(used: PreparedIsolate, result: Omit<ResultMessage, 'isLast'>, mustEnd: boolean): void {
  runs += 1
  current = null
  if (mustEnd || runs >= runsMax || rssMb() > rssMbMax) return send({ ...result, isLast: true }, end)
  send({ ...result, isLast: false })
  setImmediate(() => {
    if (!used.isolate.isDisposed) used.isolate.dispose()
    prepared = prepare(used.memoryMb)
    ready()
  })
}

process.on('message', (message: ToChild) => {
  if (message.type === 'answer') return current?.answer(message)
  if (prepared.memoryMb !== message.memoryMb) {
    prepared.isolate.dispose()
    prepared = prepare(message.memoryMb)
  }
  const used = prepared
  current = new ProgramRun(message, used, send, (result, mustEnd) => ended(used, result, mustEnd))
  void current.begin()
})
ready()
