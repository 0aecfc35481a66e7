import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RunningServer } from './embedded-server.ts'

export interface SupervisedServer {
  /** Resolves with the reason when the server has ended and cannot be restarted. Never resolves while it runs, restarts, or after `stop`. */
  readonly lost: Promise<unknown>
  stop(): Promise<void>
}

/** Delay before each restart attempt; after the last failed attempt, `lost` resolves. */
const waitsMs = [0, 500, 1000, 2000, 4000, 8000] as const
/** After running this long, a server counts as recovered: its next failure gets all restart attempts again. */
const recoveredMs = 60_000

/** Keeps a server running: restarts it when it ends without `stop`. */
export function supervised(
  first: RunningServer,
  startAgain: () => Promise<RunningServer>,
  log: Pick<Logger, 'warn' | 'error'>,
): SupervisedServer {
  const { promise: lost, resolve: reportLost } = Promise.withResolvers<unknown>()
  const stopping = new AbortController()
  const { signal } = stopping
  let server: RunningServer | null = first
  let tries = 0

  /** Null when `stop` was called in the meantime, or when all attempts have failed. */
  async function restarted(reason: unknown): Promise<RunningServer | null> {
    for (let last = reason; ;) {
      const waitMs = waitsMs[tries++]
      if (waitMs === undefined) {
        reportLost(last)
        return null
      }
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return null
      try {
        const again = await startAgain()
        log.warn('The embedded PostgreSQL was restarted.')
        return again
      } catch (error) {
        last = error
        log.error({ reason: (error as Error).message }, 'the embedded PostgreSQL could not be restarted')
      }
    }
  }

  async function supervise(): Promise<void> {
    while (server && !signal.aborted) {
      const sinceMs = performance.now()
      const end = await server.ended
      if (signal.aborted) return
      if (performance.now() - sinceMs >= recoveredMs) tries = 0
      server = await restarted(new Error(`the server ended (${end}) repeatedly`))
    }
  }

  const done = supervise()
  return {
    lost,
    async stop() {
      stopping.abort()
      await server?.stop()
      await done
      // A server that was being started when stop was called.
      await server?.stop()
    },
  }
}
