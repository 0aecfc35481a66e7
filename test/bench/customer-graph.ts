import { createApiKey } from '../../subgraphs/identity/public.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { Bench } from './against-baselines.ts'
import type { Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'
import { post, type HttpRequest } from './scenarios.ts'
import type { Tenant } from './tenants.ts'

/** Records of the measured organization: opportunities on the board, and activities of one account. */
export interface GraphSize {
  readonly opportunities: number
  readonly activities: number
}

const samples = 200
const warmUp = 50
const leads = samples + warmUp

const board = `query Board { opportunityBoard(perStage: 20) { columns { stage { name label } count baseAmount
  totals { currency amount } opportunities { id name amount currency closeDate account { id name } owner { id name } } } } }`

/** Times of one client with one connection: the deal board, the conversion of a lead and a page of a long timeline. */
export async function measureCustomerGraph(
  { tenants: { main } }: Bench,
  project: Server,
  services: OpenServices,
  size: GraphSize,
): Promise<Finding[]> {
  const { accountId } = await fillGraph(services, main, size)
  const { secret } = await createApiKey(services, main.organizationId, {
    ownerId: main.ownerId,
    name: 'Customer graph',
    scopes: ['*'],
    rateLimit: { limit: 1_000_000, window: 'MINUTE' },
  })
  const client = new OneConnection(project, secret)
  const leadIds: string[] = []
  for (let index = 0; index < leads; index++) {
    const answer = await client.send(post('/v1/leads', aLead(index)))
    leadIds.push((answer.body as { id: string }).id)
  }
  const count = (records: number): string => records.toLocaleString('en')
  return [
    atMost(
      `Deal board of ${count(size.opportunities)} opportunities: p50`,
      await client.medianOf(() => post('/v1/graphql', { query: board })),
      40,
      ' ms',
    ),
    atMost(
      'Conversion of a lead: p50',
      await client.medianOf(() => post(`/v1/leads/${leadIds.pop()!}/convert`, {})),
      12,
      ' ms',
    ),
    atMost(
      `Timeline page of 50 out of ${count(size.activities)} activities: p50`,
      await client.medianOf(() => ({ method: 'GET', path: `/v1/accounts/${accountId}/timeline?limit=50` })),
      10,
      ' ms',
    ),
  ]
}

/** Every third lead is from a company that has an account. */
const aLead = (index: number) => ({
  firstName: 'Ida',
  lastName: `Sandell ${index}`,
  email: `ida.${index}-${Date.now()}@northwind-${index % 3 === 0 ? index + 1 : `new-${Date.now()}-${index}`}.example`,
  company: `Lead company ${index} of ${Date.now()}`,
  phone: '+46 8 465 004 12',
  title: 'Head of logistics',
  leadSource: 'WEB',
})

/** Requests of one client, one after another. */
export class OneConnection {
  constructor(
    private readonly server: Server,
    private readonly secret: string,
  ) {}

  async send({ method, path, body, headers: besides }: HttpRequest): Promise<{ ms: number; body: unknown }> {
    // As the floors answer; compression in other threads would be part of the time.
    const headers = {
      'X-API-Key': this.secret,
      'Accept-Encoding': 'identity',
      ...(body && { 'Content-Type': 'application/json' }),
      ...besides,
    }
    const start = performance.now()
    const response = await fetch(`http://127.0.0.1:${this.server.port}${path}`, {
      method,
      headers,
      ...(body && { body }),
    })
    const text = await response.text()
    const ms = performance.now() - start
    const answer = JSON.parse(text) as { errors?: unknown }
    if (!response.ok || answer.errors)
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 600)}`)
    return { ms, body: answer }
  }

  async medianOf(request: () => HttpRequest): Promise<number> {
    for (let index = 0; index < warmUp; index++) await this.send(request())
    return this.percentileOf(request, 0.5, samples)
  }

  /** The time that this share of the requests does not exceed. */
  async percentileOf(request: () => HttpRequest, share: number, count: number): Promise<number> {
    const times: number[] = []
    for (let index = 0; index < count; index++) times.push((await this.send(request())).ms)
    return times.toSorted((a, b) => a - b)[Math.min(count - 1, Math.floor(count * share))]!
  }
}

/** Fills the organization once; a database that is kept has the records of the first run. */
async function fillGraph(services: OpenServices, tenant: Tenant, size: GraphSize): Promise<{ accountId: string }> {
  // Without a statement timeout.
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    const { organizationId } = tenant
    const [first] = await sql.query<{ id: string }>(
      'select id from crm.account where organization_id = $1 order by created_at, id limit 1',
      [organizationId],
    )
    const accountId = first!.id
    const [filled] = await sql.query('select 1 from crm.opportunity where organization_id = $1 limit 1', [
      organizationId,
    ])
    if (!filled) {
      await fillOpportunities(sql, tenant, size.opportunities)
      await fillActivities(sql, tenant, accountId, size.activities)
      await sql.query('vacuum analyze crm.opportunity')
      await sql.query('vacuum analyze crm.activity')
    }
    return { accountId }
  } finally {
    await sql.close()
  }
}

const common = 'id, organization_id, owner_id, custom_fields, version, created_at, updated_at'
const commonValues = `uuidv7(make_interval(secs => i - $3::int)), $1, $2, '{}', 1, moment, moment`

async function fillOpportunities(sql: Sql, { organizationId, ownerId }: Tenant, count: number): Promise<void> {
  await sql.query(
    `insert into crm.opportunity (${common}, name, account_id, amount, currency, pipeline_id, stage, probability, expected_revenue,
       base_amount, exchange_rate, forecast_category, close_date, original_close_date, close_date_push_count, stage_entered_at, is_closed,
       is_won)
     select ${commonValues}, 'Licences ' || i, accounts.ids[1 + i % cardinality(accounts.ids)], 1000 + i % 90000,
       (array['USD', 'USD', 'USD', 'EUR'])[1 + i % 4], p.id, s.stage ->> 'name', (s.stage ->> 'probability')::numeric, 0, 1000 + i % 90000, 1,
       s.stage ->> 'forecastCategory', moment, moment, 0, moment, s.stage ->> 'kind' <> 'OPEN', s.stage ->> 'kind' = 'WON'
     from generate_series(1, $3::int) i
     cross join lateral (select date_trunc('milliseconds', now() - make_interval(secs => $3::int - i)) as moment) m
     join crm.pipeline p on p.organization_id = $1 and p.is_default
     cross join lateral (select p.stages -> (i % jsonb_array_length(p.stages)) as stage) s
     cross join (select array_agg(id) as ids from (select id from crm.account where organization_id = $1 limit 10000) a) accounts`,
    [organizationId, ownerId, count],
  )
}

async function fillActivities(
  sql: Sql,
  { organizationId, ownerId }: Tenant,
  accountId: string,
  count: number,
): Promise<void> {
  const triggers = ['note_dates_insert', 'refresh_dates']
  // The triggers note every row, which is not what is measured.
  for (const trigger of triggers) await sql.query(`alter table crm.activity disable trigger ${trigger}`)
  await sql.query(
    `insert into crm.activity (${common}, account_id, type, direction, subject, body, occurred_at)
     select ${commonValues}, $4, (array['CALL', 'EMAIL', 'MEETING', 'NOTE'])[1 + i % 4], 'OUTBOUND', 'Call about order ' || i,
       'They ask for a new date.', moment
     from generate_series(1, $3::int) i
     cross join lateral (select date_trunc('milliseconds', now() - make_interval(secs => $3::int - i)) as moment) m`,
    [organizationId, ownerId, count, accountId],
  )
  for (const trigger of triggers) await sql.query(`alter table crm.activity enable trigger ${trigger}`)
}
