import type { Sql } from '../../kernel/database/sql.ts'
import { noUserId } from '../../kernel/context.ts'
import { historyBegin, historyMonths } from '../win-rate/win-rates.ts'
import { priorCases } from '../win-rate/shrunk-rate.ts'
import { modelVersions } from '../model-version.ts'
import { bandFrom, factors } from './factors.ts'

/** Quantiles that stand for the days in which deals were won. */
const quantiles = 200
export const fractions = Array.from({ length: quantiles }, (_, index) => (index + 0.5) / quantiles)

const configuration = { factors, bandFrom, historyMonths, priorCases, quantiles }

export const versionOfModel = modelVersions('deal', configuration)

/** When the closed deals of the organization were counted; null if never. */
export async function modelTime(sql: Sql, organizationId: string): Promise<string | null> {
  const [row] = await sql.query<{ at: string | null }>(
    'select computed_at as at from insights.deal_model where organization_id = $1',
    [organizationId],
  )
  return row?.at ?? null
}

/** Counts the closed deals, if that was never done. A new organization has its model from the first answer on. */
export async function ensureModel(sql: Sql, organizationId: string, now: Date): Promise<string> {
  const known = await modelTime(sql, organizationId)
  return known ?? learn(sql, organizationId, now, false)
}

/** Counts the closed deals of the last 18 months; whoever comes second waits, and does it again only with `isRepeated`. */
export function learn(sql: Sql, organizationId: string, now: Date, isRepeated: boolean): Promise<string> {
  return sql.transaction(async (inside) => {
    await inside.query(
      'insert into insights.deal_model (organization_id) values ($1) on conflict do nothing',
      [organizationId],
      'WRITE',
    )
    const [row] = await inside.query<{ at: string | null }>(
      'select computed_at as at from insights.deal_model where organization_id = $1 for update',
      [organizationId],
    )
    if (row?.at && !isRepeated) return row.at
    const begin = historyBegin(now)
    await learnStages(inside, organizationId, begin)
    await learnOutcomes(inside, organizationId, begin)
    await inside.query(
      'update insights.deal_model set computed_at = $2 where organization_id = $1',
      [organizationId, now.toISOString()],
      'WRITE',
    )
    return now.toISOString()
  })
}

/** Of a deal that was in a stage several times, the last time counts, so that each deal counts once. */
async function learnStages(sql: Sql, organizationId: string, begin: string): Promise<void> {
  await sql.query('delete from insights.deal_stage where organization_id = $1', [organizationId], 'WRITE')
  await sql.query(
    `insert into insights.deal_stage (organization_id, pipeline_id, stage, won, median_days, median_remaining, remaining)
     select $1, pipeline_id, stage, count(*), percentile_cont(0.5) within group (order by days),
       percentile_cont(0.5) within group (order by remaining), percentile_disc($3::float8[]) within group (order by remaining)
     from (
       select distinct on (visit.id, visit.stage) visit.pipeline_id, visit.stage,
         date_part('epoch', visit.left_at - visit.entered_at) / 86400 as days,
         date_part('epoch', visit.closed_at - visit.entered_at) / 86400 as remaining
       from (
         select o.id, o.pipeline_id, o.closed_at, e.stage, e.position, e.entered_at,
           coalesce(lead(e.entered_at) over (partition by o.id order by e.position), o.closed_at) as left_at
         from crm.opportunity o join crm.stage_entry e on e.organization_id = $1 and e.opportunity_id = o.id
         where o.organization_id = $1 and o.deleted_at is null and o.is_won and o.closed_at >= $2
       ) visit
       order by visit.id, visit.stage, visit.position desc
     ) last
     group by pipeline_id, stage`,
    [organizationId, begin, fractions],
    'WRITE',
  )
}

/** A deal counts in each stage that it was ever in. */
async function learnOutcomes(sql: Sql, organizationId: string, begin: string): Promise<void> {
  await sql.query('delete from insights.deal_outcome where organization_id = $1', [organizationId], 'WRITE')
  await sql.query(
    `insert into insights.deal_outcome (organization_id, pipeline_id, stage, owner_id, won, closed)
     select $1, o.pipeline_id, e.stage, coalesce(o.owner_id, '${noUserId}'), count(distinct o.id) filter (where o.is_won), count(distinct o.id)
     from crm.opportunity o join crm.stage_entry e on e.organization_id = $1 and e.opportunity_id = o.id
     where o.organization_id = $1 and o.deleted_at is null and o.is_closed and o.closed_at >= $2
     group by 2, 3, 4`,
    [organizationId, begin],
    'WRITE',
  )
}
