import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Database } from '../database/database.ts'
import type { Sql } from '../database/sql.ts'
import { newId } from '../ids.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import type { Services } from '../request.ts'
import { lanesDue } from './due-lanes.ts'
import { deleteFinishedItems } from './delete-finished-items.ts'
import { leaseShares, newLaneState } from './lease-shares.ts'
import { untilAborted } from './deadline.ts'
import { drain, ageQueueItems } from './queue.fixture.ts'
import { queueIndexes, sharedQueueColumns } from './queue-table.ts'
import { QueueWorker } from './queue-worker.ts'
import { AttemptNotBegun, type Attempted, type Lane, type Outcome, type Queue, type QueuedItem } from './queue.ts'

interface Delivery extends QueuedItem {
  readonly organizationId: string
  readonly endpoint: string
  readonly text: string
}

const table = 'public.delivery'
const shares = { organization: 'organization_id', key: 'endpoint', perKeyMax: 2 }
const described = { name: 'delivery', table, shares }
const [one, other] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
const aMoment = 30_000
const patience = { timeout: 30_000, interval: 10 }

let fresh: FreshDatabase
let services: Services
const warnings: { reason: string; msg: string }[] = []

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  await fresh.database.query(
    `create table ${table} (organization_id uuid, id uuid, endpoint uuid, text text, status int, ${sharedQueueColumns}, primary key (organization_id, id))`,
  )
  for (const sql of queueIndexes(described).split(';\n')) if (sql.trim()) await fresh.database.query(sql)
  warnings.length = 0
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void warnings.push(JSON.parse(line) as (typeof warnings)[0]) },
  )
  services = { ...servicesOf(fresh.database, manualClock('2027-01-01T00:00:00Z')), log }
})
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
  await fresh.database.query(`drop table ${table}`)
})

function aQueue(attempt: (item: Delivery) => Outcome | Promise<Outcome>, more: Partial<Queue<Delivery>> = {}) {
  const queue: Queue<Delivery> = {
    ...described,
    columns: 'organization_id as "organizationId", endpoint, text',
    leaseMs: 60_000,
    attemptMsMax: 50_000,
    lanes: { fresh: 1, retry: 1 },
    attemptsMax: () => 3,
    retryAfterMs: ({ attempts }) => attempts * 60_000,
    clearedColumns: ['text'],
    retentionMs: 86_400_000,
    attempt: async (_services, item) => attempt(item),
    ...more,
  }
  return queue
}

/** The id of an endpoint, in the order of the names. */
const endpointId = (name: string): string =>
  `00000000-0000-7000-8000-${Buffer.from(name.slice(0, 6)).toString('hex').padEnd(12, '0')}`

/** Inserts one item for each text, in this order. */
async function put(texts: readonly string[], organization = one, endpoint = 'e', sql: Sql = fresh.database) {
  for (const text of texts)
    await sql.query(`insert into ${table} (organization_id, id, endpoint, text) values ($1, $2, $3, $4)`, [
      organization,
      newId(),
      endpointId(endpoint),
      text,
    ])
}

const rows = () =>
  fresh.database.query(
    `select state, attempts, text, last_error as error, status, finished_at is not null as "isFinished", lease_token is not null as "isLeased"
     from ${table} order by id`,
  )
const pass = (ms: number) => ageQueueItems(services, table, ms)

/** A queue whose attempts hang until `end` is called. */
function hanging(more: Partial<Queue<Delivery>> = {}) {
  const begun: string[] = []
  const ends: Promise<void>[] = []
  const letGo = Promise.withResolvers<void>()
  const queue = aQueue(async ({ text }) => {
    begun.push(text)
    await letGo.promise
    return { end: 'SENT' }
  }, more)
  const end = async (): Promise<void> => {
    letGo.resolve()
    await Promise.all(ends)
  }
  closers.push(end)
  return { queue, begun, end, drains: (by = services, lanes?: Lane[]) => void ends.push(drain(queue, by, lanes)) }
}

describe('an attempt that hangs', () => {
  it('gives its slot back after its deadline, and the item is retried and fails by its rules', async () => {
    const queue = aQueue(({ text }) => (text === 'hangs' ? new Promise<never>(() => undefined) : { end: 'SENT' }), {
      attemptMsMax: 20,
      attemptsMax: () => 2,
    })
    await put(['hangs', 'b'])
    await drain(queue, services)
    const error = 'The attempt did not end within 0.02 s.'
    const [hung, ended] = await rows()
    expect(hung).toMatchObject({ state: 'QUEUED', attempts: 1, error, isLeased: false })
    expect(ended).toMatchObject({ state: 'SENT', attempts: 1 })
    await pass(60_000)
    await drain(queue, services)
    expect((await rows())[0]).toMatchObject({ state: 'FAILED', attempts: 2, error, isFinished: true })
  })

  it('can end by its own rules when its signal aborts', async () => {
    const attempt: Queue<Delivery>['attempt'] = (_services, _item, signal) =>
      untilAborted(signal, new Promise<Outcome>(() => undefined)).catch(({ message }: Error) => ({
        end: 'GIVEN_UP',
        error: message,
      }))
    await put(['hangs'])
    await drain(
      aQueue(() => ({ end: 'SENT' }), { attemptMsMax: 20, attempt }),
      services,
    )
    const error = 'The attempt did not end within 0.02 s.'
    expect(await rows()).toMatchObject([{ state: 'GIVEN_UP', attempts: 1, error, isFinished: true }])
  })
})

describe('an item', () => {
  it('is attempted once, in the order of arrival, and keeps the result but not the content', async () => {
    const seen: string[] = []
    const queue = aQueue(({ text, attempts }) => {
      seen.push(`${text} ${attempts}`)
      return { end: 'SENT', result: { status: 204 } }
    })
    await put(['a', 'b'])
    await Promise.all([drain(queue, services), drain(queue, services)])
    await drain(queue, services)
    expect(seen.sort()).toEqual(['a 1', 'b 1'])
    const sent = { state: 'SENT', attempts: 1, text: null, error: null, status: 204, isFinished: true, isLeased: false }
    expect(await rows()).toEqual([sent, sent])
  })

  it('is retried after its delay, or a longer delay of the outcome, and fails when no attempts remain', async () => {
    const queue = aQueue(() => ({ retry: 'away', afterMs: 90_000, result: { status: 503 } }))
    await put(['a'])
    for (const [attempts, delay] of [
      [1, 90_000],
      [2, 120_000],
    ] as const) {
      await drain(queue, services)
      const waiting = { state: 'QUEUED', attempts, text: 'a', error: 'away', status: 503, isFinished: false }
      expect(await rows()).toMatchObject([waiting])
      await pass(delay - aMoment)
      await drain(queue, services)
      expect(await rows()).toMatchObject([waiting])
      await pass(aMoment)
    }
    await drain(queue, services)
    expect(await rows()).toMatchObject([{ state: 'FAILED', attempts: 3, text: null, error: 'away', isFinished: true }])
    expect(warnings.map(({ msg, reason }) => `${reason}: ${msg}`)).toEqual([
      'away: an attempt failed; it will be retried',
      'away: an attempt failed; it will be retried',
      'away: an item has failed',
    ])
  })

  it('that must wait uses up no attempt, not even the last one', async () => {
    const outcomes: Outcome[] = [
      { retry: 'away' },
      { retry: 'away' },
      { retry: 'full', afterMs: 1000, isWait: true },
      { end: 'SENT' },
    ]
    const queue = aQueue(() => outcomes.shift()!)
    await put(['a'])
    for (const [attempts, error, delay] of [
      [1, 'away', 60_000],
      [2, 'away', 120_000],
      [2, 'full', 1000],
    ] as const) {
      await drain(queue, services)
      expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts, error, text: 'a' }])
      await pass(delay)
    }
    await drain(queue, services)
    expect(await rows()).toMatchObject([{ state: 'SENT', attempts: 3 }])
    expect(warnings.map(({ reason }) => reason)).toEqual(['away', 'away'])
  })

  it('whose attempts cannot begin uses up none of them for a day, and ends after it', async () => {
    let isDown = true
    let begun = 0
    const queue = aQueue(() => {
      begun++
      if (isDown) throw new AttemptNotBegun('down')
      return { retry: 'away' }
    })
    const next = async (waitMs = queue.leaseMs) => {
      await drain(queue, services)
      await pass(waitMs)
    }
    await put(['a'])
    for (let round = 1; round <= 5; round++) {
      await next(5_000)
      expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 0, error: null, isLeased: false }])
      expect(begun).toBe(round)
    }
    isDown = false
    await next()
    isDown = true
    await next()
    expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 1, error: 'away', isLeased: false }])
    await fresh.database.query(`update ${table} set created_at = created_at - interval '1 day'`)
    await next()
    expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 2, isLeased: true }])
    isDown = false
    await next()
    expect(await rows()).toMatchObject([{ state: 'FAILED', attempts: 3, error: 'away', isLeased: false }])
  })

  it('that could not begin after a lost attempt still knows the lost one', async () => {
    const { queue, begun, drains, end } = hanging()
    await put(['a'])
    drains(services, ['fresh'])
    await vi.waitFor(() => expect(begun).toEqual(['a']), patience)
    const [lost] = await fresh.database.query(`select lease_token as "lostToken" from ${table}`)
    await pass(queue.leaseMs)
    await drain(
      aQueue(() => Promise.reject(new AttemptNotBegun('down'))),
      services,
    )
    expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 1, isLeased: true }])
    await pass(queue.leaseMs)
    const seen: unknown[] = []
    const taking = aQueue(() => ({ end: 'TAKEN' }), {
      attempt: (_services, { attempts, lostToken }) => {
        seen.push({ attempts, lostToken })
        return Promise.resolve({ end: 'TAKEN' })
      },
    })
    await drain(taking, services)
    expect(seen).toEqual([{ attempts: 2, ...lost }])
    await end()
    expect(await rows()).toMatchObject([{ state: 'TAKEN', attempts: 2 }])
  })

  it('is retried when its attempt throws', async () => {
    const queue = aQueue(() => Promise.reject(new Error('x'.repeat(600))))
    await put(['a'])
    await drain(queue, services)
    expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 1, error: 'x'.repeat(500) }])
  })

  it('of a dead process is leased by another one when its lease ends; a late outcome of the first attempt is ignored', async () => {
    const { queue, begun, drains, end } = hanging()
    await put(['a'])
    // Without its `retry` lane, which could be late and lease the item a second time.
    drains(services, ['fresh'])
    await vi.waitFor(() => expect(begun).toEqual(['a']), patience)
    const taking = aQueue(() => ({ end: 'TAKEN' }))
    await pass(queue.leaseMs - aMoment)
    await drain(taking, services)
    expect(await rows()).toMatchObject([{ state: 'QUEUED', attempts: 1, isLeased: true }])
    await pass(aMoment)
    await drain(taking, services)
    expect(await rows()).toMatchObject([{ state: 'TAKEN', attempts: 2, isLeased: false }])
    await end()
    expect(await rows()).toMatchObject([{ state: 'TAKEN', attempts: 2 }])
  })

  it('does not exist when the transaction that queued it is rolled back', async () => {
    const undone = fresh.database.transaction(async (sql) => {
      await put(['a'], one, 'e', sql)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await rows()).toEqual([])
  })
})

describe('lanes', () => {
  it('keep hanging retries from delaying fresh items', async () => {
    const begun: string[] = []
    const letGo = Promise.withResolvers<void>()
    const queue = aQueue(async ({ text, attempts }) => {
      begun.push(`${text} ${attempts}`)
      if (attempts > 1) await letGo.promise
      return attempts > 1 || text === 'new' ? { end: 'SENT' } : { retry: 'away' }
    })
    await put(['a', 'b'])
    await drain(queue, services)
    await pass(120_000)
    await put(['new'], one, 'e2')
    const draining = drain(queue, services)
    await vi.waitFor(() => expect(begun).toHaveLength(4), patience)
    expect(begun.slice(2).sort()).toEqual(['a 2', 'new 1'])
    letGo.resolve()
    await draining
    expect(begun.at(-1)).toBe('b 2')
  })
})

describe('organizations', () => {
  it('are served in turn, whatever the length of their queues', async () => {
    const seen: string[] = []
    const queue = aQueue(({ text }) => {
      seen.push(text)
      return { end: 'SENT' }
    })
    await put(['a1', 'a2', 'a3', 'a4'], one)
    await put(['b1', 'b2'], other, 'f')
    await drain(queue, services)
    expect(seen).toEqual(['b1', 'a1', 'b2', 'a2', 'a3', 'a4'])
  })

  it('with many fresh items for a key leave a quarter of its attempts to retries', async () => {
    const queue = aQueue(() => ({ end: 'SENT' }), { shares: { ...shares, perKeyMax: 4 } })
    const leased = async (lane: Lane) =>
      (await leaseShares(fresh.database, queue, lane, 8, newLaneState())).items.map(({ text }) => text)
    await put(['killed'])
    expect(await leased('fresh')).toEqual(['killed'])
    await pass(queue.leaseMs)
    await put(['a', 'b', 'c', 'd'])
    expect(await leased('fresh')).toEqual(['a', 'b', 'c'])
    expect(await leased('fresh')).toEqual([])
    expect(await leased('retry')).toEqual(['killed'])
    expect(await leased('retry')).toEqual([])
  })

  it('get an item that was queued earlier than the last leased one, and committed later', async () => {
    const queue = aQueue(() => ({ end: 'SENT' }))
    const state = newLaneState()
    const leased = async (count: number) =>
      (await leaseShares(fresh.database, queue, 'fresh', count, state)).items.map(({ text }) => text)
    await put(['a1', 'a2'])
    expect(await leased(1)).toEqual(['a1'])
    await put(['late'])
    const earlier = `update ${queue.table} set next_attempt_at = next_attempt_at - interval '1 minute' where text = 'late'`
    await fresh.database.query(earlier)
    await fresh.database.query(`delete from ${queue.table} where lease_token is not null`)
    expect(await leased(2)).toEqual(['a2', 'late'])
  })

  it('with fewer running attempts are served first', async () => {
    const { begun, drains } = hanging({ lanes: { fresh: 3, retry: 1 }, shares: { ...shares, perKeyMax: 10 } })
    await put(['a1', 'a2', 'a3'], one)
    await put(['b1'], other)
    drains()
    await vi.waitFor(() => expect(begun).toHaveLength(3), patience)
    expect(begun.toSorted()).toEqual(['a1', 'a2', 'b1'])
  })

  it('are found behind others that may have no further slot, wherever the search begins', async () => {
    const queue = aQueue(() => ({ end: 'SENT' }), { shares: { ...shares, perKeyMax: 100, perOrganizationMax: 3 } })
    const idOf = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
    for (const number of [1, 2, 4, 5]) await put(['slow'], idOf(number))
    await put(
      Array.from({ length: 6 }, (_, index) => `quick ${index}`),
      idOf(3),
    )
    const begins = [1, 2, 3, 4, 5, 6].map(async (number) => {
      const running = new Map([1, 2, 4, 5].map((at) => [idOf(at), 3]))
      const state = { ...newLaneState(), lastOrganization: idOf(number), running }
      return (await leaseShares(fresh.database, queue, 'fresh', 1, state)).items.map(({ text }) => text)
    })
    expect((await Promise.all(begins)).flat().toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((index) => `quick ${index}`))
  })

  it('use as many slots as they get, whatever the size of their items and the number of their keys', async () => {
    const queue = aQueue(() => ({ end: 'SENT' }), {
      slotsOf: 'coalesce(status, 1)',
      shares: { ...shares, perKeyMax: 100 },
    })
    const state = newLaneState()
    const leased = async () => {
      const { items, mayHaveMore } = await leaseShares(fresh.database, queue, 'fresh', 8, state)
      return [items.map(({ text, slots }) => `${text} ${slots}`).toSorted(), mayHaveMore] as const
    }
    for (const name of ['k', 'l', 'm', 'n']) await put([`${name}1`, `${name}2`], one, name)
    await fresh.database.query(`update ${table} set status = 3`)
    await put(['quick'], other)
    // Three of eight slots each, of which one item of the first organization uses all; then four of its own.
    expect(await leased()).toEqual([[expect.stringMatching(/^[k-n]1 3$/), 'quick 1'], true])
    const rest = [await leased(), await leased(), await leased(), await leased(), await leased()]
    expect(rest.map(([items, mayHaveMore]) => [items.length, mayHaveMore])).toEqual([
      [2, true],
      [2, true],
      [2, true],
      [1, false],
      [0, false],
    ])
  })

  it('have at most `perKeyMax` running attempts with one key, in all processes together', async () => {
    const { begun, drains } = hanging({ lanes: { fresh: 4, retry: 1 } })
    await put(['slow1', 'slow2', 'slow3', 'slow4'], one, 'slow')
    await put(['quick'], one, 'quick')
    const second = new Database({ url: fresh.url, connectionsMax: 4 })
    closers.unshift(() => second.close())
    drains()
    drains({ ...services, database: second })
    await vi.waitFor(() => expect(begun).toHaveLength(3), patience)
    // By then, each of the eight slots has found no further item that it may lease.
    await drain(
      aQueue(() => ({ end: 'SENT' })),
      services,
    )
    expect(begun.toSorted()).toEqual(['quick', 'slow1', 'slow2'])
  })
})

describe('deleteFinishedItems', () => {
  it('deletes items older than the retention time, unless they still wait', async () => {
    const queue = aQueue(({ text }) => (text === 'fails' ? { retry: 'away' } : { end: 'SENT' }), {
      retentionMs: 86_400_000,
    })
    await put(['old', 'young', 'fails'])
    await drain(queue, services)
    const now = services.clock.now().getTime()
    const queued = async (text: string, agoMs: number) =>
      fresh.database.query(
        `update ${table} set created_at = $2 where id = (select id from ${table} order by id offset $1 limit 1)`,
        [['old', 'young', 'fails'].indexOf(text), new Date(now - agoMs).toISOString()],
      )
    await queued('old', 86_400_001)
    await queued('young', 86_400_000)
    await queued('fails', 86_400_001)
    await deleteFinishedItems(queue, services)
    expect((await rows()).map(({ state }) => state)).toEqual(['SENT', 'QUEUED'])
  })
})

describe('the lanes with due items', () => {
  it.each([
    ['without shares', {}],
    ['with shares', { shares }],
  ])('of a queue %s', async (_, more) => {
    const queue = aQueue(() => ({ retry: 'away' }), more)
    const due = () => lanesDue(fresh.database, [queue, queue])
    expect(await due()).toEqual([[], []])
    await put(['a'])
    expect((await due()).map((of) => of.includes('fresh'))).toEqual([true, true])
    await drain(queue, services, ['fresh'])
    expect(await due()).toEqual([[], []])
    await pass(60_000)
    expect((await due()).map((of) => of.includes('retry'))).toEqual([true, true])
    expect(await lanesDue(fresh.database, [])).toEqual([])
  })
})

describe('a worker', () => {
  it('attempts items as soon as their transaction has committed, and waits for running attempts when it closes', async () => {
    const queue = aQueue(() => ({ end: 'SENT' }))
    const worker = await QueueWorker.start(services, fresh.url, [queue])
    await fresh.database.transaction((sql) => put(['a', 'b'], one, 'e', sql))
    const states = async () => (await rows()).map(({ state }) => state)
    await vi.waitFor(async () => expect(await states()).toEqual(['SENT', 'SENT']), { timeout: 4_500 })
    await worker.close()
    await put(['late'])
    expect(await states()).toEqual(['SENT', 'SENT', 'QUEUED'])
  })

  it('finds items that were queued while no worker ran', async () => {
    await put(['a'])
    const worker = await QueueWorker.start(services, fresh.url, [aQueue(() => ({ end: 'SENT' }))])
    closers.push(() => worker.close())
    await vi.waitFor(async () => expect(await rows()).toMatchObject([{ state: 'SENT' }]), patience)
  })

  it('continues with other items while one attempt hangs', async () => {
    const letGo = Promise.withResolvers<void>()
    const queue = aQueue(
      async ({ text }) => {
        if (text === 'hangs') await letGo.promise
        return { end: 'SENT' }
      },
      { lanes: { fresh: 2, retry: 1 } },
    )
    const worker = await QueueWorker.start(services, fresh.url, [queue])
    closers.push(() => worker.close(), letGo.resolve)
    await put(['hangs', 'a'])
    await vi.waitFor(async () => expect(await rows()).toMatchObject([{ state: 'QUEUED' }, { state: 'SENT' }]), patience)
    await put(['b'])
    await vi.waitFor(async () => expect(await rows()).toMatchObject([{}, {}, { state: 'SENT' }]), patience)
  })

  it('begins no further attempt while large items use its slots', async () => {
    const happened: string[] = []
    const gates = new Map(['a', 'b', 'c'].map((text) => [text, Promise.withResolvers<void>()]))
    const send = async ({ text }: Delivery): Promise<Outcome> => {
      happened.push(`${text} begins`)
      await gates.get(text)!.promise
      happened.push(`${text} ends`)
      return { end: 'SENT' }
    }
    await put(['a', 'b', 'c'])
    const queue = aQueue(send, { slotsOf: '2', lanes: { fresh: 2, retry: 1 } })
    const draining = drain(queue, services, ['fresh'])
    await vi.waitFor(() => expect(happened).toEqual(['a begins']), patience)
    for (const text of ['c', 'b', 'a']) gates.get(text)!.resolve()
    await draining
    expect(happened).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('uses a slot again while its outcome is recorded, for as many outcomes as there are slots', async () => {
    const letGo = Promise.withResolvers<void>()
    const attempted: string[] = []
    const send = ({ text }: Delivery): Outcome => {
      attempted.push(text)
      return { end: 'SENT' }
    }
    const record = async ({ database }: Services, outcomes: readonly Attempted<Delivery>[]): Promise<void> => {
      await letGo.promise
      await database.query(`delete from ${table} where lease_token = any($1::uuid[])`, [
        outcomes.map(({ item }) => item.token),
      ])
    }
    const queue = aQueue(send, { lanes: { fresh: 3, retry: 1 }, shares: { ...shares, perKeyMax: 100 }, record })
    const texts = Array.from({ length: 20 }, (_, index) => String(index))
    await put(texts)
    const draining = drain(queue, services, ['fresh'])
    await vi.waitFor(() => expect(attempted).toHaveLength(6), patience)
    letGo.resolve()
    await draining
    expect([attempted.toSorted(), await rows()]).toEqual([texts.toSorted(), []])
  })
})
