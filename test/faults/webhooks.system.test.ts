import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Database } from '../../subgraphs/kernel/database/database.ts'
import { startEmbeddedPostgres } from '../../subgraphs/kernel/database/embedded.ts'
import { freshDatabase } from '../fresh-database.ts'
import type { Process } from '../processes.ts'
import { startRedis } from '../redis-server.ts'
import { aFolder, CountingReceiver, patience, prepared, rounds, slowMs } from './webhook-faults.ts'
import {
  anApi,
  aWorker,
  expectAgain,
  expectAllDelivered,
  killWhileDelivering,
  killWhileWriting,
  report,
} from './webhook-kills.ts'
import { Load, subscribe } from './webhook-load.ts'

// The embedded server gives up when it has ended six times in a row within a minute each.
const [apiKills, workerKills, restarts] = [2 * rounds, rounds === 1 ? 2 : 4 * rounds, rounds === 1 ? 1 : 5]

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
    const load = new Load(api.url, secret, receiver)
    const [interrupted] = await Promise.all([
      killWhileDelivering(worker, receiver, workerKills),
      killWhileWriting(api, load, apiKills),
    ])
    await load.stop()
    await expectAllDelivered(fresh.database, receiver, load)
    // Some requests were cut off, and some were refused without an effect.
    expect([...load.outcomes.keys()]).toEqual(expect.arrayContaining(['201', '409', 'no answer']))
    // Among many kills of the API, some are between the commit and the answer.
    if (rounds >= 10) expect(load.found.length).toBeGreaterThan(0)
    report(`${apiKills} kills of the API, ${workerKills} of the worker`, load, expectAgain(receiver, interrupted))
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
    const load = new Load(api.url, secret, receiver)
    const parts: Process[] = [api, worker]
    for (let round = 0; round < restarts; round++) {
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
    const expected = /^(?:20[01]|40[49]|503 Retry-After [1-9]\d*)$/
    expect([...load.outcomes.keys()].filter((outcome) => !expected.test(outcome))).toEqual([])
    report(`${restarts} restarts of PostgreSQL and of Redis`, load)
    expect(await Promise.all(parts.map((part) => part.stop()))).toEqual([0, 0])
  })
})
