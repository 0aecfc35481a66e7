import { parentPort } from 'node:worker_threads'

/** Functions without effects that a thread runs by name. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

export interface TaskMessage {
  readonly name: string
  readonly input: unknown
}

export type Outcome = { readonly value: unknown } | { readonly failed: string }

/** The loop of a worker thread: runs the tasks that the pool sends, one after the other. */
export function serveTasks(tasks: Tasks): void {
  const outcomeOf = async ({ name, input }: TaskMessage): Promise<Outcome> => {
    try {
      return { value: await tasks[name]!(input as never) }
    } catch (error) {
      return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  parentPort!.on('message', (message: TaskMessage) => {
    void outcomeOf(message).then((outcome) => parentPort!.postMessage(outcome))
  })
}
