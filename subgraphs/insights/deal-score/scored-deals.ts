import { withoutStorageRefusal } from '../../kernel/database/row-bytes.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { organizationZone } from '../../kernel/time/days.ts'
import { valueColumns, refreshDeals, type Moment } from './refresh.ts'
import { columnOf, factorKeys, type FactorValues } from './factors.ts'
import { shapes } from './shown-factors.ts'

/** Scores that an answer computes before it at most; the job computes the others. */
export const refreshMax = 500

/** A stored score `s` that is older than the deal `t`, or than something else on which it depends. */
export const isStaleSql = `(s.deal_id is null or s.is_dirty or s.deal_version <> t.version
  or s.last_activity_date is distinct from t.last_activity_date or s.next_activity_date is distinct from t.next_activity_date)`

export const scoreJoin = 'left join insights.deal_score s on s.organization_id = t.organization_id and s.deal_id = t.id'

/** A deal that the caller sees, with its stored factors. */
export interface ScoredDeal {
  readonly id: string
  readonly pipelineId: string
  readonly stage: string
  readonly ownerId: string | null
  readonly type: string | null
  readonly leadSource: string | null
  /** In the base currency. */
  readonly amount: number | null
  readonly isClosed: boolean
  readonly isWon: boolean
  readonly closeDate: string
  readonly stageEnteredAt: string
  readonly computedAt: string | null
  readonly values: FactorValues
}

interface Row extends Omit<ScoredDeal, 'values'> {
  readonly isStale: boolean
  readonly [column: string]: unknown
}

/** The time of the request, and the time zone of its organization. */
export const momentOf = async (ctx: RequestContext): Promise<Moment> => ({
  now: ctx.clock.now(),
  zone: await organizationZone(ctx),
})

export const refresh = (ctx: RequestContext, ids: readonly string[], moment: Moment): Promise<void> =>
  refreshDeals(withoutStorageRefusal(ctx.db), ctx.caller.organizationId, ids, moment)

/** Those of the deals that the caller sees, with scores that know what has changed. */
export async function scoredDeals(
  ctx: RequestContext,
  ids: readonly string[],
  moment: Moment,
): Promise<ReadonlyMap<string, ScoredDeal>> {
  let rows = await readDeals(ctx, ids)
  const stale = rows.filter(({ isStale }) => isStale).slice(0, refreshMax)
  if (stale.length > 0) {
    await refresh(
      ctx,
      stale.map(({ id }) => id),
      moment,
    )
    rows = await readDeals(ctx, ids)
  }
  return new Map(rows.map((row) => [row.id, { ...row, values: valuesOf(row) }]))
}

/** The factors in a row with their columns. */
export const valuesOf = (row: Readonly<Record<string, unknown>>): FactorValues =>
  Object.fromEntries(factorKeys.map((key) => [key, row[columnOf(key)]])) as unknown as FactorValues

function readDeals(ctx: RequestContext, ids: readonly string[]): Promise<Row[]> {
  const predicate = computedOver(ctx)
  const live = predicate.live(shapes.opportunity(), 't')
  const list = predicate.values.add(ids)
  return ctx.db.query<Row>(
    `select t.id, t.pipeline_id as "pipelineId", t.stage, t.owner_id as "ownerId", t.is_closed as "isClosed", t.is_won as "isWon",
       t.type, t.lead_source as "leadSource", t.base_amount::float8 as amount, t.close_date as "closeDate", t.stage_entered_at as "stageEnteredAt", s.computed_at as "computedAt",
       not t.is_closed and ${isStaleSql} as "isStale", ${valueColumns.replaceAll(/\w+/g, 's.$&')}
     from crm.opportunity t ${scoreJoin} where ${live} and t.id = any(${list}::uuid[])`,
    predicate.values.list,
  )
}
