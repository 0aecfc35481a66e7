import { eachOrganization } from '../../identity/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { RequestContext, Services } from '../../kernel/request.ts'
import { backTest, type BackTest } from './back-test.ts'
import type { BayesTables, ClosedDeal } from './naive-bayes.ts'
import { historyBegin, priorStages, teammates } from './win-rates.ts'

/** The latest closed deals that a test has at most. */
const dealsMax = 50_000
const monthsKept = 24
/** Earlier tests that an answer has. */
const historyMax = 12

/** The closed deals that were once in an open stage, in the order in which they were closed. */
const closedDeals = (sql: Sql, organizationId: string, begin: string): Promise<ClosedDeal[]> =>
  sql.query(
    `select * from (
       select o.id, o.closed_at as "closedAt", o.pipeline_id as "pipelineId", o.owner_id as "ownerId", o.type, o.lead_source as "leadSource",
         o.base_amount::float8 as amount, o.is_won as "isWon", array_agg(distinct e.stage order by e.stage) as stages
       from crm.opportunity o
       join crm.stage_entry e on e.organization_id = $1 and e.opportunity_id = o.id
       join (
         select p.id, s.item ->> 'name' as name from crm.pipeline p, jsonb_array_elements(p.stages) s(item)
         where p.organization_id = $1 and s.item ->> 'kind' = 'OPEN'
       ) open on open.id = o.pipeline_id and open.name = e.stage
       where o.organization_id = $1 and o.deleted_at is null and o.is_closed and o.closed_at >= $2
       group by o.organization_id, o.id order by o.closed_at desc, o.id limit ${dealsMax}
     ) latest order by "closedAt", id`,
    [organizationId, begin],
  )

/** Tests the models of an organization by its later deals, and stores the result of the month. */
export async function calibrate({ database, clock }: Services, organizationId: string): Promise<void> {
  const now = clock.now()
  const deals = await closedDeals(database, organizationId, historyBegin(now))
  const { test, tables } = backTest(
    deals,
    await priorStages(database, organizationId),
    await teammates(database, organizationId),
  )
  await database.query(
    `insert into insights.win_calibration (organization_id, month, computed_at, test, tables) values ($1, date_trunc('month', $2::timestamptz at time zone 'UTC'), $2, $3, $4)
     on conflict (organization_id, month) do update set computed_at = excluded.computed_at, test = excluded.test, tables = excluded.tables`,
    [organizationId, now.toISOString(), JSON.stringify(test), tables && JSON.stringify(tables)],
  )
  await database.query(
    `delete from insights.win_calibration where organization_id = $1 and month < $2::timestamptz - interval '${monthsKept} months'`,
    [organizationId, now.toISOString()],
  )
}

/** Calibrates every organization once a month; one that closes its first deals, on the next day. */
export const winCalibration: Job = {
  name: 'insights.calibrateWinRates',
  cron: '50 2 * * *',
  run: (services) =>
    eachOrganization(
      services,
      `exists (select from crm.opportunity d where d.organization_id = o.id and d.is_closed)
       and not exists (select from insights.win_calibration c where c.organization_id = o.id
         and c.month = date_trunc('month', $2::timestamptz at time zone 'UTC'))`,
      (organizationId) => calibrate(services, organizationId),
      [services.clock.now().toISOString()],
    ),
}

export interface StoredTest extends BackTest {
  readonly computedAt: string
}

/** The tests of the caller's organization, the latest first. */
export async function storedTests({ db, caller }: RequestContext): Promise<StoredTest[]> {
  const rows = await db.query<{ computedAt: string; test: BackTest }>(
    `select computed_at as "computedAt", test from insights.win_calibration where organization_id = $1 order by month desc limit ${historyMax + 1}`,
    [caller.organizationId],
  )
  return rows.map(({ computedAt, test }) => ({ computedAt, ...test }))
}

/** The tables of naive Bayes, for `bayesProbability`, if the last test of the organization chose it; null: the shrunk win rate is used. */
export async function chosenBayes({ db, caller }: RequestContext): Promise<BayesTables | null> {
  const [row] = await db.query<{ tables: BayesTables | null }>(
    'select tables from insights.win_calibration where organization_id = $1 order by month desc limit 1',
    [caller.organizationId],
  )
  return row?.tables ?? null
}
