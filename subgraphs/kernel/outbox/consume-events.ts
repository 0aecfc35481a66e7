import { Counter } from 'prom-client'
import { failureReason } from '../database/failure-reason.ts'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../request.ts'
import { servicesFor } from '../services-for.ts'
import { eventsThrough } from './event-log.ts'
import type { EventConsumer } from './event-consumer.ts'

/** An event that fails is tried again after 1, 4, 16, 64 and 256 seconds, and then passed over. */
const attemptsMax = 6
const retryMs = (failures: number): number => 1000 * 4 ** (failures - 1)

const passedOver = new Counter({
  name: 'crm_event_consumer_passed_over_total',
  help: 'Events that a consumer of the event log has passed over, because it failed with them repeatedly.',
  labelNames: ['consumer'],
})

interface Progress {
  readonly position: number
  readonly head: number
  readonly oneByOneUntil: number
  readonly failures: number
}

/**
 * Processes the next batch of an organization in one transaction. True if there are further events. The row lock on the position
 * ends with the transaction, so one process works at a time, and another one continues after `kill -9`. False if another process is
 * working: it is woken for later events itself.
 */
export async function consumeNext(
  services: Services,
  consumer: EventConsumer,
  organizationId: string,
): Promise<boolean> {
  let tried: { readonly after: number; readonly through: number; readonly failures: number } | null = null
  try {
    const consume = async (sql: Sql): Promise<boolean> => {
      const progress = await lockProgress(sql, consumer, organizationId)
      if (!progress || progress.head <= progress.position) return false
      const { position: after, head, oneByOneUntil, failures } = progress
      const wanted = after < oneByOneUntil ? after + 1 : Math.min(head, after + consumer.batch)
      tried = { after, through: wanted, failures }
      const types = await consumer.types(sql, organizationId)
      const isNone = types.length === 0
      const range = { after, through: wanted, types: types === 'ALL' ? null : types, condition: consumer.condition }
      const { events, through } = isNone
        ? { events: [], through: wanted }
        : await eventsThrough(sql, organizationId, range)
      tried = { after, through, failures }
      if (events.length > 0)
        await consumer.consume(servicesFor(services, `${consumer.name}/${through}`), sql, { organizationId, events })
      const position = isNone ? head : through
      await sql.query(
        'update kernel.event_consumer set position = $3, failures = 0, retry_at = null where organization_id = $1 and name = $2',
        [organizationId, consumer.name, position],
      )
      return position < head
    }
    // The effects and the position are lost together, and then the events are processed again.
    return await services.database.transaction(consume, { mayBeLost: true })
  } catch (error) {
    // The database has failed, not the events.
    if (!tried || failureReason(error) !== null) throw error
    await recordFailure(services, consumer, organizationId, tried, error)
    return true
  }
}

/** Null while another process works on the organization, or before the time of the next attempt. */
async function lockProgress(sql: Sql, { name }: EventConsumer, organizationId: string): Promise<Progress | null> {
  const lock = () =>
    sql.query<Progress & { readonly isDue: boolean }>(
      `select c.position, h.position as head, c.one_by_one_until as "oneByOneUntil", c.failures,
         coalesce(c.retry_at <= statement_timestamp(), true) as "isDue"
       from kernel.event_consumer c join kernel.event_head h using (organization_id)
       where c.organization_id = $1 and c.name = $2 for update of c skip locked`,
      [organizationId, name],
    )
  let [progress] = await lock()
  if (!progress) {
    const created = await sql.query(
      `insert into kernel.event_consumer (organization_id, name)
       select organization_id, $2 from kernel.event_head where organization_id = $1
       on conflict do nothing returning 1`,
      [organizationId, name],
    )
    if (created.length > 0) [progress] = await lock()
  }
  return progress?.isDue ? progress : null
}

/** After a batch that failed, its events are tried one by one; an event that failed alone is tried again later, or passed over. */
async function recordFailure(
  { database, log }: Services,
  { name }: EventConsumer,
  organizationId: string,
  { after, through, failures }: { readonly after: number; readonly through: number; readonly failures: number },
  error: unknown,
): Promise<void> {
  const isAlone = through === after + 1
  const isOver = isAlone && failures + 1 >= attemptsMax
  const details = { err: error, consumer: name, organizationId, position: through }
  if (isOver) {
    passedOver.inc({ consumer: name })
    log.error(details, 'an event consumer has failed with an event repeatedly; the event is passed over')
  } else if (isAlone) log.warn(details, 'an event consumer failed with an event; it will be tried again')
  const set = isOver
    ? 'position = $4, failures = 0, retry_at = null'
    : isAlone
      ? `failures = c.failures + 1, one_by_one_until = greatest(c.one_by_one_until, $4),
         retry_at = statement_timestamp() + ${retryMs(failures + 1)} * interval '1 millisecond'`
      : 'one_by_one_until = $4'
  // The row may have been created by the transaction that was rolled back.
  await database.query(
    `insert into kernel.event_consumer (organization_id, name) values ($1, $2) on conflict do nothing`,
    [organizationId, name],
    'WRITE',
  )
  await database.query(
    `update kernel.event_consumer c set ${set} where organization_id = $1 and name = $2 and position = $3`,
    [organizationId, name, after, through],
    'WRITE',
  )
}
