import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Database } from '../database/database.ts'
import type { Sql } from '../database/sql.ts'
import { TenantDatabase } from '../database/tenant-database.ts'
import { newId } from '../ids.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import { Values } from '../record/predicate.ts'
import { asSystem, systemContext, type Services } from '../request.ts'
import { EventLog, eventsThrough } from './event-log.ts'
import { EventRelay } from './event-relay.ts'
import { eventInsert, eventJson, manyEventsInsert } from './event.ts'

const now = '2027-03-01T12:00:00.000Z'
let fresh: FreshDatabase
let services: Services
let tenants: TenantDatabase
let log: EventLog
const closers: (() => unknown)[] = []

beforeEach(async () => {
  fresh = await freshDatabase({ hasOwnEvents: true })
  services = servicesOf(fresh.database, manualClock(now))
  tenants = new TenantDatabase({ url: fresh.url, guard: fresh.database.guard })
  log = new EventLog({ tenants, databaseUrl: fresh.url, log: services.log })
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await log.close()
  await tenants.close()
  await fresh.drop()
})

/** A separate connection, like that of another process. */
function connection(): Database {
  const database = new Database({ url: fresh.url, connectionsMax: 1 })
  closers.push(() => database.close())
  return database
}

function relay(): EventRelay {
  const running = new EventRelay(connection(), services.log)
  running.start()
  closers.push(() => running.close())
  return running
}

const assign = (sql: Sql = fresh.database, batch = 1000) =>
  sql.query('select kernel.assign_event_positions($1)', [batch])

/** One statement that writes an event for each of the types. */
async function write(organizationId: string, types: readonly string[], sql: Sql = fresh.database, recordId = newId()) {
  const ctx = systemContext(services, organizationId)
  const values = new Values()
  const events = types.map((type) => ({ type, version: 1, object: type.split('.')[0]!, recordId, data: { type } }))
  await sql.query(eventInsert(ctx, values, events), values.list)
  return recordId
}

describe('what the platform stores of the origin of an event', () => {
  const origin = { kind: 'WORKFLOW', id: newId(), runId: 'run-1' }
  const stored = (organizationId: string) =>
    fresh.database.query(
      'select operation_id, origin, depth from kernel.event where organization_id = $1 order by type',
      [organizationId],
    )

  it('is the operation, the automation and its depth', async () => {
    const ctx = systemContext({ ...services, operationId: 'case.autoClose/run-2' }, newId())
    const automated = { ...ctx, caller: { ...ctx.caller, origin, depth: 2 } }
    const event = (type: string) => ({ type, version: 1, object: 'case', recordId: newId(), data: {} })
    const first = new Values()
    await fresh.database.query(eventInsert(automated, first, [event('a'), event('b')]), first.list)
    const second = new Values()
    const many = [event('c'), event('d')]
    const written = `(select unnest(${second.add(many.map(({ recordId }) => recordId))}::uuid[]) as id)`
    await fresh.database.query(manyEventsInsert(automated, second, many.map(eventJson), written), second.list)
    const nested = asSystem(automated, ctx.caller.organizationId)
    const third = new Values()
    await fresh.database.query(eventInsert(nested, third, [event('e')]), third.list)
    expect(await stored(ctx.caller.organizationId)).toEqual(
      Array.from({ length: 5 }, () => ({ operation_id: 'case.autoClose/run-2', origin, depth: 2 })),
    )
  })

  it('is the request and no automation by default', async () => {
    const ctx = systemContext(services, newId())
    const values = new Values()
    const event = { type: 'a', version: 1, object: 'case', recordId: newId(), data: {} }
    await fresh.database.query(eventInsert({ ...ctx, requestId: 'req_1' }, values, [event]), values.list)
    expect(await stored(ctx.caller.organizationId)).toEqual([{ operation_id: 'req_1', origin: null, depth: 0 }])
  })
})

const all = { after: 0, limit: 10_000 }
const read = async (organizationId: string) =>
  (await log.read(organizationId, all)).map(({ position, type }) => [position, type])

describe('positions', () => {
  it('are 1, 2, 3 … in each organization, in the order of the statement', async () => {
    const [one, other] = [newId(), newId()]
    await write(one, ['a.first', 'a.second', 'a.third'])
    await write(other, ['a.alone'])
    await write(one, ['a.fourth'])
    expect([await read(one), await log.latest(one)]).toEqual([[], 0])
    await assign()
    expect(await read(one)).toEqual([
      [1, 'a.first'],
      [2, 'a.second'],
      [3, 'a.third'],
      [4, 'a.fourth'],
    ])
    expect(await read(other)).toEqual([[1, 'a.alone']])
    expect([await log.latest(one), await log.latest(other), await log.latest(newId())]).toEqual([4, 1, 0])
  })

  it('continue across batches that are smaller than a statement', async () => {
    const organization = newId()
    const types = Array.from({ length: 7 }, (_, index) => `a.${index}`)
    await write(organization, types)
    for (let round = 0; round < 3; round++) await assign(fresh.database, 3)
    expect(await read(organization)).toEqual(types.map((type, index) => [index + 1, type]))
  })

  it('follow the order of commits: an event that commits late is not lost, and no other event waits for it', async () => {
    const [one, other] = [newId(), newId()]
    const late = connection()
    const wrote = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const committing = late.transaction(async (sql) => {
      await write(one, ['a.late', 'a.later'], sql)
      wrote.resolve()
      await mayCommit.promise
    })
    await wrote.promise
    await write(one, ['a.early'])
    await write(other, ['a.other'])
    await assign()
    expect([await read(one), await read(other)]).toEqual([[[1, 'a.early']], [[1, 'a.other']]])
    mayCommit.resolve()
    await committing
    await assign()
    expect(await read(one)).toEqual([
      [1, 'a.early'],
      [2, 'a.late'],
      [3, 'a.later'],
    ])
  })

  it('are not assigned to events that were rolled back', async () => {
    const organization = newId()
    const undone = fresh.database.transaction(async (sql) => {
      await write(organization, ['a.undone'], sql)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await write(organization, ['a.kept'])
    await assign()
    expect(await read(organization)).toEqual([[1, 'a.kept']])
  })

  it('are assigned exactly once by several concurrent relays, while events are written', async () => {
    const organizations = [newId(), newId(), newId()]
    const relays = [relay(), relay(), relay()]
    const rounds = 40
    await Promise.all(
      organizations.flatMap((organization) =>
        ['x', 'y'].map(async (writer) => {
          const sql = connection()
          for (let round = 0; round < rounds; round++) {
            await write(organization, [`a.${writer}${round}`, `a.${writer}${round}b`], sql)
            for (const each of relays) each.wake()
          }
        }),
      ),
    )
    const expected = 2 * 2 * rounds
    for (const organization of organizations) {
      await vi.waitFor(async () => expect(await log.latest(organization)).toBe(expected), { timeout: 20_000 })
      const events = await log.read(organization, all)
      expect(events.map(({ position }) => position)).toEqual(Array.from({ length: expected }, (_, index) => index + 1))
      expect(new Set(events.map(({ type }) => type)).size).toBe(expected)
      // Events that one writer wrote sequentially keep their order.
      const ofWriter = events.filter(({ type }) => /^a\.x\d+$/.test(type)).map(({ type }) => type)
      expect(ofWriter).toEqual(Array.from({ length: rounds }, (_, index) => `a.x${index}`))
    }
  })

  it('are also assigned by a relay that is not woken', async () => {
    const organization = newId()
    relay()
    await write(organization, ['a.first'])
    await vi.waitFor(async () => expect(await read(organization)).toEqual([[1, 'a.first']]), { timeout: 10_000 })
  })
})

describe('read', () => {
  it('returns events after a position, of one object or one record, up to the limit', async () => {
    const [organization, stranger] = [newId(), newId()]
    const mine = await write(organization, ['account.created'])
    await write(organization, ['account.created', 'account.updated'])
    await write(organization, ['case.created'])
    await write(organization, ['account.updated'], fresh.database, mine)
    await write(stranger, ['account.created'], fresh.database, mine)
    await assign()
    const positions = async (more: object) =>
      (await log.read(organization, { ...all, ...more })).map(({ position }) => position)
    expect(await positions({})).toEqual([1, 2, 3, 4, 5])
    expect(await positions({ after: 2, limit: 2 })).toEqual([3, 4])
    expect(await positions({ object: 'case' })).toEqual([4])
    expect(await positions({ object: 'account', recordId: mine })).toEqual([1, 5])
    expect(await positions({ object: 'account', recordId: mine, after: 1 })).toEqual([5])
    expect((await log.read(stranger, all)).map(({ position }) => position)).toEqual([1])
  })

  it('returns the event as it was written', async () => {
    const organization = newId()
    const recordId = await write(organization, ['account.created'])
    await assign()
    const [row] = await fresh.database.query<{ id: string; operationId: string }>(
      'select id, operation_id as "operationId" from kernel.event',
    )
    expect(await log.read(organization, all)).toEqual([
      {
        position: 1,
        id: row!.id,
        type: 'account.created',
        version: 1,
        occurredAt: now,
        object: 'account',
        recordId,
        actorId: null,
        data: { type: 'account.created' },
        origin: null,
        depth: 0,
        operationId: row!.operationId,
      },
    ])
  })
})

describe('watch', () => {
  it('wakes within milliseconds of the commit, and only for that organization', async () => {
    const [organization, stranger] = [newId(), newId()]
    const running = relay()
    const writing = new Database({ url: fresh.url, connectionsMax: 1, onCommit: running.wake })
    closers.push(() => writing.close())
    let woken = Promise.withResolvers<number>()
    let strangerWoken = 0
    log.watch(stranger, () => (strangerWoken += 1))
    const end = log.watch(organization, () => woken.resolve(performance.now()))
    // The first wake may come from the start of LISTEN.
    await woken.promise
    strangerWoken = 0
    const took: number[] = []
    for (let round = 0; round < 20; round++) {
      woken = Promise.withResolvers<number>()
      await writing.transaction((sql) => write(organization, ['a.first'], sql).then(() => undefined))
      const committed = performance.now()
      took.push((await woken.promise) - committed)
      expect(await log.latest(organization)).toBe(round + 1)
    }
    took.sort((one, next) => one - next)
    expect(took[10]).toBeLessThan(100)
    expect(strangerWoken).toBe(0)
    end()
  })

  it('wakes all watchers when it listens again after its connection was lost', async () => {
    const organization = newId()
    let wakes = 0
    onTestFinished(log.watch(organization, () => void (wakes += 1)))
    await vi.waitFor(() => expect(wakes).toBe(1), { timeout: 10_000 })
    await fresh.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen%'`,
    )
    await vi.waitFor(() => expect(wakes).toBe(2), { timeout: 10_000 })
  })
})

describe('eventsThrough', () => {
  it('reads only the events of its positions, also in an organization that the statistics do not know', async () => {
    await fresh.database.query('alter table kernel.event_other set (autovacuum_enabled = false)')
    for (let n = 0; n < 50; n++) await write(newId(), Array<string>(20).fill('account.created'))
    await assign()
    await fresh.database.query('analyze kernel.event, kernel.event_log')
    const organizationId = newId()
    const many = 3_000
    await write(organizationId, Array<string>(many).fill('account.created'))
    await assign(fresh.database, many)
    const range = { after: many - 8, through: many, types: ['account.created'] }
    const fetched = await connection().transaction(async (sql) => {
      expect((await eventsThrough(sql, organizationId, range)).events).toHaveLength(8)
      const [row] = await sql.query<{ fetched: number }>(
        `select sum(idx_tup_fetch + seq_tup_read)::int as fetched from pg_stat_xact_user_tables
         where relid in (select inhrelid from pg_inherits where inhparent = 'kernel.event'::regclass)`,
      )
      return row!.fetched
    })
    // The first of them is looked up once more.
    expect(fetched).toBe(9)
  })
})
