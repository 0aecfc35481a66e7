import { beforeEach, describe, expect, it } from 'vitest'
import { account, contact } from '../../../test/builders.ts'
import { BulkJobs, type Job } from '../../../test/bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { statementsOf } from '../../../test/statements.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { duplicateRule, settleDuplicateKeys } from '../duplicates/duplicates.fixture.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member

beforeEach(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

const email = { field: 'email', method: 'EMAIL' }
const byKeys = { matchers: [email] }
/** Each row is compared alone, because the search proposes records, too. */
const alone = { matchers: [email, { field: 'title', method: 'FUZZY', threshold: 0.9 }], logic: 'ANY' }

async function blocking(rule: object): Promise<void> {
  await duplicateRule(owner, rule)
  await settleDuplicateKeys(platform)
}
const create = (values: object, by = owner) =>
  by.rest['contactCreate']!({ body: { lastName: 'Dahl', ...values } } as never)
const update = (id: string, values: object) => owner.rest['contactUpdate']!({ id, body: values } as never)
const countOf = async (address: string) =>
  (
    await platform.query(
      'select from crm.contact where organization_id = $1 and lower(email) = $2 and deleted_at is null',
      [organizationId, address],
    )
  ).length
/** Resolves when so many others wait for the transaction, or for one that waits for it. */
async function isAwaitedBy(sql: Sql, count: number): Promise<void> {
  const [own] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid')
  const waiting = async () => {
    const [row] = await platform.query<{ count: number }>(
      `with recursive activity as materialized (
         select pid, pg_blocking_pids(pid) as before from pg_stat_activity where datname = current_database()),
       waiting(pid) as (select $1::int union select a.pid from activity a join waiting w on w.pid = any(a.before))
       select count(*)::int - 1 as count from waiting`,
      [own!.pid],
    )
    return row!.count
  }
  await expect.poll(waiting, { interval: 5, timeout: 30_000 }).toBe(count)
}

async function uploaded(values: object, csv: string): Promise<Job> {
  const job = await jobs.create(owner, { object: 'contact', ...values })
  await jobs.put(owner, job.id, csv)
  expect((await jobs.complete(owner, job.id)).status).toBe(200)
  return job
}

/** Processes a job. While `work` runs, the job has written rows and waits for another transaction, which has the external id `LAST`. */
async function loadDuring(id: string, work: (sql: Sql) => Promise<void>): Promise<Job> {
  const holder = (await contact(owner, { lastName: 'Holder' })) as { id: string }
  const setTo = 'update crm.contact set external_id = $2 where id = $1'
  const [settled] = await platform.inSeparateTransaction(async (sql) => {
    await sql.query(setTo, [holder.id, 'LAST'])
    const settling = jobs.settle()
    await isAwaitedBy(sql, 1)
    await work(sql)
    await sql.query(setTo, [holder.id, null])
    return [settling] as const
  })
  await settled
  return jobs.read(owner, id)
}

const rows = Array.from({ length: 60 }, (_, n) => `p${n}@yard.example,${n === 59 ? 'LAST' : `E${n}`}`)
const file = `email,externalId,lastName\n${rows.map((row) => `${row},Dahl`).join('\n')}\n`

describe('a bulk job under a rule that blocks', () => {
  it.each([
    ['together', byKeys, {}],
    ['one by one', alone, {}],
    ['all or none', byKeys, { allOrNone: true }],
  ])('does not let other writes wait while it writes rows: %s', async (_, rule, options) => {
    await blocking(rule)
    const { id } = await uploaded({ options }, file)
    const job = await loadDuring(id, async () => {
      expect((await create({ email: 'other@yard.example' })).status).toBe(201)
    })
    expect(job).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: 60, recordsFailed: 0 })
  })

  it.each([
    ['together', byKeys],
    ['one by one', alone],
  ])('refuses a row whose key another write has taken meanwhile: %s', async (_, rule) => {
    await blocking(rule)
    const { id } = await uploaded({}, file)
    const job = await loadDuring(id, async () => {
      expect((await create({ email: 'P7@yard.example' })).status).toBe(201)
    })
    expect(job).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: 59,
      recordsFailed: 1,
      errorSummary: [{ code: 'DUPLICATE_DETECTED', count: 1 }],
    })
    expect(await countOf('p7@yard.example')).toBe(1)
    expect((await jobs.results(owner, id, 'failed')).split('\r\n')[1]).toMatch(/^8,DUPLICATE_DETECTED,/)
  })

  it('writes all rows or none when another write has taken a key meanwhile', async () => {
    await blocking(byKeys)
    const { id } = await uploaded({ options: { allOrNone: true } }, file)
    await loadDuring(id, async () => {
      expect((await create({ email: 'p7@yard.example' })).status).toBe(201)
    })
    expect([await countOf('p7@yard.example'), await countOf('p8@yard.example')]).toEqual([1, 0])
    await platform.query('update records.bulk_run set next_attempt_at = now() where id = $1', [id])
    await jobs.settle()
    expect(await jobs.read(owner, id)).toMatchObject({ state: 'FAILED', errorCode: 'ROLLED_BACK', recordsSucceeded: 0 })
    expect(await countOf('p8@yard.example')).toBe(0)
  })

  it('gives way to a write that has a key and waits for a row of the job', async () => {
    await blocking(byKeys)
    const { id } = await uploaded({}, file)
    const [settled, created] = await platform.inSeparateTransaction(async (sql) => {
      // The job waits for it at the end of its transaction, when it stores its results.
      await sql.query(
        `insert into records.bulk_chunk (organization_id, job_id, first_row, row_count, byte, succeeded, failed, results)
         values ($1, $2, 1, 0, 0, 0, 0, '[]')`,
        [organizationId, id],
      )
      const settling = jobs.settle()
      await isAwaitedBy(sql, 1)
      const creating = create({ email: 'p7@yard.example', externalId: 'E7' })
      await isAwaitedBy(sql, 2)
      await sql.query('delete from records.bulk_chunk where job_id = $1', [id])
      return [settling, creating] as const
    })
    expect((await created).status).toBe(201)
    await settled
    expect(await jobs.read(owner, id)).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: 59, recordsFailed: 1 })
    expect(await countOf('p7@yard.example')).toBe(1)
  })

  it.each([
    ['together', byKeys],
    ['one by one', alone],
  ])('and a change of a record that a row changes never wait for each other: %s', async (_, rule) => {
    await blocking(rule)
    const known = (await contact(owner, { email: 'known@yard.example' })) as { id: string }
    const csv = 'email,externalId,lastName\nnew@yard.example,LAST,Lie\nKNOWN@yard.example,,Berg\n'
    const { id } = await uploaded({ options: { duplicateStrategy: 'UPDATE' } }, csv)
    let updating: ReturnType<typeof update> | null = null
    const job = await loadDuring(id, async (sql) => {
      updating = update(known.id, { email: 'new@yard.example' })
      await isAwaitedBy(sql, 2)
    })
    expect(job).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: 2, recordsFailed: 0 })
    const { status, body } = await updating!
    expect([status, body.code]).toEqual([409, 'DUPLICATE_DETECTED'])
    expect([await countOf('new@yard.example'), await countOf('known@yard.example')]).toEqual([1, 1])
  })

  it('writes the rows that duplicate nothing by few statements', async () => {
    await blocking({ object: 'account', matchers: [{ field: 'name', method: 'COMPANY' }] })
    await account(owner, { name: 'Halvorsen' })
    const lines = Array.from({ length: 400 }, (_, n) => `Yard ${n === 300 ? 7 : n}`)
    lines[100] = 'Halvorsen AS'
    const { id } = await uploaded({ object: 'account' }, `name\n${lines.join('\n')}\n`)
    const writing = /insert into crm\.account|from kernel\.record_value/
    const writes = await statementsOf(platform, () => jobs.settle(), writing, { inTransactions: true })
    expect(await jobs.read(owner, id)).toMatchObject({ recordsSucceeded: 398, recordsFailed: 2 })
    expect((await jobs.results(owner, id, 'failed')).match(/^\d+,DUPLICATE_DETECTED/gm)).toEqual([
      '101,DUPLICATE_DETECTED',
      '301,DUPLICATE_DETECTED',
    ])
    expect(writes.length).toBeLessThan(12)
  })
})

describe('two bulk jobs that write the same external ids at once', () => {
  const both = ['LAST', ...Array.from({ length: 59 }, (_, n) => `E${n}`)]
  const fileOf = (ids: readonly string[], title: string) =>
    `externalId,lastName,title\n${ids.map((id) => `${id},Dahl,${title}\n`).join('')}`
  const insert = { operation: 'INSERT' }
  const upsert = { operation: 'UPSERT', externalIdField: 'externalId' }
  const written = { recordsSucceeded: 60, recordsFailed: 0 }
  const taken = { recordsSucceeded: 0, recordsFailed: 60, errorSummary: [{ code: 'UNIQUE_VIOLATION', count: 60 }] }

  it.each([
    ['insert them', insert, insert, taken, 1],
    ['upsert them', upsert, upsert, written, 2],
    ['insert and upsert them', insert, upsert, written, 2],
    ['upsert and insert them', upsert, insert, taken, 1],
  ])('have one record of each when they %s', async (_, first, second, outcome, version) => {
    const one = await uploaded(first, fileOf(both, 'First'))
    let other: Job | null = null
    let settling: Promise<void> | null = null
    const ended = await loadDuring(one.id, async (sql) => {
      // In another order, so that they would wait for each other if each took its keys one by one.
      other = await uploaded(second, fileOf(both.toReversed(), 'Second'))
      settling = jobs.settle()
      await isAwaitedBy(sql, 2)
    })
    await settling
    expect(ended).toMatchObject({ state: 'JOB_COMPLETE', ...written })
    expect(await jobs.read(owner, other!.id)).toMatchObject({ state: 'JOB_COMPLETE', ...outcome })
    const stored = await platform.query<{ id: string; key: string; title: string; version: number }>(
      `select id, external_id as key, title, version from crm.contact where organization_id = $1 and external_id is not null and last_name = 'Dahl'`,
      [organizationId],
    )
    expect(stored.map(({ key }) => key).toSorted()).toEqual(both.toSorted())
    const title = version === 1 ? 'First' : 'Second'
    expect(stored.filter((record) => record.version !== version || record.title !== title)).toEqual([])
    const events = await platform.query(
      `select from kernel.event where organization_id = $1 and record_id = any($2) and type like 'contact.%'`,
      [organizationId, stored.map(({ id }) => id)],
    )
    expect(events).toHaveLength(60 * version)
  })
})
