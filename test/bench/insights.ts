import { createApiKey, createUser } from '../../subgraphs/identity/public.ts'
import { dealScoreHourly } from '../../subgraphs/insights/deal-score/deal-score.jobs.ts'
import { engagementConsumer } from '../../subgraphs/insights/engagement/stored/engagement-consumer.ts'
import { engagementMomentum } from '../../subgraphs/insights/engagement/stored/momentum.job.ts'
import { rebuild } from '../../subgraphs/insights/engagement/stored/rebuild.ts'
import { pageRank } from '../../subgraphs/insights/engagement/page-rank.ts'
import { triageScan } from '../../subgraphs/insights/triage/scan.job.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { seededRandom } from '../../subgraphs/kernel/time/business-hours.fixture.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { OneConnection } from './customer-graph.ts'
import type { BenchOptions } from './options.ts'
import { PostgresCpu } from './postgres-cpu.ts'
import { Load, type Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { wireFormOf } from './scenarios.ts'
import { openTenant, type Tenant } from './tenants.ts'

/** Records of the measured organization. */
type InsightsSize = BenchOptions['insights']

const simulatedDeals = 500
const manyDeals = 5_000
const iterations = 10_000
const newActivities = 500
const rankedNodes = 50_000
const rankedEdges = 1_000_000
const connections = 32
const warmUpMs = 8_000
const loadMs = 6_000
const count = (records: number): string => records.toLocaleString('en')

/** What the figures of a large organization cost: engagement, scores of deals, rollup, one customer, a scan and a simulation. */
export async function measureInsights(project: Server, services: OpenServices, size: InsightsSize): Promise<Finding[]> {
  const tenant = await openTenant(services, size.accounts)
  const small = await openTenant(services, simulatedDeals)
  const large = await openTenant(services, manyDeals)
  // Without a statement timeout.
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    await fill(services, sql, tenant, size)
    await fillDeals(sql, small, simulatedDeals, simulatedDeals, [small.ownerId])
    await fillDeals(sql, large, manyDeals, manyDeals, [large.ownerId])
    await sql.query('vacuum analyze crm.opportunity')
    return [
      ...(await measureEngagement(services, sql, tenant, size)),
      ...(await measureReads(services, sql, project, tenant, size)),
      await measureScan(services, sql, tenant, size),
      await measureSimulation(services, project, small, simulatedDeals, 1),
      await measureSimulation(services, project, large, manyDeals, 6),
      measurePageRank(),
    ]
  } finally {
    await sql.close()
  }
}

async function measureEngagement(
  services: OpenServices,
  sql: Sql,
  { organizationId }: Tenant,
  { accounts, activities }: InsightsSize,
): Promise<Finding[]> {
  const rows = await sql.query<{ id: string }>('select id from crm.account where organization_id = $1', [
    organizationId,
  ])
  const ids = rows.map(({ id }) => id)
  const cpu = await PostgresCpu.of(sql)
  const [postgres, own] = [cpu.cpuUs(), process.cpuUsage()]
  // An hour ago, so that the activities below are additions.
  await rebuild(sql, organizationId, 'account', ids, new Date(Date.now() - 3_600_000))
  const used = process.cpuUsage(own)
  const seconds = (cpu.cpuUs() - postgres + used.user + used.system) / 1e6
  const now = new Date().toISOString()
  const events = ids.slice(0, newActivities).map((accountId, index) => ({
    id: newId(),
    type: 'activity.created',
    occurredAt: now,
    position: index + 1,
    data: { record: { id: newId(), type: 'MEETING', accountId, occurredAt: now } },
  }))
  const began = performance.now()
  await engagementConsumer.consume(services, sql, { organizationId, events } as never)
  const each = (performance.now() - began) / events.length
  // Autovacuum would do it within a minute.
  await sql.query('vacuum analyze insights.engagement')
  const momentumBegan = performance.now()
  await engagementMomentum.run(services)
  const momentumSeconds = (performance.now() - momentumBegan) / 1000
  return [
    atMost(`Engagement of ${count(accounts)} accounts from ${count(activities)} activities: CPU`, seconds, 5, ' s'),
    atMost(`Hourly momentum of ${count(accounts)} accounts`, momentumSeconds, 10, ' s'),
    atMost(`One activity, in a batch of ${count(newActivities)}`, each, 1, ' ms'),
  ]
}

async function measureReads(
  services: OpenServices,
  sql: Sql,
  project: Server,
  tenant: Tenant,
  { deals, openDeals, users }: InsightsSize,
): Promise<Finding[]> {
  const { organizationId } = tenant
  await dealScoreHourly.run(services)
  await sql.query('vacuum analyze insights.deal_score')
  const key = { secret: await secretOf(services, tenant) }
  const client = new OneConnection(project, key.secret)
  const ids = async (table: string, more = '') =>
    (
      await sql.query<{ id: string }>(
        `select id from ${table} where organization_id = $1 ${more} order by md5(id::text) limit 500`,
        [organizationId],
      )
    ).map(({ id }) => id)
  const open = await ids('crm.opportunity', 'and not is_closed')
  const accounts = await ids('crm.account')
  const turn = (paths: readonly string[]) => {
    let next = 0
    return () => ({ method: 'GET', path: paths[next++ % paths.length]! }) as const
  }
  const p95 = async (paths: readonly string[], samples: number) => {
    const request = turn(paths)
    for (let index = 0; index < 5; index++) await client.send(request())
    return client.percentileOf(request, 0.95, samples)
  }
  const scored = await scoresUnderLoad(project, key, open)
  return [
    atMost(`Score of a deal, ${connections} connections: p95`, scored, 20, ' ms'),
    atMost(
      `Distribution of ${count(openDeals)} open deals: p95`,
      await p95(['/v1/deal-scoring/distribution'], 30),
      300,
      ' ms',
    ),
    atMost(
      `Rollup of ${count(users)} users and ${count(deals)} deals: p95`,
      await p95(['/v1/quota-forecast/forecasts/rollup'], 30),
      500,
      ' ms',
    ),
    atMost(
      'A customer on one page: p95',
      await p95(
        accounts.map((id) => `/v1/customer-360/${id}`),
        100,
      ),
      150,
      ' ms',
    ),
  ]
}

/** From another process, once the code of the project is compiled; the requests of a connection follow each other. */
async function scoresUnderLoad(project: Server, key: { secret: string }, dealIds: readonly string[]): Promise<number> {
  const load = Load.start()
  try {
    const requests = dealIds.map((id) => wireFormOf({ method: 'GET', path: `/v1/deal-scoring/${id}/score` }, key))
    const order = { port: project.port, requests, connections }
    await load.run({ ...order, durationMs: warmUpMs })
    return (await load.run({ ...order, durationMs: loadMs })).p95Ms
  } finally {
    load.stop()
  }
}

/** A scan by its job, and by that of the project if its minute comes; the next ones of the other organizations are tomorrow. */
async function measureScan(
  services: OpenServices,
  sql: Sql,
  { organizationId }: Tenant,
  { accounts }: InsightsSize,
): Promise<Finding> {
  await sql.query(
    `insert into insights.triage_scan (organization_id, next_at, requested_at)
     select id, now() + interval '1 day', case when id = $1 then now() end from identity.organization
     on conflict (organization_id) do update set next_at = excluded.next_at, requested_at = excluded.requested_at, finished_at = null`,
    [organizationId],
  )
  const began = performance.now()
  const progress = async () => {
    await triageScan.run(services)
    const [scan] = await sql.query<{ scanned: number; finishedAt: string | null }>(
      'select accounts as scanned, finished_at as "finishedAt" from insights.triage_scan where organization_id = $1 and requested_at is null',
      [organizationId],
    )
    return scan
  }
  let scan = await progress()
  while (!scan?.finishedAt) scan = await progress()
  const seconds = (performance.now() - began) / 1000
  if (scan.scanned === 0) throw new Error('The scan has found no accounts.')
  return atMost(`Scan of ${count(accounts)} accounts for risks`, seconds, 60, ' s')
}

async function measureSimulation(
  services: OpenServices,
  project: Server,
  tenant: Tenant,
  deals: number,
  secondsMax: number,
): Promise<Finding> {
  const client = new OneConnection(project, await secretOf(services, tenant))
  const path = '/v1/pipeline-simulation/scenarios'
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const body = JSON.stringify({ name: `Run ${run}`, iterations, seed: run + 1 })
    const created = await client.send({ method: 'POST', path, body })
    const { id } = created.body as { id: string }
    const began = performance.now()
    let { body: scenario } = await client.send({ method: 'POST', path: `${path}/${id}/run`, body: '{}' })
    while ((scenario as { status: string }).status === 'RUNNING')
      scenario = (await client.send({ method: 'GET', path: `${path}/${id}` })).body
    if ((scenario as { status: string }).status !== 'COMPLETED') throw new Error('The simulation did not complete.')
    times.push(performance.now() - began)
  }
  const median = times.toSorted((a, b) => a - b)[2]!
  return atMost(
    `Simulation of ${count(deals)} deals × ${count(iterations)} runs with its baseline: p50`,
    median / 1000,
    secondsMax,
    ' s',
  )
}

/** Relations lead to random nodes, a few of which have many of them, as in the organizations of users. */
function measurePageRank(): Finding {
  const below = seededRandom(1)
  const random = () => below(2 ** 30) / 2 ** 30
  const importance = Array.from({ length: rankedNodes }, () => 1 + 10 * random())
  const edges = Array.from({ length: rankedEdges }, () => ({
    from: Math.floor(rankedNodes * random()),
    to: Math.floor(rankedNodes * random() ** 3),
    weight: 0.1 + random(),
  })).filter(({ from, to }) => from !== to)
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now()
    pageRank(importance, edges)
    return performance.now() - began
  })
  const median = times.toSorted((a, b) => a - b)[2]!
  return atMost(`PageRank of ${count(rankedNodes)} nodes and ${count(rankedEdges)} relations: p50`, median, 500, ' ms')
}

const secretOf = async (services: OpenServices, { organizationId, ownerId }: Tenant): Promise<string> =>
  (
    await createApiKey(services, organizationId, {
      ownerId,
      name: 'Insights',
      scopes: ['*'],
      rateLimit: { limit: 1_000_000, window: 'MINUTE' },
    })
  ).secret

/** Fills the organization once; a database that is kept has the records of the first run. */
async function fill(services: OpenServices, sql: Sql, tenant: Tenant, size: InsightsSize): Promise<void> {
  const { organizationId, ownerId } = tenant
  const [filled] = await sql.query('select 1 from crm.activity where organization_id = $1 limit 1', [organizationId])
  if (filled) return
  const owners = [ownerId]
  for (let index = 1; index < size.users; index++) {
    const email = `seller${index}@${organizationId}.example`
    const user = { name: `Seller ${index}`, email, role: 'MEMBER', visibility: 'OWN' } as const
    owners.push((await createUser(services, organizationId, user)).id)
  }
  // Each user reports to the one of a tenth of its number.
  await sql.query(
    `update identity.app_user u set manager_id = owners.ids[1 + (m.index - 1) / 10]
     from (select $2::uuid[] as ids) owners, unnest($2::uuid[]) with ordinality as m (id, index)
     where u.organization_id = $1 and u.id = m.id and m.index > 1`,
    [organizationId, owners],
  )
  await fillDeals(sql, tenant, size.deals, size.openDeals, owners)
  await fillActivities(sql, tenant, size.activities)
  await sql.query('vacuum analyze crm.activity')
}

const common = 'id, organization_id, owner_id, custom_fields, version, created_at, updated_at'
const moments = `date_trunc('milliseconds', now() - make_interval(secs => (i % 7776000))) as moment`

async function fillDeals(
  sql: Sql,
  { organizationId }: Tenant,
  deals: number,
  openDeals: number,
  owners: readonly string[],
): Promise<void> {
  const [filled] = await sql.query('select 1 from crm.opportunity where organization_id = $1 limit 1', [organizationId])
  if (filled) return
  await sql.query(
    `insert into crm.opportunity (${common}, name, account_id, amount, currency, pipeline_id, stage, probability, expected_revenue,
       base_amount, exchange_rate, forecast_category, close_date, original_close_date, close_date_push_count, stage_entered_at, is_closed,
       is_won, closed_at)
     select uuidv7(), $1, ($2::uuid[])[1 + i % cardinality($2::uuid[])], '{}', 1, moment, moment, 'Licences ' || i,
       accounts.ids[1 + i % cardinality(accounts.ids)], 1000 + i % 90000, 'USD', p.id, s.stage ->> 'name',
       (s.stage ->> 'probability')::numeric, 0, 1000 + i % 90000, 1, s.stage ->> 'forecastCategory',
       moment + interval '60 days', moment + interval '60 days', 0, moment, s.kind <> 'OPEN', s.kind = 'WON',
       case when s.kind <> 'OPEN' then moment end
     from generate_series(1, $3::int) i
     cross join lateral (select ${moments}) m
     join crm.pipeline p on p.organization_id = $1 and p.is_default
     cross join lateral (
       select case when i <= $4 then 'OPEN' when i % 3 = 0 then 'WON' else 'LOST' end as wanted) w
     cross join lateral (
       select e.stage, w.wanted as kind from jsonb_array_elements(p.stages) e (stage) where e.stage ->> 'kind' = w.wanted
       order by md5(i || (e.stage ->> 'name')) limit 1) s
     cross join (select array_agg(id) as ids from crm.account where organization_id = $1) accounts`,
    [organizationId, owners, deals, openDeals],
  )
}

async function fillActivities(sql: Sql, { organizationId, ownerId }: Tenant, activities: number): Promise<void> {
  const triggers = ['note_dates_insert', 'refresh_dates']
  // The triggers note every row, which is not what is measured.
  for (const trigger of triggers) await sql.query(`alter table crm.activity disable trigger ${trigger}`)
  await sql.query(
    `insert into crm.activity (${common}, account_id, type, direction, outcome, subject, occurred_at)
     select uuidv7(), $1, $2, '{}', 1, moment, moment, accounts.ids[1 + i % cardinality(accounts.ids)],
       (array['CALL', 'EMAIL', 'MEETING', 'WEB_VISIT'])[1 + i % 4], 'INBOUND', 'COMPLETED', 'About order ' || i, moment
     from generate_series(1, $3::int) i cross join lateral (select ${moments}) m
     cross join (select array_agg(id) as ids from crm.account where organization_id = $1) accounts`,
    [organizationId, ownerId, activities],
  )
  for (const trigger of triggers) await sql.query(`alter table crm.activity enable trigger ${trigger}`)
}
