import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Cancellation } from '../cancellation.ts'
import { anonymous } from '../context.ts'
import { newId } from '../ids.ts'
import type { Sql } from './sql.ts'
import type { QueueLimits } from './fair-queue.ts'
import type { Lines } from '../package-internals/copy-stream.ts'
import { CrossTenantDatabase, TenantDatabase, limitsOf } from './tenant-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const mine = newId()
const theirs = newId()

function tenants(limits: Partial<QueueLimits> = {}, connectionsMax = 10): TenantDatabase {
  const opened = new TenantDatabase({ url: fresh.url, cancelThrough: fresh.database, connectionsMax, limits })
  onTestFinished(() => opened.close())
  return opened
}

const sleep = (seconds: number, mark = ''): string => `select pg_sleep(${seconds}) /* ${mark} */`
const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('app.organization_id') as organization`

/** The number of running statements with this mark. */
async function running(mark: string): Promise<number> {
  const [row] = await fresh.database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like $1`,
    [`%/* ${mark} */%`],
  )
  return row!.count
}

const untilRunning = (mark: string, count: number): Promise<void> =>
  vi.waitFor(async () => expect(await running(mark)).toBe(count), { timeout: 20_000, interval: 20 })

/** Waits until the statement with this mark waits because its client does not read. */
const untilWaitingForClient = (mark: string): Promise<void> =>
  vi.waitFor(
    async () => {
      const [row] = await fresh.database.query<{ event: string }>(
        `select wait_event as event from pg_stat_activity where query like $1 and pid <> pg_backend_pid()`,
        [`%/* ${mark} */%`],
      )
      expect(row?.event).toBe('ClientWrite')
    },
    { timeout: 20_000, interval: 20 },
  )

const gone = { message: 'The client has disconnected.' }
const refused = (code: string, details: object = {}) => ({ extensions: expect.objectContaining({ code, ...details }) })
const ownLoad = refused('UNAVAILABLE', { retryAfter: 1, isOwnLoad: true })

describe('the deadline of a statement', () => {
  it.each(['LIST', 'SCAN'] as const)('refuses a %s after two seconds and frees its connection', async (kind) => {
    const sql = tenants({}, 1).of(mine)
    const begun = performance.now()
    await expect(sql.query(sleep(60), [], kind)).rejects.toMatchObject(refused('QUERY_TOO_EXPENSIVE'))
    expect(performance.now() - begun).toBeGreaterThan(1_900)
    expect(await sql.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('rejects a lookup with the error of PostgreSQL, because the client cannot change the query', async () => {
    await expect(tenants().of(mine).query(sleep(60))).rejects.toMatchObject({ code: '57014' })
  })

  it('is longer for writes and transactions, except for queries that a client composed in them', async () => {
    const sql = tenants().of(mine)
    const read = [{ statement: '2s', lock: '1500ms', organization: mine }]
    const write = [{ statement: '10s', lock: '5s', organization: mine }]
    for (const time of ['first', 'second']) {
      expect(await sql.query(settings), time).toEqual(read)
      expect(await sql.query(settings, [], 'WRITE'), time).toEqual(write)
    }
    await sql.transaction(async (inner) => {
      expect(await inner.query(settings)).toEqual(write)
      expect(await inner.query(settings, [], 'SCAN')).toEqual([{ ...write[0], statement: '2s' }])
      expect(await inner.query(settings)).toEqual(write)
      expect(await inner.transaction((nested) => nested.query(settings))).toEqual(write)
      await expect(inner.query(sleep(60), [], 'SCAN')).rejects.toMatchObject(refused('QUERY_TOO_EXPENSIVE'))
    })
    expect(await sql.query(settings)).toEqual(read)
  })
})

describe('a lock', () => {
  it('does not make a waiting query too expensive', async () => {
    const locked = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const holding = fresh.database.transaction(async (sql) => {
      await sql.query('lock table crm.account in access exclusive mode')
      locked.resolve()
      await done.promise
    })
    await locked.promise
    await expect(tenants().of(mine).query('select id from crm.account', [], 'SCAN')).rejects.toMatchObject({
      code: '55P03',
    })
    done.resolve()
    await holding
  })
})

describe('shares of the connections', () => {
  it('leave connections for other organizations while one sends more than its share', async () => {
    const pool = tenants()
    const { connectionsPerTenant } = limitsOf(10)
    const gone = new Cancellation()
    const caller = anonymous({ ip: '', userAgent: '' })
    const waiting = Array.from({ length: 40 }, () =>
      pool.of(mine, { caller, cancellation: gone }).query(sleep(1, 'mine')),
    )
    await untilRunning('mine', connectionsPerTenant)
    expect(await pool.of(theirs).query('select 1 as one')).toEqual([{ one: 1 }])
    expect(await running('mine')).toBe(connectionsPerTenant)
    gone.cancel()
    const answers = await Promise.allSettled(waiting)
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
    expect(await running('mine')).toBe(0)
  })

  it('leave connections for other requests of the organization while one operation sends more', async () => {
    const pool = tenants({ connectionsPerTenant: 2, connectionsPerOperation: 1 })
    const operation = pool.of(mine)
    const slow = [operation.query(sleep(1, 'one')), operation.query(sleep(0.1, 'one'))]
    await untilRunning('one', 1)
    expect(await pool.of(mine).query('select 1 as one')).toEqual([{ one: 1 }])
    await Promise.all(slow)
  })

  it('run the scans of one organization one after another, and its lookups concurrently', async () => {
    const pool = tenants({ scans: 1, scansPerTenant: 1 })
    const scans = [
      pool.of(mine).query(sleep(1, 'scan'), [], 'SCAN'),
      pool.of(mine).query(sleep(0.1, 'scan'), [], 'SCAN'),
    ]
    await untilRunning('scan', 1)
    expect(await pool.of(mine).query('select 1 as one')).toEqual([{ one: 1 }])
    expect(await running('scan')).toBe(1)
    await Promise.all(scans)
  })

  it('run a scan in a transaction although its organization already uses its whole share', async () => {
    const pool = tenants({ connections: 1, scans: 1, scansPerTenant: 1 }, 1)
    const answers = await Promise.all(
      Array.from({ length: 3 }, (_, index) => [
        pool.of(mine).transaction((inner) => inner.query('select $1::int as n', [index], 'SCAN')),
        pool.of(mine).query('select $1::int as n', [index], 'SCAN'),
      ]).flat(),
    )
    expect(answers).toEqual([0, 0, 1, 1, 2, 2].map((n) => [{ n }]))
  })

  it('refuse a statement when too many of its organization are waiting, as its own load', async () => {
    const pool = tenants({ connectionsPerTenant: 1, waitingMax: 2 })
    const sql = (): Sql => pool.of(mine)
    const accepted = [sql().query(sleep(1)), sql().query('select 1 as one'), sql().transaction(async () => 2)]
    await expect(sql().query('select 1')).rejects.toMatchObject(ownLoad)
    await expect(sql().transaction(async () => 1)).rejects.toMatchObject(ownLoad)
    expect(await pool.of(theirs).query('select 1 as one')).toEqual([{ one: 1 }])
    expect((await Promise.all(accepted)).slice(1)).toEqual([[{ one: 1 }], 2])
  })

  it('refuse a statement that has waited too long', async () => {
    const pool = tenants({ connectionsPerTenant: 1, waitMs: 100 })
    const first = pool.of(mine).query(sleep(1))
    await expect(pool.of(mine).query('select 1')).rejects.toMatchObject(ownLoad)
    await first
    expect(await pool.of(mine).query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('are released when a transaction fails', async () => {
    const pool = tenants({ connections: 1 }, 1)
    for (let time = 0; time < 2; time++) {
      const failed = pool.of(mine).transaction((inner) => inner.query('select nothing'))
      await expect(failed).rejects.toMatchObject({ code: '42703' })
    }
    expect(await pool.of(theirs).query('select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('a client that disconnects', () => {
  const caller = anonymous({ ip: '', userAgent: '' })

  it('has its running statements cancelled and its waiting ones removed, without effect on other clients', async () => {
    const cancelResults: unknown[] = []
    const query = fresh.database.query.bind(fresh.database) as Sql['query']
    const cancelThrough: Sql = {
      open: false,
      transaction: (work) => fresh.database.transaction(work),
      byId: (...lookup) => fresh.database.byId(...lookup),
      query: async <R>(text: string, values?: readonly unknown[]) => {
        const rows = await query<R>(text, values)
        cancelResults.push(rows)
        return rows
      },
    }
    const pool = new TenantDatabase({ url: fresh.url, cancelThrough, limits: { connectionsPerTenant: 2 } })
    onTestFinished(() => pool.close())
    const cancellation = new Cancellation()
    const sql = pool.of(mine, { caller, cancellation })
    const abandoned = Promise.allSettled([sql.query(sleep(60, 'left')), sql.query('select 1'), sql.query('select 2')])
    const other = pool.of(theirs).query(sleep(1, 'stays'))
    await untilRunning('left', 1)
    cancellation.cancel()
    await expect(abandoned).resolves.toContainEqual({ status: 'rejected', reason: expect.objectContaining(gone) })
    expect(cancelResults[0]).toEqual([{ pg_cancel_backend: true }])
    expect(await running('left')).toBe(0)
    await expect(sql.query('select 1')).rejects.toMatchObject(gone)
    expect(await other).toHaveLength(1)
    expect(await pool.of(mine).query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it.each(['LOOKUP', 'SCAN'] as const)('has a %s cancelled at once, at whatever moment of its start', async (kind) => {
    const pool = tenants({}, 4)
    const durations: number[] = []
    for (let time = 0; time < 60; time++) {
      const cancellation = new Cancellation()
      const sql = [1, 2].map(() => pool.of(newId(), { caller, cancellation }))
      const left = Promise.allSettled(sql.map((each) => each.query(sleep(60), [], kind)))
      const begun = performance.now()
      while (performance.now() - begun < time / 50) if (time % 2) await new Promise(setImmediate)
      const cancelledAt = performance.now()
      cancellation.cancel()
      await left
      durations.push(performance.now() - cancelledAt)
    }
    // The deadline of a statement would end it after two seconds.
    expect(Math.max(...durations)).toBeLessThan(1_000)
    expect(pool.waiting).toBe(0)
  })

  it('starts no LIST or SCAN after three seconds, but other reads', async () => {
    const sql = tenants().of(mine, { caller, cancellation: new Cancellation() })
    await sql.query(sleep(1.6))
    await sql.query(sleep(1.6))
    await expect(sql.query('select 1', [], 'LIST')).rejects.toMatchObject(refused('QUERY_TOO_EXPENSIVE'))
    await expect(sql.query('select 1', [], 'SCAN')).rejects.toMatchObject(refused('QUERY_TOO_EXPENSIVE'))
    expect(await sql.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('never cancels the next statement on the connection', async () => {
    const pool = tenants({}, 1)
    for (let time = 0; time < 100; time++) {
      const cancellation = new Cancellation()
      const left = pool.of(mine, { caller, cancellation }).query('select pg_sleep($1)', [time % 5 ? 0 : 0.002])
      const next = pool.of(theirs).query('select $1::int as n', [time])
      setImmediate(() => cancellation.cancel())
      await left.catch(() => {})
      expect(await next).toEqual([{ n: time }])
    }
  })
})

describe('requests that do not belong to one organization', () => {
  it('leave connections for credentials and jobs, however many there are', async () => {
    const crossTenant = new CrossTenantDatabase(fresh.database)
    const waiting = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'].map((ip) =>
      crossTenant.of('', { caller: anonymous({ ip, userAgent: '' }) }).query(sleep(1, 'anonymous')),
    )
    await untilRunning('anonymous', 2)
    expect(await fresh.database.query('select 1 as one')).toEqual([{ one: 1 }])
    expect(await running('anonymous')).toBe(2)
    await Promise.all(waiting)
  })

  it('wait no longer when their client has left', async () => {
    const crossTenant = new CrossTenantDatabase(fresh.database, { connectionsPerTenant: 1 })
    const cancellation = new Cancellation()
    const caller = anonymous({ ip: '203.0.113.5', userAgent: '' })
    const first = crossTenant.of('', { caller }).query(sleep(0.5))
    const waiting = crossTenant.of('', { caller, cancellation }).query('select 1')
    expect(crossTenant.waiting).toBe(1)
    cancellation.cancel()
    expect(crossTenant.waiting).toBe(0)
    await expect(waiting).rejects.toMatchObject(gone)
    await first
  })
})

describe('a stream of lines', () => {
  const read = async (batches: AsyncIterable<Lines>): Promise<string> => {
    const bytes: Buffer[] = []
    for await (const batch of batches) bytes.push(batch.bytes)
    return Buffer.concat(bytes).toString()
  }
  const usual = { lineEnd: '\r\n', timeoutMs: 20_000, signal: new AbortController().signal }
  const copy = (select: string): string => `copy (${select}) to stdout with (format csv)`

  it('is read with the role and the organization of a tenant, in one snapshot', async () => {
    const text =
      copy(`select concat_ws(' ', current_setting('role'), current_setting('app.organization_id'), current_setting('transaction_isolation'),
      current_setting('transaction_read_only'), current_setting('statement_timeout'))`)
    expect(await read(tenants().lines(mine, { ...usual, text }))).toBe(`crm_app ${mine} repeatable read on 20s\r\n`)
    expect(await read(tenants().lines(mine, { ...usual, text: copy('select null where false') }))).toBe('')
  })

  it('has lines of any length, also those with line breaks, in their order', async () => {
    const lengths = [0, 5, 131_071, 131_072, 400_000, 1]
    const text = copy(`select repeat('ä', n) || E'\\n' from unnest(array[${lengths.join()}]) n`)
    const expected = lengths.map((length) => `"${'ä'.repeat(length)}\n"\r\n`).join('')
    let count = 0
    for await (const batch of tenants().lines(mine, { ...usual, text })) count += batch.count
    expect(count).toBe(lengths.length)
    expect((await read(tenants().lines(mine, { ...usual, text }))) === expected).toBe(true)
  })

  it('ends although its last lines have waited for the reader', async () => {
    // A batch each, and together more than may wait.
    const text = copy(`select repeat('x', 131050) /* late */ from generate_series(1, 9)`)
    const lines = tenants().lines(mine, { ...usual, text })
    expect((await lines.next()).value).toMatchObject({ count: 1 })
    await untilRunning('late', 0)
    let count = 1
    for await (const batch of lines) count += batch.count
    expect(count).toBe(9)
  })

  it('waits for its reader, however many rows follow', async () => {
    const text = copy(`select repeat('x', 1000) /* waiting */ from generate_series(1, 300000)`)
    let count = 0
    let [received, largest] = [0, 0]
    const before = process.memoryUsage().arrayBuffers
    for await (const batch of tenants().lines(mine, { ...usual, text })) {
      if (count === 0) await untilWaitingForClient('waiting')
      count += batch.count
      received += batch.bytes.length
      largest = Math.max(largest, process.memoryUsage().arrayBuffers - before)
    }
    expect([count, received]).toEqual([300_000, 300_000 * 1_002])
    // About a megabyte waits; what was read before is not collected at once.
    expect(largest).toBeLessThan(100_000_000)
  })

  it('uses no connection of the pool, and ends with the statement', async () => {
    const own = tenants({}, 1)
    for await (const { bytes } of own.lines(mine, { ...usual, text: copy(`select 1 union all select 2`) })) {
      expect(bytes.toString()).toBe('1\r\n2\r\n')
      expect(await own.of(mine).query('select 1 as one')).toEqual([{ one: 1 }])
    }
    await expect(read(own.lines(mine, { ...usual, text: copy('select 1 / 0') }))).rejects.toMatchObject({
      code: '22012',
    })
    await expect(
      read(own.lines(mine, { ...usual, timeoutMs: 100, text: copy('select pg_sleep(60)') })),
    ).rejects.toMatchObject({ code: '57014' })
  })

  it('is cancelled when its reader leaves, or when it is told to', async () => {
    const text = copy(
      `select 'x' /* left */ from generate_series(1, 10) n, lateral pg_sleep(case n when 1 then 0 else 60 end)`,
    )
    const controller = new AbortController()
    const reading = read(tenants().lines(mine, { ...usual, text, signal: controller.signal }))
    await untilRunning('left', 1)
    controller.abort()
    await expect(reading).rejects.toThrow()
    await untilRunning('left', 0)
    const many = copy(`select repeat('x', 1000) /* left */ from generate_series(1, 1000000)`)
    for await (const _ of tenants().lines(mine, { ...usual, text: many })) break
    await untilRunning('left', 0)
  })
})
