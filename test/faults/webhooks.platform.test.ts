import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import { startEmbeddedPostgres } from '../../subgraphs/kernel/database/embedded.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { freshDatabase } from '../fresh-database.ts'
import { aProcess, type Process } from '../processes.ts'
import { startRedis } from '../redis-server.ts'
import { aFolder, CountingReceiver, Load, prepared, subscribe } from './webhook-faults.ts'

/** `npm run test:faults` runs many more rounds. */
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 1)
const slowMs = 180_000 + rounds * 60_000
const patience = { timeout: 100_000, interval: 50 }
/** A delivery that was under way when its process died is attempted again within this time. */
const againWithinMs = 60_000

async function aPart(command: readonly string[], environment: Readonly<Record<string, string>>, readyText?: string) {
  const part = await aProcess(['bin/run', ...command], environment, readyText)
  onTestFinished(() => part.kill())
  return part
}

const anApi = (environment: Readonly<Record<string, string>>) => aPart(['main', 'gateway'], environment)
const aWorker = (environment: Readonly<Record<string, string>>) =>
  aPart(['worker'], { ...environment, LOG_LEVEL: 'info' }, 'the worker runs')

const ids = async (sql: Sql, query: string): Promise<string[]> =>
  (await sql.query<{ id: string }>(query)).map(({ id }) => id)

/** Everything that was committed is delivered, and nothing else; each event has one id; nothing is left over. */
async function expectAllDelivered(sql: Sql, receiver: CountingReceiver, load: Load): Promise<void> {
  await vi.waitFor(async () => {
    const committed = await ids(sql, `select id from commerce.product`)
    expect(committed.filter((id) => !receiver.acknowledged.has(id))).toEqual([])
    expect(await ids(sql, 'select id from events.delivery_queue')).toEqual([])
  }, patience)
  const committed = await ids(sql, 'select id from commerce.product')
  const known = new Set(committed)
  expect(load.created.filter((id) => !known.has(id))).toEqual([])
  expect([...receiver.eventsOf.keys()].sort()).toEqual(committed.toSorted())
  const events = await ids(sql, `select 'evt_' || id as id from kernel.event where type = 'product.created'`)
  expect([...receiver.eventsOf.values()].flatMap((found) => [...found]).sort()).toEqual(events.toSorted())
  expect(receiver.withoutSelection).toEqual([])
  const open = `select id from events.delivery where status in ('PENDING', 'RETRY_SCHEDULED')`
  expect(await ids(sql, open)).toEqual([])
}

describe('kill -9 under load', { timeout: slowMs }, () => {
  it('of the API and of the worker: events delivered equal records committed, and those under way come again within 60 s', async () => {
    const fresh = await freshDatabase()
    onTestFinished(() => fresh.drop())
    const { environment, secret } = await prepared(fresh.url)
    const [api, worker, receiver] = [
      await anApi(environment),
      await aWorker(environment),
      await CountingReceiver.open(),
    ]
    await Promise.all([api.start(), worker.start()])
    await subscribe(api.url, secret, receiver)
    const load = new Load(api.url, secret)
    const killed: { readonly at: number; readonly eventIds: readonly string[] }[] = []
    const some = async (): Promise<void> => {
      const enough = receiver.acknowledged.size + 40
      await vi.waitFor(() => expect(receiver.acknowledged.size).toBeGreaterThanOrEqual(enough), patience)
    }
    const killWorker = async (): Promise<void> => {
      receiver.hold()
      await vi.waitFor(() => expect(receiver.inFlight.size).toBeGreaterThanOrEqual(5), patience)
      const eventIds = [...receiver.inFlight.values()]
      await worker.kill()
      killed.push({ at: Date.now(), eventIds })
      receiver.release()
      await worker.start()
    }
    const killApi = async (): Promise<void> => {
      const enough = load.created.length + 3
      await vi.waitFor(() => expect(load.created.length).toBeGreaterThanOrEqual(enough), patience)
      await api.kill()
      await api.start()
    }
    for (let round = 0; round < rounds; round++) {
      await some()
      await killApi()
      await some()
      await killWorker()
      await some()
      await Promise.all([killApi(), killWorker()])
    }
    await load.stop()
    await expectAllDelivered(fresh.database, receiver, load)
    // Some requests were cut off, and some were refused without an effect.
    expect([...load.outcomes.keys()]).toEqual(expect.arrayContaining(['201', '409', 'no answer']))
    for (const { at, eventIds } of killed) {
      const waits = eventIds.map((eventId) => {
        const again = receiver.arrivals.find((arrival) => arrival.eventId === eventId && arrival.at > at)
        return again ? again.at - at : Infinity
      })
      expect(waits.filter((wait) => wait > againWithinMs)).toEqual([])
    }
    expect([await api.stop(), await worker.stop()]).toEqual([0, 0])
  })
})

const postmasterOf = (folder: string): number =>
  parseInt(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8'), 10)

/** Resolves when requests are answered with 201 again, after the load had this outcome. */
async function recovered(load: Load): Promise<void> {
  const enough = load.created.length + 20
  await vi.waitFor(() => expect(load.created.length).toBeGreaterThanOrEqual(enough), patience)
}

describe('restarts of what the platform needs, under load', { timeout: slowMs }, () => {
  it('of PostgreSQL and of Redis: 503 with Retry-After meanwhile, then everything is delivered by the same processes', async () => {
    const folder = await aFolder()
    const log = pino({ level: 'silent' })
    const server = await startEmbeddedPostgres({ dataDir: folder, log })
    onTestFinished(() => server.stop())
    let redis = await startRedis()
    onTestFinished(() => redis.stop())
    const { environment, secret } = await prepared(server.url, { REDIS_URL: redis.url })
    const [api, worker, receiver] = [
      await anApi(environment),
      await aWorker(environment),
      await CountingReceiver.open(),
    ]
    await Promise.all([api.start(), worker.start()])
    await subscribe(api.url, secret, receiver)
    const load = new Load(api.url, secret)
    const parts: Process[] = [api, worker]
    for (let round = 0; round < rounds; round++) {
      await recovered(load)
      process.kill(postmasterOf(folder), 'SIGKILL')
      await vi.waitFor(() => expect([...load.outcomes.keys()].join()).toContain('503'), patience)
      await recovered(load)
      await redis.stop()
      await new Promise((resolve) => setTimeout(resolve, 1500))
      redis = await startRedis(redis.port)
      await recovered(load)
    }
    await load.stop()
    const database = new Database({ url: server.url, connectionsMax: 2 })
    onTestFinished(() => database.close())
    await expectAllDelivered(database, receiver, load)
    const expected = /^(?:201|409|503 Retry-After [1-9]\d*)$/
    expect([...load.outcomes.keys()].filter((outcome) => !expected.test(outcome))).toEqual([])
    expect(await Promise.all(parts.map((part) => part.stop()))).toEqual([0, 0])
  })
})
