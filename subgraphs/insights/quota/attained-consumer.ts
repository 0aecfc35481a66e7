import { fiscalCalendar } from '../../identity/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { EventBatch, EventConsumer } from '../../kernel/outbox/event-consumer.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { save } from '../../kernel/record/save.ts'
import { selectList } from '../../kernel/record/selection.ts'
import { systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { dateIn } from '../../kernel/time/days.ts'
import { periodOfDay, periodTypes, type FiscalCalendar } from '../../kernel/time/period.ts'
import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import { attainmentOf } from './attainment.ts'
import { quota } from './quota.record.ts'
import type { Quota } from './quota.ts'

/** Announces that a quota is attained, once: when a deal was won or changed, or the quota itself. */
export const quotaAttainedConsumer: EventConsumer = {
  name: 'quota_attained',
  batch: 200,
  gatherMs: 200,
  // An organization without quotas costs nothing.
  async types(sql, organizationId) {
    const [any] = await sql.query('select 1 from insights.quota where organization_id = $1 limit 1', [organizationId])
    return any
      ? ['opportunity.created', 'opportunity.updated', 'opportunity.restored', 'quota.created', 'quota.updated']
      : []
  },
  condition: `(e.object = 'quota' or (e.data->'record'->>'isWon')::boolean)`,
  consume: announceAttained,
}

async function announceAttained(services: Services, sql: Sql, { organizationId, events }: EventBatch): Promise<void> {
  const ctx: RequestContext = { ...systemContext(services, organizationId), db: sql }
  const calendar = await fiscalCalendar(ctx)
  const attained = await recordAttained(ctx, await candidates(ctx, events, calendar), calendar)
  for (const previous of attained)
    await save(ctx, quota, { operation: 'UPDATE', previous, values: {}, events: ['quota.attained'] })
}

/** Records which of the quotas are attained, and returns those of which it was not recorded before. */
export async function recordAttained(
  ctx: RequestContext,
  quotas: readonly Quota[],
  calendar: FiscalCalendar,
): Promise<Quota[]> {
  const figures = await attainmentOf(ctx, quotas, calendar)
  const reached = quotas.filter(({ target }, index) => {
    const { closedWon } = figures[index]!
    return closedWon !== null && decimalOf(target).gt(zero) && decimalOf(closedWon).gte(decimalOf(target))
  })
  const rows = await ctx.db.query<{ id: string }>(
    `insert into insights.quota_attained (organization_id, quota_id) select $1, unnest($2::uuid[])
     on conflict (organization_id, quota_id) do nothing returning quota_id as id`,
    [ctx.caller.organizationId, reached.map(({ id }) => id)],
  )
  const first = new Set(rows.map(({ id }) => id))
  return reached.filter(({ id }) => first.has(id))
}

interface Won {
  readonly isWon?: boolean
  readonly ownerId?: string | null
  readonly closedAt?: string | null
}

/** The quotas that the events may have attained and that were not attained before: of owners of won deals and of their teams, and changed ones. */
function candidates(ctx: RequestContext, events: readonly LoggedEvent[], calendar: FiscalCalendar): Promise<Quota[]> {
  const pairs = events.flatMap(({ object, data }) => {
    const { isWon, ownerId, closedAt } = data['record'] as Won
    if (object === 'quota' || !isWon || !ownerId || !closedAt) return []
    const day = dateIn(calendar.timezone, new Date(closedAt))
    return periodTypes.map((type) => [ownerId, periodOfDay(day, type, calendar).text] as const)
  })
  const changed = events.filter(({ object }) => object === 'quota').map(({ recordId }) => recordId)
  return ctx.db.query<Quota & Record<string, unknown>>(
    `select ${selectList(quota, allColumnNames(quota), 't', null)} from insights.quota t
     where t.organization_id = $1 and (t.id = any($2::uuid[]) or exists (
         select from unnest($3::uuid[], $4::text[]) as k (owner_id, period)
         where k.period = t.period and (k.owner_id = t.user_id or exists (
           select from identity.team_member m
           where m.organization_id = t.organization_id and m.team_id = t.team_id and m.user_id = k.owner_id))))
       and not exists (select from insights.quota_attained a where a.organization_id = t.organization_id and a.quota_id = t.id)
     order by t.id`,
    [ctx.caller.organizationId, changed, pairs.map(([owner]) => owner), pairs.map(([, period]) => period)],
  )
}
