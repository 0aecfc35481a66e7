import { parentPort } from 'node:worker_threads'

/** Pure functions of what they are given, which a thread runs by name. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

export interface Order {
  readonly name: string
  readonly input: unknown
}

export type Outcome = { readonly value: unknown } | { readonly failed: string }

/** What a thread of the pool does: one task after another, as they are ordered. */
export function serveTasks(tasks: Tasks): void {
  const outcomeOf = ({ name, input }: Order): Outcome => {
    try {
      return { value: tasks[name]!(input as never) }
    } catch (error) {
      return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  parentPort!.on('message', (order: Order) => parentPort!.postMessage(outcomeOf(order)))
}
