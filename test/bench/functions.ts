import { setTimeout as delay } from 'node:timers/promises'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { Bench } from './against-baselines.ts'
import { OneConnection } from './customer-graph.ts'
import { alternate, median, ratios, type Contender } from './measure.ts'
import type { Server } from './processes.ts'
import { atLeast, atMost, type Finding } from './report.ts'
import { measureSandbox } from './sandbox.ts'
import { post, wireFormOf } from './scenarios.ts'
import { openTenant, type Tenant } from './tenants.ts'

/** Below the 600 invocations of an organization in a minute, with the warm-up. */
const invocations = 250
const hookRecords = 100
/** Paced, slower than triggers run, so that no change waits for the triggers of those before it. */
const [pacedChanges, paceMs] = [150, 50]
/** At once, to see how many triggers run in a second. */
const changes = 300
const rounds = 10

const source = (code: string) => ({ language: 'javascript', source: `export default ${code}` })

async function functionTenant(services: OpenServices, accounts: number): Promise<Tenant> {
  const tenant = await openTenant(services, accounts)
  const { secret } = await createApiKey(services, tenant.organizationId, {
    ownerId: tenant.ownerId,
    name: 'Functions',
    scopes: ['*'],
    rateLimit: { limit: 1_000_000, window: 'MINUTE' },
  })
  return { ...tenant, secret }
}

/** What functions, hooks and triggers cost, each in an organization of its own, so that none uses up the invocations of another. */
export async function measureFunctions(project: Server, services: OpenServices): Promise<Finding[]> {
  return [
    ...(await measureSandbox()),
    ...(await measureInvocations(project, await functionTenant(services, 101))),
    await measureHook(project, await functionTenant(services, 102)),
    ...(await measureTriggers(project, services, await functionTenant(services, 103))),
    await measureLoops(project, await functionTenant(services, 104), await functionTenant(services, 105)),
  ]
}

async function measureInvocations(project: Server, tenant: Tenant): Promise<Finding[]> {
  const client = new OneConnection(project, tenant.secret)
  const apiName = `empty_${Date.now()}`
  await client.send(post('/v1/functions', { apiName, name: 'Empty', httpEnabled: true, ...source('() => null') }))
  const { body } = await client.send(post('/v1/accounts', { name: 'Read' }))
  const read = () => ({ method: 'GET', path: `/v1/accounts/${(body as { id: string }).id}` }) as const
  const headers = { 'X-Service-Function-Depth': '0' }
  const invoke = () => ({ ...post(`/v1/functions/${apiName}/invoke`, { input: null }), headers })
  const sample = async (share: number): Promise<number> =>
    (await client.percentileOf(invoke, share, invocations)) - (await client.percentileOf(read, share, invocations))
  await client.percentileOf(invoke, 0.5, 20)
  await client.percentileOf(read, 0.5, 100)
  return [
    atMost('Invoking an empty function, minus a read by id: p50', await sample(0.5), 5, ' ms'),
    atMost('the same: p95', await sample(0.95), 25, ' ms'),
  ]
}

/** One bulk change of as many records as one request takes. */
async function measureHook(project: Server, tenant: Tenant): Promise<Finding> {
  const client = new OneConnection(project, tenant.secret)
  const ids: string[] = []
  for (let index = 0; index < hookRecords; index++)
    ids.push(((await client.send(post('/v1/contacts', { lastName: `C${index}` }))).body as { id: string }).id)
  let change = 0
  const bulk = async (): Promise<number> => {
    const title = `Title ${change++}`
    const items = ids.map((id) => ({ id, title }))
    return (await client.send(post('/v1/contacts/bulk/update', { items }))).ms
  }
  const times = async (): Promise<number> => {
    const all: number[] = []
    for (let round = 0; round < rounds; round++) all.push(await bulk())
    return median(all)
  }
  await times()
  const without = await times()
  const apiName = `allow_${Date.now()}`
  const allow = `(input) => ({ results: input.records.map(() => ({ decision: 'ALLOW' })) })`
  await client.send(post('/v1/functions', { apiName, name: 'Allow', ...source(allow) }))
  await client.send(
    post('/v1/hooks', { objectType: 'CONTACT', name: apiName, function: apiName, failureMode: 'FAIL_CLOSED' }),
  )
  await times()
  return atMost(
    `A hook that is a function, on a bulk change of ${hookRecords} records`,
    (await times()) - without,
    100,
    ' ms',
  )
}

async function measureTriggers(project: Server, services: OpenServices, tenant: Tenant): Promise<Finding[]> {
  const client = new OneConnection(project, tenant.secret)
  const apiName = `react_${Date.now()}`
  await client.send(post('/v1/functions', { apiName, name: 'React', runAsAdmin: true, ...source('() => null') }))
  const trigger = { objectType: 'ACCOUNT', name: apiName, operations: ['CREATE'], function: apiName }
  await client.send(post('/v1/after-save-triggers', trigger))
  const create = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) await client.send(post('/v1/accounts', { name: `Trigger ${index}` }))
  }
  await create(20)
  await ended(services, tenant, 20)
  for (let index = 0; index < pacedChanges; index++) await Promise.all([create(1), delay(paceMs)])
  await ended(services, tenant, 20 + pacedChanges)
  const paced = await lastRuns(services, tenant, pacedChanges)
  await create(changes)
  await ended(services, tenant, 20 + pacedChanges + changes)
  const { perSecond } = await lastRuns(services, tenant, changes)
  const pace = `${pacedChanges} creates, one every ${paceMs} ms`
  return [
    atMost(`From the change to the end of its trigger, ${pace}: p95`, paced.p95, 100, ' ms'),
    atLeast(`Triggers a second after ${changes} creates at once`, perSecond, 50, 'triggers/s'),
  ]
}

/** Reads by id of an organization while another one runs ten functions that never end, against the same without them, in turn. */
async function measureLoops(project: Server, looping: Tenant, other: Tenant): Promise<Finding> {
  const client = new OneConnection(project, other.secret)
  const { body } = await client.send(post('/v1/accounts', { name: 'Read' }))
  const read = () => ({ method: 'GET', path: `/v1/accounts/${(body as { id: string }).id}` }) as const
  const loopers = Array.from({ length: 10 }, () => new OneConnection(project, looping.secret))
  const apiName = `loop_${Date.now()}`
  const settings = { apiName, name: 'Loop', httpEnabled: true, timeoutMs: 1_500, ...source('() => { for (;;); }') }
  await loopers[0]!.send(post('/v1/functions', settings))
  const headers = { 'X-Service-Function-Depth': '0' }
  const loop = { ...post(`/v1/functions/${apiName}/invoke`, { input: null }), headers }
  const sample = (): Promise<number> => client.percentileOf(read, 0.95, 500)
  await sample()
  const [alone, beside]: [number[], number[]] = [[], []]
  for (let round = 0; round < 3; round++) {
    alone.push(await sample())
    // Those above the limits of the organization are refused.
    const loops = Promise.allSettled(loopers.map((looper) => looper.send(loop)))
    await delay(300)
    beside.push(await sample())
    await loops
  }
  const ratio = median(beside) / median(alone)
  return atMost('p95 of reads by id beside ten endless functions of another organization', ratio, 1.1, 'x')
}

async function lastRuns({ database }: OpenServices, { organizationId }: Tenant, count: number) {
  const [row] = await database.query<{ p95: number; perSecond: number }>(
    `select (percentile_cont(0.95) within group (order by ms))::float8 as p95,
       count(*) / extract(epoch from max(finished_at) - min(created_at))::float8 as "perSecond"
     from (
       select r.created_at, r.finished_at, extract(epoch from r.finished_at - e.occurred_at) * 1000 as ms
       from extensions.trigger_run r join kernel.event e on e.organization_id = r.organization_id and e.id = r.event_id
       where r.organization_id = $1 order by r.event_position desc limit $2
     ) runs`,
    [organizationId, count],
  )
  return row!
}

async function ended({ database }: OpenServices, { organizationId }: Tenant, count: number): Promise<void> {
  const deadline = performance.now() + 120_000
  for (;;) {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from extensions.trigger_run where organization_id = $1 and state = 'SUCCEEDED'`,
      [organizationId],
    )
    if (row!.n >= count) return
    if (performance.now() > deadline) throw new Error(`Only ${row!.n} of ${count} triggers have ended.`)
    await delay(50)
  }
}

/** What an organization without extensions pays for them: the project compared with itself without looking for any. */
export async function measureWithoutExtensions(bench: Bench, project: Server, without: Server): Promise<Finding[]> {
  const { tenants, ids } = bench
  const created = [wireFormOf(post('/v1/accounts', { name: 'Created' }), tenants.writing)]
  const read = ids.map((id) => wireFormOf({ method: 'GET', path: `/v1/accounts/${id}` }, tenants.main))
  const ratioOf = async (requests: readonly string[]): Promise<number> => {
    const contender = (name: string, server: Server): Contender => ({ name, server, requests })
    const rounds = await alternate(bench, [contender('as it is', project), contender('without', without)])
    return median(ratios(rounds, 'without', 'as it is', 'cpuUs'))
  }
  const what = (operation: string): string =>
    `A ${operation} of an organization without extensions: CPU without the check / CPU`
  return [
    atLeast(what('create'), await ratioOf(created), 0.97, ''),
    atLeast(what('read by id'), await ratioOf(read), 0.99, ''),
  ]
}
