import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Cancellation } from '../cancellation.ts'
import { anonymous } from '../context.ts'
import { newId } from '../ids.ts'
import type { QueueLimits } from './fair-queue.ts'
import { idsMax } from './shared-lookups.ts'
import type { Row, Sql } from './sql.ts'
import { TenantDatabase } from './tenant-database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.query(`create table public.item (organization_id uuid, id uuid, owner text, body text)`)
  await fresh.database.query('grant select on public.item to public')
})
afterAll(() => fresh.drop())

const mine = newId()
const theirs = newId()

function tenants(limits: Partial<QueueLimits> = {}): TenantDatabase {
  const opened = new TenantDatabase({ url: fresh.url, cancelThrough: fresh.database, limits })
  onTestFinished(() => opened.close())
  return opened
}

async function item(owner = 'ann', organization = mine, body = ''): Promise<string> {
  const id = newId()
  await fresh.database.query('insert into public.item values ($1, $2, $3, $4)', [organization, id, owner, body])
  return id
}

/** The time at which its statement began identifies the statement that read a row. */
const byOwner = `select id, owner, length(body) as length, body, pg_backend_pid() || ' ' || statement_timestamp() as statement
  from public.item where organization_id = kernel.current_organization() and owner = $1 and id = any($2::uuid[])`
const find = (sql: Sql, id: string, owner = 'ann', text = byOwner): Promise<Row | null> => sql.byId(text, [owner], id)

/** Running lookups of the table. */
async function running(): Promise<number> {
  const [row] = await fresh.database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like '%public.item%'`,
  )
  return row!.count
}
const statementsOf = (rows: readonly (Row | null)[]): number => new Set(rows.map((row) => row!.statement)).size

it('gives each lookup its own row, and null where no row matches', async () => {
  const pool = tenants()
  const ids = [await item(), newId(), await item(), await item('bob')]
  const rows = await Promise.all(ids.map((id) => find(pool.of(mine), id)))
  expect(rows.map((row) => row?.id ?? null)).toEqual([ids[0], null, ids[2], null])
})

it('reads the records of one turn of the event loop in one statement, up to its limit', async () => {
  const pool = tenants()
  const ids = await Promise.all(Array.from({ length: idsMax + 1 }, () => item()))
  const rows = await Promise.all(ids.map((id) => find(pool.of(mine), id)))
  expect(rows.map((row) => row!.id)).toEqual(ids)
  expect(statementsOf(rows)).toBe(2)
  expect(statementsOf(rows.slice(0, idsMax))).toBe(1)
})

it('shares no statement between organizations, different values or different texts', async () => {
  const pool = tenants()
  const [ann, bob, other] = [await item(), await item('bob'), await item('ann', theirs)]
  const rows = await Promise.all([
    find(pool.of(mine), ann),
    find(pool.of(mine), bob, 'bob'),
    find(pool.of(theirs), other),
    find(pool.of(mine), await item(), 'ann', `${byOwner} /* other */`),
  ])
  expect(statementsOf(rows)).toBe(4)
  const foreign = [find(pool.of(mine), other), find(pool.of(theirs), ann), find(pool.of(mine), bob)]
  expect(await Promise.all(foreign)).toEqual([null, null, null])
})

it('gives two lookups of the same record two objects', async () => {
  const pool = tenants()
  const id = await item()
  const [first, second] = await Promise.all([find(pool.of(mine), id), find(pool.of(mine), id)])
  expect(first).toMatchObject({ id })
  expect(second).toMatchObject({ id })
  expect(first).not.toBe(second)
})

it('reads records one by one when they are too large together', async () => {
  const pool = tenants()
  const ids = await Promise.all([1, 2, 3].map(() => item('ann', mine, 'x'.repeat(3_500_000))))
  const rows = await Promise.all(ids.map((id) => find(pool.of(mine), id)))
  expect(rows.map((row) => [row!.id, row!.length])).toEqual(ids.map((id) => [id, 3_500_000]))
  expect(statementsOf(rows)).toBe(3)
  const larger = await item('ann', mine, 'x'.repeat(9_000_000))
  const refusal = { code: 'ANSWER_TOO_LARGE' }
  await expect(find(pool.of(mine), larger)).rejects.toMatchObject(refusal)
})

const gone = { message: 'The client has disconnected.' }
const leaving = (pool: TenantDatabase, cancellation: Cancellation): Sql =>
  pool.of(mine, { caller: anonymous({ ip: '', userAgent: '' }), cancellation })

it('is not cancelled by one client that leaves', async () => {
  const pool = tenants()
  const cancellation = new Cancellation()
  const ids = [await item(), await item()]
  const left = find(leaving(pool, cancellation), ids[0]!)
  const stays = find(pool.of(mine), ids[1]!)
  cancellation.cancel()
  await expect(left).rejects.toMatchObject(gone)
  expect(await stays).toMatchObject({ id: ids[1] })
})

it.each(['before its turn', 'while it waits for a connection', 'while it runs'])(
  'is cancelled %s when all its clients have left',
  async (moment) => {
    const pool = tenants({ connectionsPerTenant: 1 })
    const [one, other] = [new Cancellation(), new Cancellation()]
    const ids = [await item(), await item()]
    const slow = `${byOwner} and pg_sleep(60) is not null`
    const holding = moment === 'while it waits for a connection' ? pool.of(mine).query('select pg_sleep(0.5)') : null
    const begun = performance.now()
    const lookups = Promise.allSettled([one, other].map((each, at) => find(leaving(pool, each), ids[at]!, 'ann', slow)))
    if (holding) await vi.waitFor(() => expect(pool.waiting).toBe(1), { interval: 5 })
    if (moment === 'while it runs') await vi.waitFor(async () => expect(await running()).toBe(1), { interval: 5 })
    one.cancel()
    other.cancel()
    if (holding) expect(pool.waiting).toBe(0)
    const refused = { status: 'rejected', reason: expect.objectContaining(gone) as object }
    expect(await lookups).toEqual([refused, refused])
    await holding
    // Before the deadline of a statement, the only connection of the organization is free again.
    expect(await find(pool.of(mine), ids[0]!)).toMatchObject({ id: ids[0] })
    expect(performance.now() - begun).toBeLessThan(1_500)
  },
)

it('serves a client that comes after all others of a lookup have left', async () => {
  const pool = tenants()
  const cancellation = new Cancellation()
  const ids = [await item(), await item()]
  const left = find(leaving(pool, cancellation), ids[0]!)
  cancellation.cancel()
  const comes = find(pool.of(mine), ids[1]!)
  await expect(left).rejects.toMatchObject(gone)
  expect(await comes).toMatchObject({ id: ids[1] })
  await expect(find(leaving(pool, cancellation), ids[0]!)).rejects.toMatchObject(gone)
})

it('rejects each lookup with the error of the statement, and serves the next ones', async () => {
  const pool = tenants()
  const wrong = 'select id, 1 / (length($1::text) - 3) from public.item where id = any($2::uuid[])'
  const ids = [await item(), await item()]
  const failed = await Promise.allSettled(ids.map((id) => find(pool.of(mine), id, 'ann', wrong)))
  expect(failed).toMatchObject([1, 2].map(() => ({ status: 'rejected', reason: { code: '22012' } })))
  expect(await find(pool.of(mine), ids[0]!)).toMatchObject({ id: ids[0] })
})
