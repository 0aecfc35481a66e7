import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { BulkJobs } from '../bulk-jobs.fixture.ts'
import { copiesOf } from '../extensions/field-changes.fixture.ts'
import { randomNumbers } from '../extensions/rollups.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { killedAfterEach, killsMs, killsOf, killsSeed, randomParts } from './killed-worker.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
const rows = 30_000
const kills = killsOf(3)
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

describe('a worker that is killed while it loads a file', { timeout: killsMs(kills) }, () => {
  it('loses no row and writes none twice, whenever it dies', async () => {
    const lines = Array.from(
      { length: rows },
      (_, index) => `Account ${index},${index % 1_000 === 7 ? 'x' : index},E${index}`,
    )
    const { id } = await jobs.create(owner, {})
    const bytes = Buffer.from(`name,numberOfEmployees,externalId\n${lines.join('\n')}\n`)
    for (const [index, cut] of [0, 0.31, 0.72].entries()) {
      const end = [0.31, 0.72, 1][index]!
      const part = bytes.subarray(Math.floor(bytes.length * cut), Math.floor(bytes.length * end))
      expect((await jobs.put(owner, id, part, index + 1)).status).toBe(200)
    }
    expect((await jobs.complete(owner, id)).status).toBe(200)
    const count = async (sql: string) =>
      (await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId]))[0]!.n
    const written = () => count('crm.account where organization_id = $1')
    await killedAfterEach(platform, {
      job: 'bulk.deleteExpired',
      queue: 'records.bulk_run',
      parts: randomParts(platform, {
        kills,
        queue: 'records.bulk_run',
        reached: async (part) => expect(await written()).toBeGreaterThanOrEqual(rows * 0.9 * part),
      }),
      end: async () => expect(await jobs.read(owner, id)).toMatchObject({ state: 'JOB_COMPLETE' }),
    })
    const failed = rows / 1_000
    expect(await jobs.read(owner, id)).toMatchObject({
      recordsTotal: rows,
      recordsSucceeded: rows - failed,
      recordsFailed: failed,
    })
    expect(await written()).toBe(rows - failed)
    expect(await count('(select distinct external_id from crm.account where organization_id = $1) e')).toBe(
      rows - failed,
    )
    const events = `kernel.event where organization_id = $1 and type = 'account.created'`
    expect(await count(events)).toBe(rows - failed)
    expect(await count(`(select distinct record_id from ${events}) e`)).toBe(rows - failed)
    const results = (await jobs.results(owner, id, 'successful')).trim().split('\r\n')
    expect(results).toHaveLength(rows - failed + 1)
    expect((await jobs.results(owner, id, 'failed')).trim().split('\r\n')).toHaveLength(failed + 1)
  })

  it('applies the rows of each key once and in their order', async () => {
    const random = randomNumbers(killsSeed)
    const keys = Array.from({ length: 15_000 }, () => random(9_000))
    const last = new Map(keys.map((key, row) => [key, row]))
    const { id } = await jobs.create(owner, { object: 'contact', operation: 'UPSERT', externalIdField: 'externalId' })
    const lines = keys.map((key, row) => `K${key},Lie,k${key}@yard.example,${row}\n`)
    expect((await jobs.put(owner, id, `externalId,lastName,email,title\n${lines.join('')}`)).status).toBe(200)
    expect((await jobs.complete(owner, id)).status).toBe(200)
    const progress = async () => Number((await jobs.read(owner, id))['recordsProcessed'])
    await killedAfterEach(platform, {
      job: 'bulk.deleteExpired',
      queue: 'records.bulk_run',
      parts: randomParts(platform, {
        kills,
        queue: 'records.bulk_run',
        reached: async (part) => expect(await progress()).toBeGreaterThanOrEqual(keys.length * part),
      }),
      end: async () => expect(await jobs.read(owner, id)).toMatchObject({ state: 'JOB_COMPLETE' }),
    })
    const job = await jobs.read(owner, id)
    expect([job['recordsSucceeded'], job['recordsFailed']], `seed ${killsSeed}`).toEqual([keys.length, 0])
    const stored = await platform.query<{ key: string; title: string; version: number; events: number }>(
      `with e as materialized (
         select record_id, count(*)::int as events from kernel.event where organization_id = $1 group by record_id)
       select c.external_id as key, c.title, c.version, e.events from crm.contact c join e on e.record_id = c.id
       where c.organization_id = $1 and c.external_id like 'K%'`,
      [owner.organizationId],
    )
    const counts = Map.groupBy(keys, (key) => key)
    const wrong = stored.filter(({ key, title, version, events }) => {
      const number = Number(key.slice(1))
      const count = counts.get(number)!.length
      return title !== String(last.get(number)) || version !== count || events !== count
    })
    expect([stored.length, wrong], `seed ${killsSeed}`).toEqual([counts.size, []])
  })
})

describe('a worker that is killed while it exports records', { timeout: 300_000 }, () => {
  const accounts = 20_000

  /** Gives accounts between the others another name, again and again, each time in one transaction. */
  async function renameWhile(work: Promise<void>): Promise<void> {
    const state = { isOver: false }
    const over = work.finally(() => (state.isOver = true))
    for (let name = 1; !state.isOver; name++)
      await platform.query(`update crm.account set website = $2 where organization_id = $1 and name like 'Name %00'`, [
        owner.organizationId,
        `https://${name}.example`,
      ])
    await over
  }

  const filesIn = async (state: string): Promise<number> =>
    (
      await platform.query<{ n: number }>(
        'select count(*)::int as n from kernel.file where organization_id = $1 and state = $2',
        [owner.organizationId, state],
      )
    )[0]!.n

  it('begins anew, and the file is whole and of one moment', async () => {
    await platform.query('delete from crm.account where organization_id = $1', [owner.organizationId])
    const { id: first } = await account(owner, { name: 'Name 0', description: 'x'.repeat(3_000) })
    for (let batch = 0; batch < accounts / 2_000; batch++)
      await copiesOf(platform, owner, first, 2_000, `Name ${batch + 1}`)
    await platform.query('delete from crm.account where id = $1', [first])
    const keptBefore = await filesIn('KEPT')
    const query = { fields: ['id', 'name', 'website', 'description'] }
    const { id } = await jobs.create(owner, { operation: 'EXPORT', contentType: 'NDJSON', query })
    const written = (parts: number) => async () => expect(await filesIn('WRITTEN')).toBeGreaterThanOrEqual(parts)
    await renameWhile(
      killedAfterEach(platform, {
        job: 'bulk.deleteExpired',
        queue: 'records.bulk_run',
        parts: [written(1), written(2)],
        end: async () => expect(await jobs.read(owner, id)).toMatchObject({ state: 'JOB_COMPLETE' }),
      }),
    )
    const lines = (await (await jobs.download(owner, id)).text()).trimEnd().split('\n')
    const records = lines.map((line) => JSON.parse(line) as Readonly<Record<'id' | 'name' | 'website', string>>)
    expect(records).toHaveLength(accounts)
    expect(new Set(records.map((record) => record.id)).size).toBe(accounts)
    const renamed = records.filter(({ name }) => name.endsWith('00'))
    expect(renamed.length).toBeGreaterThan(100)
    expect(new Set(renamed.map(({ website }) => website)).size).toBe(1)
    expect(await jobs.read(owner, id)).toMatchObject({ recordsTotal: accounts, recordsSucceeded: accounts })
    // What the killed workers had stored as written is gone; the part that they were writing is swept later.
    expect((await filesIn('KEPT')) - keptBefore).toBe(4)
  })
})
