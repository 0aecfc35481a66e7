import 'reflect-metadata'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { definedTypes, jobs, migrations, recordTypes, subgraphs } from '../../all.ts'
import { account } from '../../crm/account/account.record.ts'
import { sequenceAttempt } from '../../outreach/enrollment/attempt.record.ts'
import { migrate, type Migration } from '../database/migrate.ts'
import { newId } from '../ids.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import { columnOf } from './definition.ts'
import { measureColumn, mergeTotals, totalsTable, withValueColumn } from './maintained-totals.ts'

let fresh: FreshDatabase
let organizationId: string
const clock = manualClock('2031-01-31T23:59:00Z')

beforeAll(async () => {
  fresh = await freshDatabase()
})
beforeEach(() => {
  organizationId = newId()
})
afterAll(() => fresh.drop())

const insertAccounts = (from: number, to: number, organization = organizationId) =>
  fresh.database.query(
    `insert into crm.account (organization_id, id, name, type, industry, account_status, annual_revenue, custom_fields, version, created_at, updated_at)
     select $1, gen_random_uuid(), 'A', case when i % 3 > 0 then 'CUSTOMER' end, 'Industry ' || i % 4, 'ACTIVE', i + 0.25, '{}', 1, now(), now()
     from generate_series($2::int, $3::int) i`,
    [organization, from, to],
  )

/** The rows of the totals, without the difference between merged and not merged groups. */
const rows = (organization = organizationId) =>
  fresh.database.query<{ kind: string; type: string | null; industry: string | null; n: number; revenue: string }>(
    `select kind, type, industry, n::int, annual_revenue::text as revenue from crm.account_totals where organization_id = $1
     order by kind, type, industry`,
    [organization],
  )

const total = async (): Promise<unknown> =>
  (
    await fresh.database.query(
      `select sum(n) filter (where kind in ('CHANGE', 'GROUP'))::int as groups, sum(n) filter (where kind in ('CHANGE', 'TOTAL'))::int as total,
         sum(n) filter (where kind in ('CHANGE', 'industry') and industry is not null)::int as industries, sum(annual_revenue)::float8 as revenue
       from crm.account_totals where organization_id = $1`,
      [organizationId],
    )
  )[0]

const merge = () => mergeTotals(fresh.database, [account])

describe('mergeTotals', () => {
  it('makes one row of each group, and leaves organizations with few differences alone', async () => {
    const quiet = newId()
    await insertAccounts(1, 3, quiet)
    for (let i = 0; i < 30; i++) await insertAccounts(i, i)
    const run = jobs.find(({ name }) => name === 'totals.merge')!
    await run.run(servicesOf(fresh.database, clock))
    await run.run(servicesOf(fresh.database, clock))
    expect(await rows()).toEqual([
      { kind: 'GROUP', type: 'CUSTOMER', industry: null, n: 20, revenue: '305.00' },
      { kind: 'GROUP', type: null, industry: null, n: 10, revenue: '137.50' },
      { kind: 'TOTAL', type: null, industry: null, n: 30, revenue: '0' },
      { kind: 'industry', type: null, industry: 'Industry 0', n: 8, revenue: '0' },
      { kind: 'industry', type: null, industry: 'Industry 1', n: 8, revenue: '0' },
      { kind: 'industry', type: null, industry: 'Industry 2', n: 7, revenue: '0' },
      { kind: 'industry', type: null, industry: 'Industry 3', n: 7, revenue: '0' },
    ])
    expect((await rows(quiet)).map(({ kind, n }) => [kind, n])).toEqual([
      ['CHANGE', 1],
      ['CHANGE', 1],
      ['CHANGE', 1],
    ])
  })

  it('adds differences to the merged rows, and removes groups without records', async () => {
    for (let i = 0; i < 30; i++) await insertAccounts(i, i)
    await merge()
    for (let i = 0; i < 30; i++)
      await fresh.database.query(
        `update crm.account set type = 'PARTNER', industry = 'Retail' where organization_id = $1 and annual_revenue = $2`,
        [organizationId, i + 0.25],
      )
    await merge()
    expect(await rows()).toEqual([
      { kind: 'GROUP', type: 'PARTNER', industry: null, n: 30, revenue: '442.50' },
      { kind: 'TOTAL', type: null, industry: null, n: 30, revenue: '0' },
      { kind: 'industry', type: null, industry: 'Retail', n: 30, revenue: '0' },
    ])
    for (let i = 0; i < 30; i++)
      await fresh.database.query(`delete from crm.account where organization_id = $1 and annual_revenue = $2`, [
        organizationId,
        i + 0.25,
      ])
    await merge()
    expect(await rows()).toEqual([])
  })

  it('leaves one row for each group after several workers and writers at once, with exact sums', async () => {
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? merge() : insertAccounts(i, i).then(() => undefined))),
    )
    for (let i = 0; i < 30; i++) await insertAccounts(i, i)
    await merge()
    const merged = await rows()
    expect(new Set(merged.map(({ kind, type, industry }) => `${kind} ${type} ${industry}`)).size).toBe(merged.length)
    const [stored] = await fresh.database.query(
      `select count(*)::int as groups, count(*)::int as total, count(industry)::int as industries, sum(annual_revenue)::float8 as revenue
       from crm.account where organization_id = $1`,
      [organizationId],
    )
    expect(await total()).toEqual(stored)
  })

  it('changes nothing when its connection ends between the deletes and the inserts', async () => {
    for (let i = 0; i < 30; i++) await insertAccounts(i, i)
    const before = await rows()
    await fresh.database.query(
      `create function kill() returns trigger language plpgsql as $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
    )
    await fresh.database.query(
      `create trigger kill before insert on crm.account_totals for each row when (new.kind = 'TOTAL') execute function kill()`,
    )
    await expect(merge()).rejects.toThrow('terminat')
    await fresh.database.query('drop trigger kill on crm.account_totals')
    expect(await rows()).toEqual(before)
    await merge()
    expect(await total()).toEqual({ groups: 30, total: 30, industries: 30, revenue: 442.5 })
  })
})

describe('the totals of a record type', () => {
  const maintained = [...recordTypes, ...definedTypes].filter(({ totals }) => totals !== undefined)

  it('are maintained for every table that has them', async () => {
    const found = await fresh.database.query<{ name: string }>(
      `select relnamespace::regnamespace || '.' || relname as name from pg_class c where c.relkind = 'r' and c.relname like '%\\_totals' order by 1`,
    )
    // The totals of attempts have a job of their own, because attempts are no record type.
    expect(found.map(({ name }) => name)).toEqual([...maintained, sequenceAttempt].map(totalsTable).toSorted())
  })

  it.each(maintained.map((definition) => [definition.object, definition] as const))(
    'have a column for each name in the definition: %s',
    async (_, definition) => {
      const { by, separately = [], measures = {} } = definition.totals!
      const columns = await fresh.database.query<{ name: string }>(
        'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 order by 1',
        [totalsTable(definition)],
      )
      expect(columns.map(({ name }) => name)).toEqual(
        [
          'organization_id',
          'kind',
          'n',
          ...[...by, ...separately].map((name) => columnOf(definition, name).column),
          ...Object.keys(measures).map(measureColumn),
          ...separately.map((name) => withValueColumn(definition, name)),
        ].toSorted(),
      )
    },
  )

  it('are filled from existing rows by the migration', async () => {
    const older = await freshDatabase()
    const { database } = older
    await database.query(`drop schema kernel, ${subgraphs.map(({ name }) => name).join(', ')} cascade`)
    const isEarlier = ({ name }: Migration) => !name.endsWith('-totals') && name !== '20261122-kernel-drop-record-total'
    await migrate(database, older.url, migrations.filter(isEarlier))
    await database.query(
      `insert into crm.account (organization_id, id, name, type, industry, account_status, annual_revenue, custom_fields, version, created_at, updated_at, deleted_at)
       select $1, gen_random_uuid(), 'A', 'CUSTOMER', case when i > 1 then 'Retail' end, 'ACTIVE', 2.5, '{}', 1, now(), now(), case when i = 4 then now() end
       from generate_series(1, 4) i`,
      [organizationId],
    )
    await migrate(database, older.url, migrations)
    const filled = await database.query(
      `select kind, type, industry, n::int, annual_revenue::text as revenue, with_industry::int as "withIndustry"
       from crm.account_totals where organization_id = $1 order by kind`,
      [organizationId],
    )
    await older.drop()
    expect(filled).toEqual([
      { kind: 'GROUP', type: 'CUSTOMER', industry: null, n: 3, revenue: '7.5', withIndustry: 2 },
      { kind: 'TOTAL', type: null, industry: null, n: 3, revenue: '0', withIndustry: 0 },
      { kind: 'industry', type: null, industry: 'Retail', n: 2, revenue: '0', withIndustry: 0 },
    ])
  })
})
