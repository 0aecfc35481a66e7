import { parentPort } from 'node:worker_threads'

/** Pure functions that a thread runs by name. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

export interface TaskMessage {
  readonly name: string
  readonly input: unknown
}

export type Outcome = { readonly value: unknown } | { readonly failed: string }

/** The loop of a worker thread: runs the tasks that the pool sends, one after the other. */
export function serveTasks(tasks: Tasks): void {
  const outcomeOf = ({ name, input }: TaskMessage): Outcome => {
    try {
      return { value: tasks[name]!(input as never) }
    } catch (error) {
      return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  parentPort!.on('message', (message: TaskMessage) => parentPort!.postMessage(outcomeOf(message)))
}
