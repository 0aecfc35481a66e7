import { setTimeout as delay } from 'node:timers/promises'
import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { startProject, type Server } from './processes.ts'
import { atMost, type Finding } from './report.ts'

const idleStreams = 2_000
const perOrganization = 5
const settleMs = 10_000
const warmUpOrganizations = 20
const youngRounds = 150
const fanOut = { listeners: 5, subscriptions: 15, eventsPerSecond: 1_000, seconds: 10, batches: 20 }

interface Admin {
  readonly organizationId: string
  readonly userId: string
  readonly secret: string
}

async function anAdmin(services: OpenServices): Promise<Admin> {
  const { id: organizationId } = await createOrganization(services, { name: 'Listening' })
  const email = `u${newId()}@example.com`
  const user = await createUser(services, organizationId, { email, name: 'Ann Lee', role: 'OWNER', visibility: 'ALL' })
  const key = {
    ownerId: user.id,
    name: 'bench',
    scopes: ['*'],
    rateLimit: { limit: 1_000_000, window: 'MINUTE' } as const,
  }
  return { organizationId, userId: user.id, secret: (await createApiKey(services, organizationId, key)).secret }
}

const opened: AbortController[] = []

/** Opens a stream and calls `onText` with what it sends. Resolves when it sends. */
async function open(server: Server, { secret }: Admin, path: string, body: object, onText: (text: string) => void) {
  const leaving = new AbortController()
  opened.push(leaving)
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': secret }
  const url = `http://127.0.0.1:${server.port}${path}`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  const read = async (): Promise<void> => {
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) onText(text)
  }
  read().catch(() => {})
}

async function closeAll(): Promise<void> {
  for (const leaving of opened.splice(0)) leaving.abort()
  await delay(2_000)
}

const listenPath = '/v1/webhooks/listen'
const graphqlPath = '/v1/graphql'
const ignore = (): void => {}

async function openMany(admins: readonly Admin[], openOne: (admin: Admin) => Promise<void>): Promise<void> {
  for (const admin of admins) await Promise.all(Array.from({ length: perOrganization }, () => openOne(admin)))
}

/** Fills the young generation with garbage, which is part of RSS and would otherwise count as memory of the streams. */
async function fillYoungGeneration(server: Server, { secret }: Admin): Promise<void> {
  const headers = { 'x-api-key': secret }
  for (let round = 0; round < youngRounds; round++) {
    const requests = Array.from({ length: 32 }, () => fetch(`http://127.0.0.1:${server.port}/v1/accounts`, { headers }))
    for (const response of await Promise.all(requests)) await response.text()
  }
}

/** RSS of each idle stream. A few streams were opened before, so that what the process loads for the first ones does not count. */
async function measureIdle(
  project: Server,
  name: string,
  admins: readonly Admin[],
  openOne: (admin: Admin) => Promise<void>,
) {
  await openMany(admins.slice(0, warmUpOrganizations), openOne)
  await closeAll()
  await delay(settleMs)
  await fillYoungGeneration(project, admins[0]!)
  const before = project.rssMb()
  await openMany(admins, openOne)
  await fillYoungGeneration(project, admins[0]!)
  await delay(settleMs)
  const kb = ((project.rssMb() - before) * 1024) / idleStreams
  await closeAll()
  return atMost(`RSS of each of 2,000 idle ${name}`, kb, 60, ' KB')
}

/** Publishes custom events at a constant rate and counts what 20 readers of one organization receive. */
async function measureFanOut(project: Server, services: OpenServices): Promise<Finding[]> {
  const admin = await anAdmin(services)
  const delays: number[] = []
  let dropped = 0
  const onText = (): ((text: string) => void) => {
    let rest = ''
    return (text) => {
      const frames = (rest + text).split('\n\n')
      rest = frames.pop()!
      for (const frame of frames) {
        if (frame.startsWith('event: dropped')) dropped++
        const [, sentAt] = /"sentAt":(\d+)/.exec(frame) ?? []
        if (sentAt === undefined) continue
        delays.push(Date.now() - Number(sentAt))
      }
    }
  }
  const query = 'subscription { customEvents { id type occurredAt data } }'
  for (let count = 0; count < fanOut.listeners; count++) await open(project, admin, listenPath, {}, onText())
  for (let count = 0; count < fanOut.subscriptions; count++)
    await open(project, admin, graphqlPath, { query }, onText())
  await delay(1_000)
  const cpuBefore = project.cpuUs()
  const startedAt = performance.now()
  const perBatch = fanOut.eventsPerSecond / fanOut.batches
  for (let number = 0; number < fanOut.seconds * fanOut.batches; number++) {
    await delay(Math.max(0, startedAt + (number * 1_000) / fanOut.batches - performance.now()))
    await services.database.query(
      `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data, actor_id)
       select $1, uuidv7(), 'custom.measured', 1, now(), 'custom_event', uuidv7(),
         jsonb_build_object('sentAt', $2::bigint, 'note', repeat('x', 500)), $3 from generate_series(1, $4::int)`,
      [admin.organizationId, Date.now(), admin.userId, perBatch],
    )
  }
  const readers = fanOut.listeners + fanOut.subscriptions
  const expected = fanOut.eventsPerSecond * fanOut.seconds * readers
  const until = performance.now() + 15_000
  const isMissing = (): boolean => delays.length < expected
  while (isMissing() && performance.now() < until) await delay(50)
  const cores = (project.cpuUs() - cpuBefore) / (performance.now() - startedAt) / 1_000
  await closeAll()
  delays.sort((a, b) => a - b)
  const p95 = delays[Math.floor(delays.length * 0.95)] ?? Infinity
  return [
    atMost(
      `1,000 events/s to ${readers} readers: events that did not arrive`,
      expected - delays.length + dropped,
      0,
      '',
      `of ${expected}`,
    ),
    atMost('1,000 events/s to 20 readers: p95 from insert to reader', p95, 1_000, ' ms', `${cores.toFixed(2)} cores`),
  ]
}

/** Memory of idle streams, and the fan-out of many events to the readers of one organization. */
export async function measureStreams(services: OpenServices, dataDir: string): Promise<Finding[]> {
  // A trusted proxy may have any number of connections.
  const project = await startProject({ dataDir, services, environment: { TRUST_PROXY: '127.0.0.1/32' } })
  try {
    const admins: Admin[] = []
    while (admins.length < idleStreams / perOrganization) admins.push(await anAdmin(services))
    const query = 'subscription { recordChanged(object: ACCOUNT) { type account { name } } }'
    return [
      await measureIdle(project, 'live streams', admins, (admin) => open(project, admin, listenPath, {}, ignore)),
      await measureIdle(project, 'subscriptions over SSE', admins, (admin) =>
        open(project, admin, graphqlPath, { query }, ignore),
      ),
      ...(await measureFanOut(project, services)),
    ]
  } finally {
    await project.stop()
  }
}
