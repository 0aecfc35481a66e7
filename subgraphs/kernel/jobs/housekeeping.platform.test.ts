import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { newId } from '../ids.ts'
import { housekeeping } from './housekeeping.jobs.ts'
import { manualClock, servicesOf } from './jobs.fixture.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const clock = manualClock('2031-01-31T23:59:00Z')
const run = (name: string) => housekeeping.find((job) => job.name === name)!.run(servicesOf(fresh.database, clock))

it('totals.fold replaces many rows by one with their sum', async () => {
  const [crowded, quiet] = [newId(), newId()]
  const insert = `insert into kernel.record_total (organization_id, object, n) select $1, 'account', n from generate_series(1, $2::int) n`
  await fresh.database.query(insert, [crowded, 30])
  await fresh.database.query(insert, [quiet, 3])
  await run('totals.fold')
  await run('totals.fold')
  const rows = await fresh.database.query(
    'select organization_id = $1 as crowded, count(*)::int as rows, sum(n)::int as total from kernel.record_total group by 1 order by 1 desc',
    [crowded],
  )
  expect(rows).toEqual([
    { crowded: true, rows: 1, total: 465 },
    { crowded: false, rows: 3, total: 6 },
  ])
})

it('idempotency.forget deletes answers after 24 hours', async () => {
  const insert = `insert into kernel.idempotency (organization_id, id, credential_id, key, step, fingerprint, answer, created_at)
     values ($1, $1, 'key-1', $2, 's', 'f', '{}', $3)`
  await fresh.database.query(insert, [newId(), 'old', '2031-01-30T23:59:00Z'])
  await fresh.database.query(insert, [newId(), 'young', '2031-01-30T23:59:00.001Z'])
  await run('idempotency.forget')
  expect(await fresh.database.query('select key from kernel.idempotency')).toEqual([{ key: 'young' }])
})
