import { newId } from '../../kernel/ids.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Period } from '../../kernel/time/period.ts'
import { dealFigures, dealSource } from '../quota/deal-figures.ts'
import type { ForecastSnapshotSource } from './snapshot.types.ts'

const opportunities = recordType('opportunity')

interface Taken {
  readonly period: Period
  readonly source: ForecastSnapshotSource
  readonly currency: string
  /** `ALL`: every user with deals in the period, or with a quota for it. */
  readonly users: readonly string[] | 'ALL'
}

/** Stores what the own deals of each user say about the period. The context must see all deals. */
export async function takeSnapshots(ctx: RequestContext, { period, source, currency, users }: Taken): Promise<void> {
  const lines = await linesOf(ctx, period, users)
  const userIds = users === 'ALL' ? [...new Set([...lines.keys(), ...(await withQuota(ctx, period.text))])] : users
  if (userIds.length === 0) return
  const windows = userIds.map((id) => ({ owners: [id], start: period.start, end: period.end, currency }))
  const figures = (await dealFigures(ctx, windows))!
  const column = (value: (figure: (typeof figures)[number], index: number) => unknown) => figures.map(value)
  await ctx.db.query(
    `insert into insights.forecast_snapshot (organization_id, id, taken_at, source, user_id, period, period_type, currency,
       closed, commit, best_case, pipeline, weighted, opportunities, deal_lines_hash)
     select $1, id, $2, $3, user_id, $4, $5, $6, closed, commit, best_case, pipeline, weighted, opportunities, hash
     from unnest($7::uuid[], $8::uuid[], $9::numeric[], $10::numeric[], $11::numeric[], $12::numeric[], $13::numeric[], $14::int[], $15::text[])
       as s (id, user_id, closed, commit, best_case, pipeline, weighted, opportunities, hash)`,
    [
      ctx.caller.organizationId,
      ctx.clock.now().toISOString(),
      source,
      period.text,
      period.type,
      currency,
      userIds.map(() => newId()),
      userIds,
      column(({ closedWon }) => closedWon.toFixed()),
      column(({ commit }) => commit.toFixed()),
      column(({ bestCase }) => bestCase.toFixed()),
      column(({ pipeline }) => pipeline.toFixed()),
      column(({ weighted }) => weighted.toFixed()),
      userIds.map((id) => lines.get(id)?.deals ?? 0),
      userIds.map((id) => lines.get(id)?.hash ?? emptyHash),
    ],
  )
}

/** SHA-256 of nothing. */
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

interface Lines extends Record<string, unknown> {
  readonly id: string
  readonly deals: number
  readonly hash: string
}

/** The number and the hash of the deals that count in the period, by the id of their owner. */
async function linesOf(
  ctx: RequestContext,
  { start, end }: Period,
  users: Taken['users'],
): Promise<ReadonlyMap<string, Lines>> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const live = predicate.live(opportunities(), 't')
  const within = `>= ${values.add(start)}::timestamptz`
  const before = `< ${values.add(end)}::timestamptz`
  const owned = users === 'ALL' ? 't.owner_id is not null' : `t.owner_id = any(${values.add(users)}::uuid[])`
  const deals = (time: string, condition: string, category: string): string =>
    `select t.owner_id as id, t.id::text || ' ' || t.amount || ' ' || t.currency || ' ' || ${category} || ' ' || ${time} as line
     from ${dealSource(ctx)} t where ${live} and ${owned} and ${condition} and ${time} ${within} and ${time} ${before}`
  const rows = await ctx.db.query<Lines>(
    `select id, count(*)::int as deals, encode(sha256(convert_to(string_agg(line, chr(10) order by line), 'UTF8')), 'hex') as hash
     from (${deals('t.closed_at', 't.is_won', `'CLOSED'`)} union all
       ${deals('t.close_date', `not t.is_closed and t.forecast_category in ('COMMIT', 'BEST_CASE', 'PIPELINE')`, 't.forecast_category')}) d
     group by id order by id`,
    values.list,
    'SCAN',
  )
  return new Map(rows.map((row) => [row.id, row]))
}

async function withQuota({ db, caller }: RequestContext, period: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'select user_id as id from insights.quota where organization_id = $1 and period = $2 and user_id is not null order by user_id',
    [caller.organizationId, period],
  )
  return rows.map(({ id }) => id)
}
