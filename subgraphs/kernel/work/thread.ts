import { parentPort } from 'node:worker_threads'

export interface TaskMessage {
  readonly module: string
  readonly name: string
  readonly input: unknown
}

export type Outcome = { readonly value: unknown } | { readonly failed: string }

type Tasks = Readonly<Record<string, (input: unknown) => unknown>>

async function outcomeOf({ module, name, input }: TaskMessage): Promise<Outcome> {
  try {
    const tasks = (await import(module)) as Tasks
    return { value: await tasks[name]!(input) }
  } catch (error) {
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// The pool sends one task at a time.
parentPort?.on('message', (message: TaskMessage) => {
  void outcomeOf(message).then((outcome) => parentPort!.postMessage(outcome))
})
