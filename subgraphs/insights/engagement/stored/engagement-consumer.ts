import type { Sql } from '../../../kernel/database/sql.ts'
import type { EventBatch, EventConsumer } from '../../../kernel/outbox/event-consumer.ts'
import type { LoggedEvent } from '../../../kernel/outbox/event-feed.ts'
import type { Services } from '../../../kernel/request.ts'
import { dayMs } from '../../../kernel/time/wall-calendar.ts'
import { growthOf } from '../decay.ts'
import { pointsOf, type ScoredActivity } from '../weights.ts'
import { channels, columnOf, epoch } from './channels.ts'
import { rebuild } from './rebuild.ts'
import { objectNames, scoredObjects, type ScoredObject } from './scored-objects.ts'

/** The clocks of two processes differ by less. */
const clockDifferenceMs = 5 * 60_000

const types = ['activity.created', 'activity.updated', 'activity.deleted', 'activity.restored']

/**
 * Keeps the engagement sums of accounts, contacts and leads. A new activity is one addition; any other change of an activity computes the sums of its
 * records from all their activities. These may include activities whose events follow, which must not be added again: an activity that
 * was logged before the sums were computed, or a little later by another clock, is a reason to compute them again.
 */
export const engagementConsumer: EventConsumer = {
  name: 'engagement',
  batch: 500,
  gatherMs: 250,
  types: () => Promise.resolve(types),
  consume,
}

/** What a batch does with one record. */
interface Effect {
  readonly sums: Map<string, number>
  /** The time at which the first of the added activities was logged. */
  firstMs: number
  mustRebuild: boolean
}

type Effects = Map<ScoredObject, Map<string, Effect>>

type Facts = ScoredActivity & { readonly occurredAt: string } & Readonly<Record<string, unknown>>

async function consume({ clock }: Services, sql: Sql, { organizationId, events }: EventBatch): Promise<void> {
  const now = clock.now()
  const effects: Effects = new Map(objectNames.map((object) => [object, new Map()]))
  for (const event of events) note(effects, event, now)
  for (const [object, records] of effects) await apply(sql, organizationId, object, records, now)
}

function note(effects: Effects, { type, occurredAt, data }: LoggedEvent, now: Date): void {
  const { record, previous } = data as { readonly record: Facts; readonly previous?: Partial<Facts> | null }
  const points = pointsOf(record)
  // What is planned is added when it has happened: the rebuild notes when that is.
  const isAddition = type === 'activity.created' && Date.parse(record.occurredAt) <= now.getTime()
  if (type === 'activity.created' && points === 0) return
  for (const object of objectNames) {
    const { field, halfLifeDays } = scoredObjects[object]
    for (const id of new Set([record[field], previous?.[field]])) {
      if (typeof id !== 'string') continue
      const effect = effectOn(effects.get(object)!, id)
      if (!isAddition) effect.mustRebuild = true
      else {
        const days = (Date.parse(record.occurredAt) - Date.parse(epoch)) / dayMs
        effect.sums.set(record.type, (effect.sums.get(record.type) ?? 0) + points * growthOf(days, halfLifeDays))
        effect.firstMs = Math.min(effect.firstMs, Date.parse(occurredAt))
      }
    }
  }
}

function effectOn(records: Map<string, Effect>, id: string): Effect {
  let effect = records.get(id)
  if (!effect) records.set(id, (effect = { sums: new Map(), firstMs: Infinity, mustRebuild: false }))
  return effect
}

async function apply(
  sql: Sql,
  organizationId: string,
  object: ScoredObject,
  records: ReadonlyMap<string, Effect>,
  now: Date,
): Promise<void> {
  const ids = [...records.keys()].toSorted()
  if (ids.length === 0) return
  const rows = await sql.query<{ id: string; rebuilt: string }>(
    `select record_id as id, rebuilt_at as rebuilt from insights.engagement
     where organization_id = $1 and object = $2 and record_id = any($3::uuid[]) order by record_id for update`,
    [organizationId, object, ids],
  )
  const rebuiltMs = new Map(rows.map(({ id, rebuilt }) => [id, new Date(rebuilt).getTime()]))
  const isAddition = (id: string): boolean => {
    const { mustRebuild, firstMs } = records.get(id)!
    const known = rebuiltMs.get(id)
    return !mustRebuild && known !== undefined && firstMs > known + clockDifferenceMs
  }
  await add(sql, organizationId, object, ids.filter(isAddition), records)
  // A record without a row may have activities that are older than the consumer.
  await rebuild(
    sql,
    organizationId,
    object,
    ids.filter((id) => !isAddition(id)),
    now,
  )
}

/** One statement for all records of the batch. */
async function add(
  sql: Sql,
  organizationId: string,
  object: ScoredObject,
  ids: readonly string[],
  records: ReadonlyMap<string, Effect>,
): Promise<void> {
  if (ids.length === 0) return
  const sumOf = (id: string, channel: string): number => records.get(id)!.sums.get(channel) ?? 0
  const columns = channels.map(columnOf)
  const lists = channels.map((channel) => ids.map((id) => sumOf(id, channel)))
  await sql.query(
    `update insights.engagement e set
       ${columns.map((column) => `${column} = e.${column} + more.${column}`).join(', ')},
       total = e.total + ${columns.map((column) => `more.${column}`).join(' + ')}
     from unnest($3::uuid[], ${columns.map((_, index) => `$${index + 4}::float8[]`).join(', ')}) as more (id, ${columns.join(', ')})
     where e.organization_id = $1 and e.object = $2 and e.record_id = more.id`,
    [organizationId, object, ids, ...lists],
    'WRITE',
  )
}
