import { DateTime } from 'luxon'
import type { RequestContext } from '../../../kernel/request.ts'
import { timezoneProblems } from '../../../kernel/values/time-zone.ts'

const zoneOf = (zone: string): string => (timezoneProblems('', zone).length === 0 ? zone : 'UTC')

/** The day of the sender, `2026-11-23`. */
export const dayOf = (now: Date, zone: string): string =>
  DateTime.fromJSDate(now, { zone: zoneOf(zone) }).toISODate() ?? now.toISOString().slice(0, 10)

/** When the next day of the sender begins. */
export const nextDayOf = (now: Date, zone: string): Date =>
  DateTime.fromJSDate(now, { zone: zoneOf(zone) })
    .plus({ days: 1 })
    .startOf('day')
    .toJSDate()

export interface WantedMail {
  readonly enrollmentId: string
  readonly senderId: string
  readonly day: string
  /** Mails of all sequences that the sender may send on the day, by the sequence of this one. */
  readonly limit: number
}

/** How many mails of sequences the senders have sent on their days; not locked, to leave out early what cannot be sent. */
export async function sentSoFar(
  { db, caller }: RequestContext,
  wanted: readonly Pick<WantedMail, 'senderId' | 'day'>[],
): Promise<ReadonlyMap<string, number>> {
  if (wanted.length === 0) return new Map()
  const rows = await db.query<{ senderId: string; day: string; sent: number }>(
    `select d.sender_id as "senderId", d.day::text as day, d.sent from outreach.sequence_sender_day d
     join (select distinct * from unnest($2::uuid[], $3::date[])) as w (sender_id, day) using (sender_id, day)
     where d.organization_id = $1`,
    [caller.organizationId, wanted.map(({ senderId }) => senderId), wanted.map(({ day }) => day)],
  )
  return new Map(rows.map(({ senderId, day, sent }) => [`${senderId} ${day}`, sent]))
}

/**
 * Counts mails in the transaction of `ctx` and answers those that their senders may send. The rows of the senders are locked until the end of
 * the transaction, so that transactions at the same time never send more together.
 */
export async function countWithin(
  { db, caller }: RequestContext,
  wanted: readonly WantedMail[],
): Promise<ReadonlySet<string>> {
  if (wanted.length === 0) return new Set()
  const keys = [...new Map(wanted.map((one) => [`${one.senderId} ${one.day}`, one])).values()]
  const of = [caller.organizationId, keys.map(({ senderId }) => senderId), keys.map(({ day }) => day)]
  await db.query(
    `insert into outreach.sequence_sender_day (organization_id, sender_id, day, sent)
     select $1, w.sender_id, w.day, 0 from unnest($2::uuid[], $3::date[]) as w (sender_id, day) order by 2, 3
     on conflict do nothing`,
    of,
  )
  const rows = await db.query<{ senderId: string; day: string; sent: number }>(
    `select d.sender_id as "senderId", d.day::text as day, d.sent from outreach.sequence_sender_day d
     join unnest($2::uuid[], $3::date[]) as w (sender_id, day) using (sender_id, day)
     where d.organization_id = $1 order by d.sender_id, d.day for update of d`,
    of,
  )
  const sent = new Map(rows.map((row) => [`${row.senderId} ${row.day}`, row.sent]))
  const granted = new Set<string>()
  const added = new Map<string, number>()
  for (const { enrollmentId, senderId, day, limit } of wanted) {
    const key = `${senderId} ${day}`
    const count = (sent.get(key) ?? 0) + (added.get(key) ?? 0)
    if (count >= limit) continue
    added.set(key, (added.get(key) ?? 0) + 1)
    granted.add(enrollmentId)
  }
  const raised = keys.filter(({ senderId, day }) => added.has(`${senderId} ${day}`))
  if (raised.length > 0)
    await db.query(
      `update outreach.sequence_sender_day d set sent = d.sent + w.added
       from unnest($2::uuid[], $3::date[], $4::int[]) as w (sender_id, day, added)
       where d.organization_id = $1 and d.sender_id = w.sender_id and d.day = w.day`,
      [
        caller.organizationId,
        raised.map(({ senderId }) => senderId),
        raised.map(({ day }) => day),
        raised.map(({ senderId, day }) => added.get(`${senderId} ${day}`)!),
      ],
    )
  return granted
}
