import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import { deliveryQueue } from '../../subgraphs/events/delivery/delivery-queue.ts'
import { newBody } from '../../subgraphs/events/delivery/delivery-body.ts'
import { queueDeliveries, type NewDelivery } from '../../subgraphs/events/delivery/new-delivery.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { LaneWorker } from '../../subgraphs/kernel/queue/lane-worker.ts'
import { leaseShares, newLaneState } from '../../subgraphs/kernel/queue/lease-shares.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { BenchOptions } from './options.ts'
import { startProject, type Server } from './processes.ts'
import { median } from './measure.ts'
import { atLeast, atMost, type Finding } from './report.ts'
import { openAdministrator, type Tenant } from './tenants.ts'

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!

/** The figures of webhook deliveries. */
export async function measureDelivery(
  services: OpenServices,
  dataDir: string,
  { deliveries }: BenchOptions,
): Promise<Finding[]> {
  const receiver = await Receiver.start()
  const findings: Finding[] = []
  const measure = async (work: () => Promise<Finding[]>): Promise<void> => {
    const found = await work()
    for (const { what, figure } of found) console.error(`${what}: ${figure}`)
    findings.push(...found)
    await receiver.latencies()
    await services.database.query('truncate events.delivery_queue, events.delivery, events.delivery_body')
  }
  try {
    await measure(() => deliveriesPerSecond(services, receiver, deliveries.sent))
    const project = await startProject({ dataDir, services, environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } })
    try {
      await measure(() => costOfWrites(services, project, receiver))
      await measure(() => latency(services, project, receiver, deliveries.seconds))
    } finally {
      await project.stop()
    }
    await measure(() => claims(services, deliveries.pending))
  } finally {
    receiver.stop()
  }
  return findings
}

const patienceMs = 60_000

class Receiver {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<Receiver> {
    const child = fork(join(import.meta.dirname, 'receiver-process.ts'), { execArgv: [] })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new Receiver(child, `http://127.0.0.1:${port}`)
  }

  /** Milliseconds from the event to the request, of the requests since the last call. */
  async latencies(): Promise<number[]> {
    this.child.send('report')
    const [{ latencies }] = (await once(this.child, 'message')) as [{ latencies: number[] }]
    return latencies
  }

  /** Like `latencies`, when so many requests have arrived. */
  async all(count: number): Promise<number[]> {
    const found: number[] = []
    const startedMs = performance.now()
    while (found.length < count) {
      if (performance.now() - startedMs > patienceMs)
        throw new Error(`The receiver must get ${count} requests; it got ${found.length}.`)
      await delay(100)
      found.push(...(await this.latencies()))
    }
    return found
  }

  stop(): void {
    this.child.kill()
  }
}

const itemsAtOnce = 50_000
const fillQueue = `
  insert into events.delivery_queue (organization_id, id, webhook_id, event_id, event_type, event_version, body_id, body_bytes, attempts_max, retry_delay_seconds,
    is_replay, is_test)
  select o.id, gen_random_uuid(), md5(o.id::text || e)::uuid, gen_random_uuid(), 'account.created', 1, gen_random_uuid(), 0, 4, 60, false, false
  from unnest($1::uuid[]) o(id), generate_series(1, $2) e, generate_series(1, $3)`

/** Time of one lease with many pending items: of many endpoints, and of one endpoint. */
export async function claims({ database }: OpenServices, pending: number): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [what, organizations, endpoints] of [
    ['10,000 endpoints of 1,000 organizations', 1_000, 10],
    ['one endpoint', 1, 1],
  ] as const) {
    await database.query('truncate events.delivery_queue')
    const each = pending / organizations / endpoints
    const ids = Array.from({ length: organizations }, newId)
    for (let left = each; left > 0; left -= itemsAtOnce) {
      for (let at = 0; at < organizations; at += 100) {
        await database.query(fillQueue, [ids.slice(at, at + 100), endpoints, Math.min(left, itemsAtOnce)])
      }
    }
    await database.query('analyze events.delivery_queue')
    const state = newLaneState()
    const times: number[] = []
    let items = 0
    for (let n = 0; n < 300; n++) {
      const startedMs = performance.now()
      const leased = await leaseShares(database, deliveryQueue, 'fresh', 64, state)
      times.push(performance.now() - startedMs)
      items += leased.items.length
      await database.query(
        'delete from events.delivery_queue where organization_id = any($1::uuid[]) and id = any($2::uuid[])',
        [leased.items.map(({ organizationId }) => organizationId), leased.items.map(({ id }) => id)],
      )
    }
    const detail = `p50 ${median(times).toFixed(1)} ms, ${Math.round(items / times.length)} items each`
    console.error(what, detail, `p95 ${percentile(times, 0.95).toFixed(1)} max ${Math.max(...times).toFixed(1)}`)
    findings.push(
      atMost(
        `Claim from ${pending.toLocaleString('en')} pending deliveries to ${what}: p95`,
        percentile(times, 0.95),
        10,
        ' ms',
        detail,
      ),
    )
  }
  return findings
}

const webhooksMeasured = 4

/** One worker, compared with a loop that only posts the same bodies. */
async function deliveriesPerSecond(services: OpenServices, receiver: Receiver, count: number): Promise<Finding[]> {
  const tenant = await openAdministrator(services)
  const body = JSON.stringify({
    id: `evt_${newId()}`,
    occurredAt: new Date().toISOString(),
    data: { text: 'x'.repeat(1_400) },
  })
  const webhooks = await addWebhooks(services, tenant, receiver, webhooksMeasured, ['account.deleted'])
  const ratios: number[] = []
  let [own, bare] = [0, 0]
  for (let round = 0; round < 3; round++) {
    const queued = Array.from({ length: count }, (_, n): NewDelivery => ({
      organizationId: tenant.organizationId,
      webhookId: webhooks[n % webhooks.length]!,
      eventId: newId(),
      eventType: 'account.created',
      eventVersion: 1,
      body: newBody(body),
      attemptsMax: 4,
      retryDelaySeconds: 60,
    }))
    await queueDeliveries(services.database, queued)
    await services.database.query('analyze events.delivery_queue')
    let startedMs = performance.now()
    await new LaneWorker(deliveryQueue, services, 'fresh').drain()
    own = (count * 1000) / (performance.now() - startedMs)
    startedMs = performance.now()
    await bareLoop(receiver.url, body, count)
    bare = (count * 1000) / (performance.now() - startedMs)
    ratios.push(own / bare)
  }
  await receiver.all(count * 6)
  const detail = `${Math.round(own)} of ${Math.round(bare)} per second`
  return [atLeast('Deliveries per second of one worker, as a share of a bare undici loop', median(ratios), 0.4, detail)]
}

async function bareLoop(url: string, body: string, count: number): Promise<void> {
  const pool = new Pool(url, { connections: 64 })
  let left = count
  const post = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await pool.request({
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/json' },
        body,
      })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: 64 }, post))
  await pool.close()
}

/** The webhooks are written directly, because the bench has no session of their owner. */
async function addWebhooks(
  { database, vault }: OpenServices,
  { organizationId, ownerId }: Tenant,
  receiver: Receiver,
  count: number,
  events: readonly string[],
): Promise<string[]> {
  await vault.load(organizationId)
  const ids = Array.from({ length: count }, newId)
  for (const id of ids) {
    const secret = vault.seal(
      organizationId,
      `events.webhook/${organizationId}/${id}/secret`,
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    )
    await database.query(
      `insert into events.webhook (organization_id, id, owner_id, name, url, events, is_enabled, payload_version, retry_attempts,
         retry_delay_seconds, headers, debounce_seconds, skip_own, sealed_secret, version, created_at, updated_at)
       values ($1, $2, $3, 'Bench', $4, $5, true, 2, 3, 60, '{}', 0, false, $6, 1, now(), now())`,
      [organizationId, id, ownerId, receiver.url, events, secret],
    )
  }
  return ids
}

const create = async ({ port }: Server, { secret }: Tenant): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${port}/v1/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': secret },
    body: JSON.stringify({ name: 'Bench', industry: 'Shipping', phone: '+47 22 00 00 00' }),
  })
  await response.text()
  if (response.status !== 201) throw new Error(`POST /v1/accounts answered ${response.status}.`)
}

const writes = 300
/** Time for the deliveries of a write before the next write is measured. */
const betweenWritesMs = 25

/** The time of a write in an organization without webhooks and in one with three that want it, in turns. */
async function costOfWrites(services: OpenServices, project: Server, receiver: Receiver): Promise<Finding[]> {
  const [without, withWebhooks] = [await openAdministrator(services), await openAdministrator(services)]
  await addWebhooks(services, withWebhooks, receiver, 3, ['account.created'])
  const times = new Map<Tenant, number[]>([
    [without, []],
    [withWebhooks, []],
  ])
  for (let n = 0; n < writes; n++) {
    for (const [tenant, seen] of times) {
      const startedMs = performance.now()
      await create(project, tenant)
      if (n >= writes / 6) seen.push(performance.now() - startedMs)
      await delay(betweenWritesMs)
    }
  }
  await receiver.all(writes * 3)
  const [none, three] = [median(times.get(without)!), median(times.get(withWebhooks)!)]
  const detail = `${three.toFixed(2)} ms and ${none.toFixed(2)} ms`
  return [atMost('Write with 3 webhooks, as a multiple of a write without', three / none, 1.15, '', detail)]
}

const eventsPerSecond = 300
/** A machine that is too slow for the rate gets fewer events; the finding says how many. */
const inFlightMax = 32

/** Creates accounts at the rate of `eventsPerSecond`. Returns the rate that was reached. */
async function createAtRate(project: Server, tenant: Tenant, count: number): Promise<number> {
  const startedMs = performance.now()
  const sent: Promise<void>[] = []
  let open = 0
  while (sent.length < count) {
    const dueCount = Math.min(count, Math.floor(((performance.now() - startedMs) * eventsPerSecond) / 1000))
    while (sent.length < dueCount && open < inFlightMax) {
      open++
      sent.push(create(project, tenant).finally(() => open--))
    }
    await delay(2)
  }
  await Promise.all(sent)
  return Math.round((count * 1000) / (performance.now() - startedMs))
}

/** A process is slow in its first seconds. */
const warmUpSeconds = 8

/** From the time of the event, which is a little before its commit, to its request, while one process does everything. */
async function latency(
  services: OpenServices,
  project: Server,
  receiver: Receiver,
  seconds: number,
): Promise<Finding[]> {
  const tenant = await openAdministrator(services)
  await addWebhooks(services, tenant, receiver, 1, ['account.created'])
  await createAtRate(project, tenant, eventsPerSecond * warmUpSeconds)
  await receiver.all(eventsPerSecond * warmUpSeconds)
  const count = eventsPerSecond * seconds
  const perSecond = await createAtRate(project, tenant, count)
  await delay(2_000)
  const latencies = await receiver.latencies()
  if (latencies.length !== count)
    throw new Error(`The receiver must get ${count} requests; it got ${latencies.length}.`)
  const what = `From the event to its first byte at ${eventsPerSecond} events per second`
  return [
    atMost(`${what}: p50`, median(latencies), 25, ' ms', `${perSecond} per second`),
    atMost(`${what}: p95`, percentile(latencies, 0.95), 250, ' ms'),
  ]
}
