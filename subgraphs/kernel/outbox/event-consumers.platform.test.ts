import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Database } from '../database/database.ts'
import type { Sql } from '../database/sql.ts'
import { newId } from '../ids.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import { Values } from '../record/predicate.ts'
import { systemContext, type Services } from '../request.ts'
import { consumeNext } from './consume-events.ts'
import type { EventBatch, EventConsumer } from './event-consumer.ts'
import { EventConsumers } from './event-consumers.ts'
import { EventRelay } from './event-relay.ts'
import { eventInsert } from './event.ts'

let fresh: FreshDatabase
let services: Services
const closers: (() => unknown)[] = []

beforeEach(async () => {
  fresh = await freshDatabase({ hasOwnEvents: true })
  services = servicesOf(fresh.database, manualClock('2027-03-01T12:00:00.000Z'))
  await fresh.database.query(
    'create table effect (organization_id uuid, position bigint, type text, primary key (organization_id, position))',
  )
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await fresh.drop()
})

/** A consumer that writes one row for each event. */
function aConsumer(changes: Partial<EventConsumer> = {}): EventConsumer {
  return { name: 'test', batch: 100, gatherMs: 0, types: () => Promise.resolve('ALL'), consume: noteAll, ...changes }
}

async function noteAll(_: Services, sql: Sql, { organizationId, events }: EventBatch): Promise<void> {
  for (const { position, type } of events)
    await sql.query('insert into effect values ($1, $2, $3)', [organizationId, position, type])
}

async function write(organizationId: string, types: readonly string[], sql: Sql = fresh.database): Promise<void> {
  const values = new Values()
  const events = types.map((type) => ({ type, version: 1, object: 'a', recordId: newId(), data: { type } }))
  await sql.query(eventInsert(systemContext(services, organizationId), values, events), values.list)
}

async function logged(types: readonly string[]): Promise<string> {
  const organizationId = newId()
  await write(organizationId, types)
  await fresh.database.query('select kernel.assign_event_positions(10000)')
  return organizationId
}

const effects = async (organizationId: string) =>
  (
    await fresh.database.query<{ position: number; type: string }>(
      'select position, type from effect where organization_id = $1 order by position',
      [organizationId],
    )
  ).map(({ position, type }) => `${position} ${type}`)

const progress = async (organizationId: string) =>
  (
    await fresh.database.query<{ position: number; failures: number }>(
      'select position, failures from kernel.event_consumer where organization_id = $1',
      [organizationId],
    )
  )[0]

/** Processes all batches that are due, as one process does. */
async function consumeAll(consumer: EventConsumer, organizationId: string): Promise<void> {
  while (await consumeNext(services, consumer, organizationId));
}

/** Clearly in the past: the clocks of two connections may differ by some microseconds. */
const retryNow = () => fresh.database.query(`update kernel.event_consumer set retry_at = now() - interval '1 minute'`)

describe('an event consumer', () => {
  it('processes every event once, in the order of positions, in batches', async () => {
    const types = Array.from({ length: 7 }, (_, index) => `a.${index}`)
    const organizationId = await logged(types)
    const sizes: number[] = []
    const consumer = aConsumer({
      batch: 3,
      consume: (...args) => {
        sizes.push(args[2].events.length)
        return noteAll(...args)
      },
    })
    await consumeAll(consumer, organizationId)
    await consumeAll(consumer, organizationId)
    expect(await effects(organizationId)).toEqual(types.map((type, index) => `${index + 1} ${type}`))
    expect(sizes).toEqual([3, 3, 1])
  })

  it('gets the events of its types only, with whole data, and passes over the others', async () => {
    const organizationId = await logged(['a.wanted', 'a.other', 'a.wanted', 'a.other'])
    const seen: unknown[] = []
    const consumer = aConsumer({
      types: () => Promise.resolve(['a.wanted']),
      consume: (_, __, { events }) => Promise.resolve(void seen.push(...events.map(({ data }) => data))),
    })
    await consumeAll(consumer, organizationId)
    expect(seen).toEqual([{ type: 'a.wanted' }, { type: 'a.wanted' }])
    expect(await progress(organizationId)).toEqual({ position: 4, failures: 0 })
  })

  it('gets the events of its types for which its condition holds', async () => {
    const organizationId = await logged(['a.wanted', 'a.other', 'a.third', 'a.wanted'])
    const consumer = aConsumer({
      types: () => Promise.resolve(['a.wanted', 'a.other']),
      condition: `e.data->>'type' = 'a.missing' or e.data->>'type' = 'a.wanted'`,
    })
    await consumeAll(consumer, organizationId)
    expect(await effects(organizationId)).toEqual(['1 a.wanted', '4 a.wanted'])
    expect(await progress(organizationId)).toEqual({ position: 4, failures: 0 })
  })

  it('finds the few events of its types among many others', async () => {
    const organizationId = await logged(
      Array.from({ length: 90 }, (_, index) => ([41, 42, 88].includes(index + 1) ? 'a.wanted' : 'a.other')),
    )
    const consumer = aConsumer({ batch: 30, types: () => Promise.resolve(['a.wanted']) })
    await consumeAll(consumer, organizationId)
    expect(await effects(organizationId)).toEqual(['41 a.wanted', '42 a.wanted', '88 a.wanted'])
    expect(await progress(organizationId)).toEqual({ position: 90, failures: 0 })
  })

  it('that needs no type moves to the end of the log at once', async () => {
    const organizationId = await logged(Array.from({ length: 9 }, () => 'a.other'))
    const consumer = aConsumer({
      batch: 2,
      types: () => Promise.resolve([]),
      consume: () => Promise.reject(new Error()),
    })
    expect(await consumeNext(services, consumer, organizationId)).toBe(false)
    expect(await progress(organizationId)).toEqual({ position: 9, failures: 0 })
  })

  it('stores its position with its effects: neither exists when its connection is killed before the commit', async () => {
    const organizationId = await logged(['a.one', 'a.two'])
    const killed = new Database({ url: fresh.url, connectionsMax: 1 })
    closers.push(() => killed.close())
    const dying = aConsumer({
      consume: async (each, sql, batch) => {
        await noteAll(each, sql, batch)
        const [backend] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid')
        const other = new Database({ url: fresh.url, connectionsMax: 1, guard: fresh.database.guard })
        await new Promise<void>((resolve, reject) => {
          other.pool.query('select pg_terminate_backend($1)', [backend!.pid]).then(() => resolve(), reject)
        })
        await other.close()
      },
    })
    await expect(consumeNext({ ...services, database: killed }, dying, organizationId)).rejects.toThrow()
    expect([await effects(organizationId), await progress(organizationId)]).toEqual([[], undefined])
    await consumeAll(aConsumer(), organizationId)
    expect(await effects(organizationId)).toEqual(['1 a.one', '2 a.two'])
  })

  it('works on an organization in one process at a time', async () => {
    const organizationId = await logged(['a.one'])
    const begun = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const slow = aConsumer({
      consume: async (...args) => {
        begun.resolve()
        await mayEnd.promise
        await noteAll(...args)
      },
    })
    await consumeNext(services, aConsumer({ name: 'prepared' }), organizationId)
    await fresh.database.query('delete from effect')
    await fresh.database.query(`update kernel.event_consumer set name = 'test', position = 0`)
    const running = consumeNext(services, slow, organizationId)
    await begun.promise
    expect(await consumeNext(services, aConsumer(), organizationId)).toBe(false)
    mayEnd.resolve()
    await running
    expect(await effects(organizationId)).toEqual(['1 a.one'])
  })

  it('tries an event that fails alone, again later, and passes over it after six failures', async () => {
    const organizationId = await logged(['a.one', 'a.bad', 'a.three'])
    const tried: string[] = []
    const failing = aConsumer({
      consume: async (each, sql, batch) => {
        tried.push(batch.events.map(({ type }) => type).join())
        await noteAll(each, sql, batch)
        if (batch.events.some(({ type }) => type === 'a.bad')) throw new TypeError('bad')
      },
    })
    await consumeAll(failing, organizationId)
    expect(await effects(organizationId)).toEqual(['1 a.one'])
    expect(await progress(organizationId)).toEqual({ position: 1, failures: 1 })
    for (let attempt = 2; attempt <= 5; attempt++) {
      await retryNow()
      await consumeAll(failing, organizationId)
      expect(await progress(organizationId)).toEqual({ position: 1, failures: attempt })
    }
    await retryNow()
    await consumeAll(failing, organizationId)
    expect(await effects(organizationId)).toEqual(['1 a.one', '3 a.three'])
    expect(tried).toEqual(['a.one,a.bad,a.three', 'a.one', ...Array.from({ length: 6 }, () => 'a.bad'), 'a.three'])
  })
})

describe('EventConsumers', () => {
  const patience = { timeout: 10_000 }

  async function start(consumers: readonly EventConsumer[]): Promise<void> {
    const relayDatabase = new Database({ url: fresh.url, connectionsMax: 1 })
    const relay = new EventRelay(relayDatabase, services.log)
    relay.start()
    const running = await EventConsumers.start(services, fresh.url, consumers)
    closers.push(
      () => relayDatabase.close(),
      () => relay.close(),
      () => running.close(),
    )
  }

  it('are woken by the relay for new events of every organization', async () => {
    await start([aConsumer()])
    const [one, other] = [newId(), newId()]
    await write(one, ['a.one'])
    await write(other, ['a.other'])
    await write(one, ['a.two'])
    await vi.waitFor(async () => expect(await effects(one)).toEqual(['1 a.one', '2 a.two']), patience)
    await vi.waitFor(async () => expect(await effects(other)).toEqual(['1 a.other']), patience)
  })

  it('read at their start what was committed while no worker ran', async () => {
    const organizationId = await logged(['a.one', 'a.two'])
    await start([aConsumer({ gatherMs: 50 })])
    await vi.waitFor(async () => expect(await effects(organizationId)).toEqual(['1 a.one', '2 a.two']), patience)
  })

  it('serve organizations in turn: one batch of a long log, then the others', async () => {
    const flood = await logged(Array.from({ length: 40 }, (_, index) => `a.${index}`))
    const others = await Promise.all([logged(['a.small']), logged(['a.small']), logged(['a.small'])])
    const order: string[] = []
    await start([
      aConsumer({
        batch: 1,
        consume: (...args) => {
          order.push(args[2].organizationId)
          return noteAll(...args)
        },
      }),
    ])
    await vi.waitFor(async () => expect(await effects(flood)).toHaveLength(40), patience)
    expect(order.slice(0, 12)).toEqual(expect.arrayContaining(others))
  })
})
