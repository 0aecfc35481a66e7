import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { migrations } from '../../subgraphs/all.ts'
import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { openServices } from '../../subgraphs/kernel/services.ts'
import { freshDatabase, type FreshDatabase } from '../fresh-database.ts'
import { usePlatform } from '../platform.ts'
import { aProcess, aSecondProcess } from '../processes.ts'

const patience = { timeout: 60_000, interval: 20 }

interface Prepared {
  readonly environment: Readonly<Record<string, string>>
  readonly organizationId: string
  readonly secret: string
}

/** Creates an API key directly in the database, without a process that assigns positions to events. */
async function prepared({ url }: FreshDatabase): Promise<Prepared> {
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-event-log-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  const environment = { DATABASE_URL: url, DATA_DIR: dataDir, DEMO: 'off', IP_LIMITS: 'off', LOG_LEVEL: 'warn' }
  const services = await openServices({ config: readConfig(environment), migrations, log: pino({ level: 'silent' }) })
  const { id: organizationId } = await createOrganization(services, { name: 'Acme' })
  const user = { email: 'ann@example.com', name: 'Ann Lee', role: 'MEMBER', visibility: 'ALL' } as const
  const { id: ownerId } = await createUser(services, organizationId, user)
  const rateLimit = { limit: 1_000_000, window: 'HOUR' } as const
  const { secret } = await createApiKey(services, organizationId, { ownerId, name: 'test', scopes: ['*'], rateLimit })
  await services.close()
  return { environment, organizationId, secret }
}

const create = (url: string, secret: string, name: string): Promise<{ id: string } | null> =>
  fetch(`${url}/v1/accounts`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  }).then(
    (answer) => (answer.status === 201 ? (answer.json() as Promise<{ id: string }>) : null),
    () => null,
  )

it('kill -9 while events are written and get positions loses no event, duplicates none and leaves no gap', async () => {
  const fresh = await freshDatabase()
  onTestFinished(() => fresh.drop())
  const { environment, organizationId, secret } = await prepared(fresh)
  const server = await aProcess(['bin/run', 'main'], environment)
  onTestFinished(() => server.kill())

  const answered: string[] = []
  for (const kills of [5, 40, 120]) {
    await server.start()
    const end = answered.length + kills
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let record = await create(server.url, secret, `A${writer}`); record;) {
        answered.push(record.id)
        record = await create(server.url, secret, `A${writer}`)
      }
    })
    await vi.waitFor(() => expect(answered.length).toBeGreaterThanOrEqual(end), patience)
    await server.kill()
    await Promise.all(writing)
  }
  await server.start()
  const pending = () => fresh.database.query('select 1 from kernel.event_pending')
  await vi.waitFor(async () => expect(await pending()).toEqual([]), patience)

  const logged = await fresh.database.query<{ position: number; eventId: string }>(
    'select position, event_id as "eventId" from kernel.event_log where organization_id = $1 order by position',
    [organizationId],
  )
  const events = await fresh.database.query<{ id: string; recordId: string }>(
    'select id, record_id as "recordId" from kernel.event where organization_id = $1',
    [organizationId],
  )
  expect(logged.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1))
  expect(logged.map(({ eventId }) => eventId).sort()).toEqual(events.map(({ id }) => id).sort())
  const announced = new Set(events.map(({ recordId }) => recordId))
  expect(answered.filter((id) => !announced.has(id))).toEqual([])
  expect(await server.stop()).toBe(0)
})

const platform = usePlatform()

it('a reader wakes within milliseconds after another process commits', async () => {
  const member = await platform.member()
  const { events } = platform.services
  const { organizationId } = member
  const other = await aSecondProcess(platform)
  onTestFinished(() => other.kill())
  await other.start()
  let woken = Promise.withResolvers<void>()
  onTestFinished(events.watch(organizationId, () => woken.resolve()))
  // The first wake may come from the connection that starts to listen.
  await woken.promise
  const pending = () => platform.query('select 1 from kernel.event_pending')
  await vi.waitFor(async () => expect(await pending()).toEqual([]), patience)
  const took: number[] = []
  for (let round = 0; round < 11; round++) {
    const before = await events.latest(organizationId)
    woken = Promise.withResolvers()
    expect(await create(other.url, member.secret, 'Elsewhere')).not.toBeNull()
    const answered = performance.now()
    while ((await events.latest(organizationId)) === before) {
      await woken.promise
      woken = Promise.withResolvers()
    }
    took.push(performance.now() - answered)
    const [event] = await events.read(organizationId, { after: before, limit: 10 })
    expect(event).toMatchObject({ position: before + 1, type: 'account.created' })
  }
  // Without a wake, the average delay would be half a second.
  expect(took.sort((one, next) => one - next)[5]).toBeLessThan(100)
  expect(await other.stop()).toBe(0)
})
