import { setTimeout as rest } from 'node:timers/promises'
import type { Outcome, Queue, QueuedItem } from './queue.ts'

// Work on many records, which an item does batch after batch, each in a transaction of its own. What the batches leave tells the next attempt where to go
// on, or a position that is written with them.

/** A turn begins no further batch after this time, so that the items of other organizations have theirs. */
export const turnMs = 10_000

type Settings = 'leaseMs' | 'attemptMsMax' | 'lanes' | 'attemptsMax' | 'retryAfterMs' | 'retentionMs'

/** What such queues have in common. `batchMsMax`: how long the last batch of a turn may take. */
export const inTurns = (batchMsMax = 35_000): Pick<Queue, Settings> => ({
  attemptMsMax: turnMs + batchMsMax,
  leaseMs: turnMs + batchMsMax + 15_000,
  lanes: { fresh: 2, retry: 1 },
  attemptsMax: () => 100,
  retryAfterMs: ({ attempts }: QueuedItem) => Math.min(1_000 * 2 ** (attempts - 1), 300_000),
  retentionMs: 30 * 86_400_000,
})

/** Does batches until one says that nothing is left, or until the turn is over. It rests after each batch as long as that took. */
export async function inBatches(signal: AbortSignal, batch: () => Promise<boolean>): Promise<Outcome> {
  const endMs = performance.now() + turnMs
  for (;;) {
    const beganMs = performance.now()
    if (!(await batch())) return { end: 'DONE' }
    if (signal.aborted || performance.now() >= endMs) return { retry: '', isWait: true, afterMs: 0 }
    await rest(performance.now() - beganMs, undefined, { signal }).catch(() => undefined)
  }
}
