import type { Logger } from 'pino'
import { Listener } from './listen.ts'

export interface NoticesOptions {
  readonly databaseUrl: string
  /** Its messages are sent by NOTIFY in the transactions of the changes. */
  readonly channel: string
  /** What a message is about. */
  readonly keysOf: (message: string) => readonly string[]
  readonly log: Pick<Logger, 'warn'>
}

/** Tells watchers in this process about changes, also those that another process has made. */
export class Notices {
  readonly #wakes = new Map<string, Set<() => void>>()
  #listener: Promise<Listener> | null = null

  constructor(private readonly options: NoticesOptions) {}

  /**
   * Calls `wake` after changes of what the key names were committed, and sometimes without any, until the returned function is called.
   * LISTEN starts with the first watcher.
   */
  async watch(key: string, wake: () => void): Promise<() => void> {
    const wakes = this.#wakes.get(key) ?? new Set()
    this.#wakes.set(key, wakes.add(wake))
    const leave = (): void => {
      wakes.delete(wake)
      if (wakes.size === 0 && this.#wakes.get(key) === wakes) this.#wakes.delete(key)
    }
    try {
      await (this.#listener ??= this.#listen())
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  async close(): Promise<void> {
    this.#wakes.clear()
    await (await this.#listener)?.close()
  }

  #listen(): Promise<Listener> {
    const { databaseUrl, channel, keysOf, log } = this.options
    const notified = (message: string): void => {
      for (const key of keysOf(message)) this.#wake(this.#wakes.get(key))
    }
    // Messages that were sent while the connection was lost were missed.
    return Listener.open(databaseUrl, channel, notified, log, () => {
      for (const wakes of this.#wakes.values()) this.#wake(wakes)
    })
  }

  #wake(wakes: ReadonlySet<() => void> | undefined): void {
    for (const wake of wakes ?? []) wake()
  }
}
