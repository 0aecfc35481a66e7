import { createApiKey } from '../../subgraphs/identity/public.ts'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import { mergeRollups } from '../../subgraphs/kernel/record/rollup/merge-rollups.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { OneConnection } from './customer-graph.ts'
import { alternate, median, ratios, type Contender, type Measuring, type Round, type Rounds } from './measure.ts'
import { measureNeighbour } from './neighbour.ts'
import type { Server } from './processes.ts'
import { atLeast, atMost, type Finding } from './report.ts'
import { get, post, wireFormOf, type HttpRequest } from './scenarios.ts'
import { openAdministrator, type Tenant } from './tenants.ts'

const samples = 100
const clients = 12
const buildTimeoutMs = 1_800_000

/** An organization whose key may do everything. */
interface Organization extends Tenant {
  readonly client: OneConnection
}

async function openOrganization(services: OpenServices, project: Server): Promise<Organization> {
  const tenant = await openAdministrator(services)
  const { secret } = await createApiKey(services, tenant.organizationId, {
    ownerId: tenant.ownerId,
    name: 'Indexed fields',
    scopes: ['*'],
    rateLimit: { limit: 1_000_000, window: 'MINUTE' },
  })
  return { ...tenant, secret, client: new OneConnection(project, secret) }
}

const field = (name: string, fieldType: string, more: object = {}) => ({ name, label: name, fieldType, ...more })
const tiers = ['GOLD', 'SILVER', 'BRONZE', 'NONE']
const tier = field('tier', 'PICKLIST', { picklistValues: tiers.map((value) => ({ value })), isIndexed: true })
const score = field('score', 'NUMBER', { isIndexed: true })
const seats = field('seats', 'NUMBER')
const rollup = (name: string, childObject: string, relationField: string, more: object) =>
  field(name, 'ROLLUP_SUMMARY', { rollupConfig: { childObject, relationField, ...more } })

async function define({ client }: Organization, entity: string, ...fields: readonly object[]): Promise<void> {
  for (const one of fields) await client.send(post('/v1/custom-fields', { entity, ...one }))
}

async function indexField({ client }: Organization, name: string): Promise<void> {
  const { body } = await client.send(get(`/v1/custom-fields?entity=CONTACT`))
  const { id } = (body as { data: { id: string; name: string }[] }).data.find((one) => one.name === name)!
  const query = 'mutation ($id: ID!) { customFieldUpdate(id: $id, input: { isIndexed: true }) { id } }'
  await client.send(post('/v1/graphql', { query, variables: { id } }))
}

/** Waits until all fields are in use, and returns how long that took in seconds. */
async function settled(services: OpenServices, { organizationId }: Organization): Promise<number> {
  const began = performance.now()
  for (;;) {
    const open = await services.database.query(
      `select from extensions.field_definition where organization_id = $1 and state <> 'READY' limit 1`,
      [organizationId],
    )
    const seconds = (performance.now() - began) / 1000
    if (open.length === 0) return seconds
    if (seconds * 1000 > buildTimeoutMs) throw new Error('The fields are still built.')
    await delay(200)
  }
}

const idOf = ({ body }: { readonly body: unknown }): string => (body as { id: string }).id
const create = async ({ client }: Organization, path: string, body: object): Promise<string> =>
  idOf(await client.send(post(path, body)))

/** CPU of the server and of PostgreSQL per answer. */
const cpuOf = ({ cpuUs, postgresCpuUs }: Round): number => cpuUs + postgresCpuUs

const cpuRatio = (rounds: Rounds, above: string, below: string): number =>
  median(rounds.get(above)!.map((round, index) => cpuOf(round) / cpuOf(rounds.get(below)![index]!)))

const figures = (rounds: Rounds): string =>
  [...rounds].map(([name, found]) => `${name} ${median(found.map(cpuOf)).toFixed(0)} us`).join(', ')

/** What indexed fields and rollups cost writes and reads, with few records and with as many children of one parent as asked. */
export async function measureIndexedFields(
  measuring: Measuring,
  project: Server,
  services: OpenServices,
): Promise<Finding[]> {
  const contender = (name: string, { secret }: Organization, request: HttpRequest): Contender => ({
    name,
    server: project,
    requests: [wireFormOf(request, { secret })],
  })
  const plain = await openOrganization(services, project)
  const defined = await openOrganization(services, project)
  return [
    ...(await measureCreate(measuring, services, { plain, defined, contender })),
    ...(await measureOneParent(measuring, services, { plain, defined, contender })),
    ...(await measureMillion(measuring, services, await openOrganization(services, project), project)),
  ]
}

type ContenderOf = (name: string, organization: Organization, request: HttpRequest) => Contender

/** A create with five indexed fields and two rollups of its parent, against the same body in an organization without definitions. */
async function measureCreate(
  measuring: Measuring,
  services: OpenServices,
  { plain, defined, contender }: { plain: Organization; defined: Organization; contender: ContenderOf },
): Promise<Finding[]> {
  await define(
    defined,
    'ACCOUNT',
    tier,
    score,
    field('region', 'TEXT', { isIndexed: true }),
    field('renewal', 'DATE', { isIndexed: true }),
    field('seats', 'NUMBER', { isIndexed: true }),
    rollup('companies', 'ACCOUNT', 'parentAccountId', { aggregate: 'COUNT' }),
    rollup('revenue', 'ACCOUNT', 'parentAccountId', { aggregate: 'SUM', field: 'annualRevenue' }),
  )
  await settled(services, defined)
  const customFields = { tier: 'GOLD', score: 71, region: 'EMEA', renewal: '2027-03-01', seats: 12 }
  const contenders: Contender[] = []
  for (const [name, organization] of Object.entries({ plain, defined })) {
    const parentAccountId = await create(organization, '/v1/accounts', { name: 'Parent' })
    const body = { name: 'Fabrikam Residences', annualRevenue: 12_500_000.5, parentAccountId, customFields }
    contenders.push(contender(name, organization, post('/v1/accounts', body)))
  }
  const rounds = await alternate(measuring, contenders)
  const ratio = cpuRatio(rounds, 'defined', 'plain')
  const what = 'Create with 5 indexed fields and 2 rollups: CPU / CPU without definitions'
  return [atMost(what, ratio, 1.35, 'x', figures(rounds))]
}

/** Creates of children of one parent with two rollups by twelve clients, against those of an organization without them. */
async function measureOneParent(
  measuring: Measuring,
  services: OpenServices,
  { plain, defined, contender }: { plain: Organization; defined: Organization; contender: ContenderOf },
): Promise<Finding[]> {
  await define(defined, 'CONTACT', seats)
  await define(plain, 'CONTACT', seats)
  await define(
    defined,
    'ACCOUNT',
    rollup('people', 'CONTACT', 'accountId', { aggregate: 'COUNT' }),
    rollup('seatsOfPeople', 'CONTACT', 'accountId', { aggregate: 'SUM', field: 'customFields.seats' }),
  )
  await settled(services, defined)
  const contenders: Contender[] = []
  for (const [name, organization] of [
    ['without', plain],
    ['with', defined],
  ] as const) {
    const accountId = await create(organization, '/v1/accounts', { name: 'Parent' })
    const body = { lastName: 'Duarte', accountId, customFields: { seats: 3 } }
    contenders.push(contender(name, organization, post('/v1/contacts', body)))
  }
  const rounds = await alternate({ ...measuring, options: { ...measuring.options, connections: clients } }, contenders)
  const what = `Children of one parent with 2 rollups, ${clients} clients: writes/s / writes/s without`
  return [atLeast(what, median(ratios(rounds, 'with', 'without', 'perSecond')), 0.9, figures(rounds))]
}

/** Filters, sorts and rollups with a million records of one parent. */
async function measureMillion(
  { postgres, options: { children } }: Measuring,
  services: OpenServices,
  organization: Organization,
  project: Server,
): Promise<Finding[]> {
  const { client, organizationId } = organization
  const many = children.toLocaleString('en')
  const parent = await create(organization, '/v1/accounts', { name: 'Parent' })
  await fillContacts(services, organization, parent, children)
  const total = (): number => project.cpuUs() + postgres.cpuUs()
  /** Seconds of CPU and of time of what is built in the background. */
  const built = async (...definition: Parameters<typeof define>): Promise<string> => {
    const before = total()
    await define(...definition)
    const seconds = await settled(services, organization)
    return `${((total() - before) / 1e6).toFixed(1)} s of CPU, ${seconds.toFixed(1)} s`
  }
  const index = await built(organization, 'CONTACT', tier, score, seats)
  const backfill = await built(
    organization,
    'ACCOUNT',
    rollup('people', 'CONTACT', 'accountId', { aggregate: 'COUNT' }),
    rollup('seatsOfPeople', 'CONTACT', 'accountId', { aggregate: 'SUM', field: 'customFields.seats' }),
  )
  const statistics = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  await statistics.query('analyze kernel.record_value').finally(() => statistics.close())
  const measure = async (what: string, max: number, requestOf: (turn: number) => HttpRequest): Promise<Finding> => {
    let turn = 0
    const next = () => requestOf(turn++)
    try {
      for (let warmUp = 0; warmUp < 10; warmUp++) await client.send(next())
      const before = total()
      const p95 = await client.percentileOf(next, 0.95, samples)
      const cpuMs = (total() - before) / 1000 / samples
      return atMost(`${what}: p95`, p95, max, ' ms', `CPU ${cpuMs.toFixed(1)} ms`)
    } catch (error) {
      // A list that takes too long is refused.
      const figure = (error as Error).message.slice(0, 120)
      return { what: `${what}: p95`, figure, goal: `<= ${max} ms`, isReached: false }
    }
  }
  const list = (query: string) => get(`/v1/contacts?limit=20&includeTotal=false&${query}`)
  const both = 'query ($filter: ContactFilter) { contactList(filter: $filter, limit: 20) { data { id customFields } } }'
  const filterOf = (turn: number) => {
    const from = (turn * 37) % (scores - 100)
    return { customFields: { tier: { eq: tiers[turn % 3] }, score: { gte: from, lt: from + 100 } } }
  }
  const findings = [
    await measure(`${many} records, filter by an indexed field`, 15, (turn) =>
      list(`customFields[score]=${(turn * 37) % scores}`),
    ),
    await measure(`${many} records, sort by an indexed field`, 15, (turn) =>
      list(`sortByCustomField=score&sortOrder=${turn % 2 ? 'asc' : 'desc'}`),
    ),
    await measure(`${many} records, two conditions on indexed fields`, 50, (turn) =>
      post('/v1/graphql', { query: both, variables: { filter: filterOf(turn) } }),
    ),
    await measure(`Read of a parent with two rollups of ${many} children`, 15, () => get(`/v1/accounts/${parent}`)),
    await measure(`Create of a child of this parent`, 50, () =>
      post('/v1/contacts', { lastName: 'Duarte', accountId: parent, customFields: { seats: 3, score: 1 } }),
    ),
  ]
  const [{ customFields }] = (
    (await client.send(get(`/v1/accounts?ids=${parent}`))).body as { data: [{ customFields: Record<string, number> }] }
  ).data
  const [sum] = await services.database.query<{ n: number; seats: number }>(
    `select count(*)::int as n, sum((custom_fields ->> 'seats')::int)::int as seats from crm.contact
     where organization_id = $1 and account_id = $2 and deleted_at is null`,
    [organizationId, parent],
  )
  if (customFields['people'] !== sum!.n || customFields['seatsOfPeople'] !== sum!.seats)
    throw new Error(`The rollups are ${JSON.stringify(customFields)}, and the records ${JSON.stringify(sum)}.`)
  const neighbour = await measureNeighbour(services, project, `the index of a field of ${many} records`, async () => {
    await indexField(organization, 'seats')
    await settled(services, organization)
  })
  // Its worker merges, too.
  await project.stop()
  const found = (what: string, figure: string): Finding => ({ what, figure, goal: '', isReached: null })
  return [
    ...findings,
    neighbour,
    found(`Index of two fields of ${many} records`, index),
    found(`Totals of two rollups of ${many} children`, backfill),
    await measureMerge(services, organization, parent),
  ]
}

/** The merge of many open differences of one parent. */
async function measureMerge(
  { database }: OpenServices,
  { organizationId }: Organization,
  parent: string,
): Promise<Finding> {
  const differences = 10_000
  await database.query(
    `insert into kernel.rollup_delta (organization_id, rollup_id, parent_id, n, total)
     select $1, rollup_id, $2, v.n, v.n from (select rollup_id from kernel.rollup where organization_id = $1 limit 1) r
     cross join lateral (select 1 as n from generate_series(1, $3) union all select -1 from generate_series(1, $3)) v`,
    [organizationId, parent, differences / 2],
  )
  const began = performance.now()
  await mergeRollups(database)
  const ms = performance.now() - began
  return atMost(`Merge of ${differences.toLocaleString('en')} differences of one parent`, ms, 1_000, ' ms')
}

const scores = 10_000
const batch = 50_000

async function fillContacts(
  services: OpenServices,
  { organizationId, ownerId }: Organization,
  parent: string,
  count: number,
): Promise<void> {
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    for (let from = 1; from <= count; from += batch)
      await sql.query(
        `insert into crm.contact (id, organization_id, owner_id, custom_fields, version, created_at, updated_at, created_by_id, updated_by_id,
           name, last_name, email_status, status, account_id)
         select uuidv7(), $1, $2, jsonb_build_object('tier', ($5::text[])[1 + i % 4], 'score', (i::bigint * 7919) % ${scores}, 'seats', i % 10), 1,
           moment, moment, $2, $2, 'Contact ' || i, 'Contact ' || i, 'UNKNOWN', 'ACTIVE', $3
         from generate_series($4::int, $6::int) i
         cross join lateral (select date_trunc('milliseconds', now() - make_interval(secs => 2000000 - i)) as moment) m`,
        [organizationId, ownerId, parent, from, tiers, Math.min(count, from + batch - 1)],
      )
    await sql.query('vacuum analyze crm.contact')
  } finally {
    await sql.close()
  }
}
