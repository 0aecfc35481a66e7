import { Counter } from 'prom-client'
import { MetricBatch } from '../operate/metric-batch.ts'
import type { Services } from '../request.ts'
import { servicesFor } from '../services-for.ts'
import { activeTracing, inSpan } from '../tracing/tracing.ts'
import { withDeadline } from './deadline.ts'
import { AttemptNotBegun, type Attempted, type Leased, type Outcome, type Queue, type QueuedItem } from './queue.ts'

const errorLengthMax = 500

const attempts = new Counter({
  name: 'crm_queue_attempts_total',
  help: 'Attempts of queued items in this process, by the state in which the item ended, or RETRY.',
  labelNames: ['queue', 'outcome'],
  collect: () => ended.flush(),
})

const ended = new MetricBatch<{ readonly queue: string; readonly outcome: string }>((labels) => attempts.inc(labels))

/** Attempts a leased item. Throws only `AttemptNotBegun`. */
export async function attemptItem<Item extends QueuedItem>(
  queue: Queue<Item>,
  services: Services,
  item: Leased<Item>,
): Promise<Attempted<Item>> {
  const outcome = outcomeWithinAttempts(queue, services, item, await attemptOnce(queue, services, item))
  ended.add({ queue: queue.name, outcome: 'end' in outcome ? outcome.end : 'RETRY' })
  return { item, outcome, waitMs: waitOf(queue, item, outcome) }
}

function waitOf<Item extends QueuedItem>(queue: Queue<Item>, item: Item, outcome: Outcome): number {
  if ('end' in outcome) return 0
  const { afterMs = 0, isWait } = outcome
  return isWait ? afterMs : Math.max(queue.retryAfterMs(item), afterMs)
}

async function attemptOnce<Item extends QueuedItem>(
  queue: Queue<Item>,
  services: Services,
  item: Leased<Item>,
): Promise<Outcome> {
  try {
    const tracing = activeTracing()
    const own = servicesFor(services, `${queue.name}/${item.id}`)
    const attempt = () => withDeadline(queue.attemptMsMax, (signal) => queue.attempt(own, item, signal))
    if (!tracing) return await attempt()
    const { traceparent = null, attempts } = item
    const options = { kind: 'CONSUMER', attributes: { 'queue.attempt': attempts }, traceparent } as const
    return await inSpan(tracing, `queue ${queue.name}`, options, attempt)
  } catch (thrown) {
    if (thrown instanceof AttemptNotBegun) throw thrown
    return { retry: (thrown as Error).message }
  }
}

/** The outcome; a retry becomes FAILED when no attempts remain. */
function outcomeWithinAttempts<Item extends QueuedItem>(
  queue: Queue<Item>,
  { log }: Services,
  item: Item,
  outcome: Outcome,
): Outcome {
  if ('retry' in outcome && outcome.isWait) return outcome
  const { id, attempts } = item
  const reason = ('end' in outcome ? outcome.error : outcome.retry)?.slice(0, errorLengthMax)
  if (reason === undefined) return outcome
  const isOver = 'end' in outcome || attempts >= queue.attemptsMax(item)
  log[queue.failureLevel ?? 'warn'](
    { queue: queue.name, id, attempts, reason },
    isOver ? 'an item has failed' : 'an attempt failed; it will be retried',
  )
  if ('end' in outcome) return { ...outcome, error: reason }
  return isOver ? { ...outcome, end: 'FAILED', error: reason } : { ...outcome, retry: reason }
}
