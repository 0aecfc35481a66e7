import type { Services } from '../../request.ts'
import { mergeRollups } from './merge-rollups.ts'

const everyMs = 1_000

/** Merges the differences of rollups each second, until it is closed. */
export function startRollupMerger({ database, log }: Services): { close(): Promise<void> } {
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    running ??= mergeRollups(database)
      .catch((error: unknown) => log.warn({ err: error }, 'rollups could not be merged; trying again'))
      .finally(() => (running = null))
  }, everyMs)
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
