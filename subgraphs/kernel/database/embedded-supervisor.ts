import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RunningServer } from './embedded-server.ts'

export interface SupervisedServer {
  /** Why the server ended for good; never resolves while it runs, is being started again or was stopped. */
  readonly lost: Promise<unknown>
  stop(): Promise<void>
}

/** Waits before each try; after the last one the server is lost. */
const waitsMs = [0, 500, 1000, 2000, 4000, 8000] as const
/** A server that ran this long has recovered: its next end is tried as often as the first. */
const recoveredMs = 60_000

/** Keeps a server running: one that ends without being stopped is started again. */
export function supervised(
  first: RunningServer,
  startAgain: () => Promise<RunningServer>,
  log: Pick<Logger, 'warn' | 'error'>,
): SupervisedServer {
  const { promise: lost, resolve: lose } = Promise.withResolvers<unknown>()
  const stopping = new AbortController()
  const { signal } = stopping
  let server: RunningServer | null = first
  let tries = 0

  /** Null when it was stopped meanwhile, or is lost. */
  async function restarted(reason: unknown): Promise<RunningServer | null> {
    for (let last = reason; ;) {
      const waitMs = waitsMs[tries++]
      if (waitMs === undefined) {
        lose(last)
        return null
      }
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return null
      try {
        const again = await startAgain()
        log.warn('The embedded PostgreSQL runs again.')
        return again
      } catch (error) {
        last = error
        log.error({ reason: (error as Error).message }, 'the embedded PostgreSQL could not be started again')
      }
    }
  }

  async function supervise(): Promise<void> {
    while (server && !signal.aborted) {
      const sinceMs = performance.now()
      const end = await server.ended
      if (signal.aborted) return
      if (performance.now() - sinceMs >= recoveredMs) tries = 0
      server = await restarted(new Error(`the server ended (${end}) again and again`))
    }
  }

  const done = supervise()
  return {
    lost,
    async stop() {
      stopping.abort()
      await server?.stop()
      await done
      // One that was being started when this was called.
      await server?.stop()
    },
  }
}
