// The record types must be registered.
import '../all.ts'
import { notificationConsumer } from '../events/notification/create/create-notifications.ts'
import { notifyingTypes } from '../events/notification/catalog/catalog.ts'
import { wholeData } from '../kernel/outbox/event-data.ts'
import type { LoggedEvent } from '../kernel/outbox/event-feed.ts'
import type { Services } from '../kernel/request.ts'
import { dayMs, hourMs } from './calendar.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

/** Users are notified of what happened in the last days. */
const daysBack = 10
/** What is older has been read. */
const unreadHours = 40
/** Notifications in the first week of work were read on the same day. */
const readAfter = `interval '3 hours'`

/**
 * Creates the notifications of the last days from the events of the demo, as a worker does; nothing is mailed, because the events are
 * older than a day at the time that is used. The worker begins with the events after the demo.
 */
export async function loadNotifications(services: Services, input: GeneratorInput): Promise<void> {
  const { organizationId, midnightMs } = input
  const sql = services.database
  for (let day = daysBack; day > 0; day--) {
    const fromMs = midnightMs - day * dayMs
    const events = await eventsBetween(services, organizationId, notifyingTypes, fromMs, fromMs + dayMs)
    // Each day is processed at another time, so that the bounds for one hour do not join several days.
    const clock = { now: () => new Date(midnightMs + 3 * dayMs - day * 2 * hourMs) }
    if (events.length > 0) await notificationConsumer.consume({ ...services, clock }, sql, { organizationId, events })
  }
  await sql.query(
    `update events.notification n set created_at = e.occurred_at,
       read_at = case when e.occurred_at < $2 then e.occurred_at + ${readAfter} end
     from kernel.event e where n.organization_id = $1 and e.organization_id = $1 and e.id = n.event_id`,
    [organizationId, new Date(midnightMs - unreadHours * hourMs).toISOString()],
  )
  await identify(services, input)
  await sql.query(
    `insert into kernel.event_consumer (organization_id, name, position)
     select $1, $2, count(*) from kernel.event where organization_id = $1`,
    [organizationId, notificationConsumer.name],
  )
}

/** Events of the demo as the event log will have them, oldest first. */
export async function eventsBetween(
  { database }: Services,
  organizationId: string,
  types: readonly string[],
  fromMs: number,
  untilMs: number,
): Promise<LoggedEvent[]> {
  const rows = await database.query<Omit<LoggedEvent, 'data'> & { data: Record<string, unknown> }>(
    `select row_number() over (order by occurred_at, id)::int as position, id, type, version, occurred_at as "occurredAt", object,
       record_id as "recordId", actor_id as "actorId", data
     from kernel.event
     where organization_id = $1 and occurred_at >= $2 and occurred_at < $3 and type = any($4) order by occurred_at, id`,
    [organizationId, new Date(fromMs).toISOString(), new Date(untilMs).toISOString(), types],
  )
  return rows.map((row) => ({ ...row, data: wholeData(row.data) }))
}

/** Gives the notifications ids that are the same on every machine. */
async function identify({ database }: Services, { organizationId, profile }: GeneratorInput): Promise<void> {
  const rows = await database.query<{ id: string; createdAt: string }>(
    `select id, created_at as "createdAt" from events.notification
     where organization_id = $1 order by created_at, event_id, event_key, user_id`,
    [organizationId],
  )
  const random = new Random(`notifications ${profile.code}`)
  await database.query(
    `update events.notification n set id = g.id from unnest($2::uuid[], $3::uuid[]) as g (former, id)
     where n.organization_id = $1 and n.id = g.former`,
    [organizationId, rows.map(({ id }) => id), rows.map(({ createdAt }) => random.id(Date.parse(createdAt)))],
  )
}
