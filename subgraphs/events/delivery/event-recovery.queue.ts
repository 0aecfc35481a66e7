import type { Sql } from '../../kernel/database/sql.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { eventsThrough, keptPositions, positionBefore } from '../../kernel/outbox/event-log.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import { bodyBytesMax, reducedBodyBytesMax } from './delivery-body.ts'
import { eventRecovery } from './event-recovery.migrations.ts'
import { queueDeliveries } from './new-delivery.ts'
import { readSubscriptions, withOwners, type ActiveSubscription } from './subscriptions.ts'
import { bytesOfBodies, deliveriesOf } from './webhook-consumer.ts'

/** Positions of one transaction. */
const batch = 500
/** The most deliveries of the webhook that wait for their first attempt, of those that it queues. */
const waitingMax = 1_000
const waitMs = 1_000
/** Events get their positions when their transactions have ended, so times and positions can differ by the time of a transaction. */
const marginMs = 10 * 60_000
/** A turn begins no further batch after this time, so that the recoveries of other organizations have theirs. */
const turnMs = 10_000
const attemptMsMax = turnMs + 35_000

interface RecoveryItem extends QueuedItem {
  readonly webhookId: string
  /** The times, in milliseconds. */
  readonly from: number
  readonly to: number
}

interface Progress {
  readonly position: number | null
  readonly through: number | null
}

const wait = (afterMs: number): Outcome => ({ retry: '', isWait: true, afterMs })

/** The webhook with the rights of its owner; null while it gets no events. */
async function activeSubscription(
  sql: Sql,
  organizationId: string,
  webhookId: string,
): Promise<ActiveSubscription | null> {
  const own = (await readSubscriptions(sql, organizationId)).filter(({ id }) => id === webhookId)
  const [found] = await withOwners(sql, organizationId, own)
  // Every event of the time counts, each by itself.
  return found ? { ...found, startPosition: 0, earlierEventIds: [], debounceSeconds: 0 } : null
}

const isWaiting = async (sql: Sql, organizationId: string, webhookId: string): Promise<boolean> => {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::int as count from (
       select 1 from events.delivery_queue where organization_id = $1 and webhook_id = $2 and attempts = 0 limit ${waitingMax - batch + 1}
     ) waiting`,
    [organizationId, webhookId],
  )
  return row!.count > waitingMax - batch
}

/** Looks up where the time begins in the log. Null while events of the time have no positions yet. */
async function begin(
  sql: Sql,
  organizationId: string,
  { from, to }: RecoveryItem,
): Promise<{ readonly position: number; readonly through: number } | null> {
  const [pending] = await sql.query(
    'select from kernel.event_pending where organization_id = $1 and occurred_at <= $2 limit 1',
    [organizationId, new Date(to).toISOString()],
  )
  if (pending) return null
  const { oldest, latest } = await keptPositions(sql, organizationId)
  if (oldest === null) return { position: latest, through: latest }
  const time = new Date(from - marginMs).toISOString()
  const position = await positionBefore(sql, organizationId, { oldest, latest, time })
  return { position, through: latest }
}

/**
 * Queues the deliveries of the next events, and stores how far it came, in one transaction: a process that dies has done both or neither. Null if
 * there are further events.
 */
async function queueNext(services: Services, sql: Sql, item: Leased<RecoveryItem>): Promise<Outcome | null> {
  const { id, token, webhookId, from, to } = item
  const organizationId = item.organization!
  const [progress] = await sql.query<Progress & Record<string, unknown>>(
    `select position, through from ${eventRecovery.table}
     where organization_id = $1 and id = $2 and lease_token = $3 for update`,
    [organizationId, id, token],
  )
  // Another process has the item.
  if (!progress) return wait(0)
  const subscription = await activeSubscription(sql, organizationId, webhookId)
  if (!subscription) return { end: 'FAILED', error: 'The webhook was turned off, paused or deleted.' }
  if (await isWaiting(sql, organizationId, webhookId)) return wait(waitMs)
  const { position, through } = progress
  const range = position === null || through === null ? await begin(sql, organizationId, item) : { position, through }
  if (!range) return wait(100)
  const { oldest, latest } = await keptPositions(sql, organizationId)
  // Events may be deleted from the log while the receiver is slow.
  if (range.position < (oldest ?? latest + 1) - 1)
    return { end: 'FAILED', error: 'Events of the time are not kept any more.' }

  const types = subscription.events.some((type) => type.endsWith('.*')) ? null : subscription.events
  const upTo = Math.min(range.position + batch, range.through)
  const read = await eventsThrough(sql, organizationId, { after: range.position, through: upTo, types })
  const events = read.events.filter(({ occurredAt }) => from <= Date.parse(occurredAt) && Date.parse(occurredAt) <= to)
  const { storedBytes } = services
  const bytesMax = storedBytes.isUsedUp(organizationId) ? reducedBodyBytesMax : bodyBytesMax
  const deliveries = await deliveriesOf(services, sql, { organizationId, events }, [subscription], bytesMax)
  await queueDeliveries(sql, deliveries)
  await storedBytes.count(organizationId, bytesOfBodies(deliveries))
  await sql.query(
    `update ${eventRecovery.table} set position = $3, through = $4, queued = queued + $5 where organization_id = $1 and id = $2`,
    [organizationId, id, read.through, range.through, deliveries.length],
  )
  const isBehind = read.events.some(({ occurredAt }) => Date.parse(occurredAt) > to + marginMs)
  return isBehind || read.through >= range.through ? { end: 'DONE' } : null
}

async function recover(services: Services, item: Leased<RecoveryItem>, signal: AbortSignal): Promise<Outcome> {
  const endMs = performance.now() + turnMs
  for (;;) {
    await services.shapes.load(item.organization!)
    const outcome = await services.database.transaction((sql) => queueNext(services, sql, item))
    if (outcome) return outcome
    if (signal.aborted || performance.now() >= endMs) return wait(0)
  }
}

/** Events that webhooks get again: one webhook of an organization at a time, the organizations in turn. */
export const eventRecoveryQueue: Queue<RecoveryItem> = {
  ...eventRecovery,
  columns: `webhook_id as "webhookId", (extract(epoch from from_time) * 1000)::float8 as "from",
    (extract(epoch from to_time) * 1000)::float8 as "to"`,
  leaseMs: attemptMsMax + 15_000,
  attemptMsMax,
  lanes: { fresh: 2, retry: 1 },
  attemptsMax: () => 100,
  retryAfterMs: ({ attempts }) => Math.min(1_000 * 2 ** (attempts - 1), 300_000),
  retentionMs: 30 * 86_400_000,
  attempt: recover,
}

export const forgetEventRecoveries: Job = {
  name: 'webhooks.forgetRecoveries',
  cron: '50 4 * * *',
  run: (services) => deleteFinishedItems(eventRecoveryQueue, services),
}
