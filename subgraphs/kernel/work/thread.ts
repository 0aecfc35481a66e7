import { parentPort } from 'node:worker_threads'

export interface TaskMessage {
  readonly module: string
  readonly name: string
  readonly input: unknown
}

export type Outcome = ({ readonly value: unknown } | { readonly failed: string }) & {
  /** CPU that the task used, and its time, without those of loading its module. */
  readonly cpuMs: number
  readonly ranMs: number
}

type Tasks = Readonly<Record<string, (input: unknown) => unknown>>

async function outcomeOf({ module, name, input }: TaskMessage): Promise<Outcome> {
  let before = process.threadCpuUsage()
  let beganMs = performance.now()
  const used = () => {
    const { user, system } = process.threadCpuUsage(before)
    return { cpuMs: (user + system) / 1000, ranMs: performance.now() - beganMs }
  }
  try {
    const tasks = (await import(module)) as Tasks
    before = process.threadCpuUsage()
    beganMs = performance.now()
    const value = await tasks[name]!(input)
    return { value, ...used() }
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { failed, ...used() }
  }
}

// The pool sends one task at a time.
parentPort?.on('message', (message: TaskMessage) => {
  void outcomeOf(message).then((outcome) => parentPort!.postMessage(outcome))
})
