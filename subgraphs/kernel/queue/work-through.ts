import { newId } from '../ids.ts'
import type { Services } from '../request.ts'
import { leaseNext, settle, type Turn } from './lease.ts'
import type { Lane, Outcome, Queue, QueuedItem } from './queue.ts'

const errorLengthMax = 500

/** Attempts one item of the lane after the other until none is due; any number of processes may do so at once. */
export async function workThrough<Item extends QueuedItem>(
  queue: Queue<Item>,
  services: Services,
  lane: Lane,
  turn: Turn,
  isStopping: () => boolean = () => false,
): Promise<void> {
  while (!isStopping()) {
    const token = newId()
    const item = await leaseNext(services.database, queue, lane, token, turn)
    if (!item) return
    const outcome = finalOutcome(queue, services, item, await attempted(queue, services, item))
    const waitMs = 'end' in outcome ? 0 : Math.max(queue.retryAfterMs(item), outcome.afterMs ?? 0)
    await settle(services.database, queue, item, token, outcome, waitMs)
  }
}

async function attempted<Item extends QueuedItem>(
  queue: Queue<Item>,
  services: Services,
  item: Item,
): Promise<Outcome> {
  try {
    return await queue.attempt(services, item)
  } catch (thrown) {
    return { retry: (thrown as Error).message }
  }
}

/** Gives up when the attempts are used up. */
function finalOutcome<Item extends QueuedItem>(
  queue: Queue<Item>,
  { log }: Services,
  item: Item,
  outcome: Outcome,
): Outcome {
  const { id, attempts } = item
  const reason = ('end' in outcome ? outcome.error : outcome.retry)?.slice(0, errorLengthMax)
  if (reason === undefined) return outcome
  const isOver = 'end' in outcome || attempts >= queue.attemptsMax(item)
  log.warn({ queue: queue.name, id, attempts, reason }, isOver ? 'an item has failed' : 'an item is tried again later')
  if ('end' in outcome) return { ...outcome, error: reason }
  return isOver ? { ...outcome, end: 'FAILED', error: reason } : { ...outcome, retry: reason }
}
