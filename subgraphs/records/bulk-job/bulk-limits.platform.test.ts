import { beforeEach, describe, expect, it } from 'vitest'
import { BulkJobs, type Job } from '../../../test/bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member

beforeEach(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

async function withFile(by: Member, values: object, csv: string): Promise<Job> {
  const job = await jobs.create(by, values)
  expect((await jobs.put(by, job.id, csv)).status).toBe(200)
  return job
}

const createdOf = async (): Promise<string[]> =>
  (
    await platform.query<{ at: Date }>(
      'select created_at as at from crm.account where organization_id = $1 order by name',
      [organizationId],
    )
  ).map(({ at }) => new Date(at).toISOString())

/** Other jobs of the organization, in a state. */
const copies = (id: string, count: number, state: string) =>
  platform.query(
    `insert into records.bulk_job select (jsonb_populate_record(j, jsonb_build_object('id', r.id, 'job_state', $3::text))).*
     from records.bulk_job j, unnest($2::uuid[]) r(id) where j.id = $1`,
    [id, Array.from({ length: count }, newId), state],
  )

describe('the file of a bulk job', () => {
  it('has at most 10,000,000 rows', async () => {
    const loadAfter = async (row: number): Promise<Job> => {
      const { id } = await withFile(owner, {}, 'name\nA\nB\n')
      expect((await jobs.complete(owner, id)).status).toBe(200)
      await platform.query(`update records.bulk_job set checkpoint = checkpoint || $2 where id = $1`, [
        id,
        JSON.stringify({ row }),
      ])
      await jobs.settle()
      return jobs.read(owner, id)
    }
    expect(await loadAfter(9_999_999)).toMatchObject({
      state: 'FAILED',
      errorCode: 'TOO_MANY_ROWS',
      errorMessage: 'The file of a bulk job must have at most 10000000 rows.',
      recordsSucceeded: 0,
    })
    expect(await createdOf()).toEqual([])
    expect(await loadAfter(9_999_998)).toMatchObject({ state: 'JOB_COMPLETE', recordsTotal: 10_000_000 })
  })

  it('has at most 50,000 rows if all of them or none are written', async () => {
    const options = { allOrNone: true, dryRun: true }
    expect(await jobs.load(owner, { options }, `name\n${'A\n'.repeat(50_001)}`)).toMatchObject({
      state: 'FAILED',
      errorCode: 'TOO_MANY_ROWS',
      errorMessage: 'A job that writes all rows or none must have at most 50000 rows.',
      recordsSucceeded: 0,
    })
    expect(await createdOf()).toEqual([])
  })
})

describe('an organization', () => {
  it('has at most 25 bulk jobs that wait for their turn', async () => {
    const { id } = await withFile(owner, {}, 'name\nA\n')
    await copies(id, 25, 'UPLOAD_COMPLETE')
    const another = { body: { object: 'account', operation: 'EXPORT' } }
    for (const refused of [await jobs.complete(owner, id), await owner.rest['bulkJobCreate']!(another as never)])
      expect([refused.status, refused.body.code, refused.body.limit, refused.body.detail]).toEqual([
        409,
        'LIMIT_REACHED',
        25,
        'The organization may have at most 25 bulk jobs that wait for their turn; complete, abort or delete some.',
      ])
    expect(await jobs.read(owner, id)).toMatchObject({ state: 'OPEN' })
    expect(await platform.query('select from records.bulk_run where organization_id = $1', [organizationId])).toEqual(
      [],
    )
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    expect(await jobs.load(other, {}, 'name\nA\n')).toMatchObject({ state: 'JOB_COMPLETE' })
    await platform.query(
      `update records.bulk_job set job_state = 'ABORTED' where id = (select id from records.bulk_job where organization_id = $1 and job_state = 'UPLOAD_COMPLETE' limit 1)`,
      [organizationId],
    )
    expect((await jobs.complete(owner, id)).status).toBe(200)
  })

  it('has at most 100 bulk jobs whose upload is not complete', async () => {
    const { id } = await jobs.create(owner, {})
    await copies(id, 99, 'OPEN')
    const refused = await owner.rest['bulkJobCreate']!({ body: { object: 'account', operation: 'INSERT' } } as never)
    expect([refused.status, refused.body.code, refused.body.limit]).toEqual([409, 'LIMIT_REACHED', 100])
    expect(
      await platform.query('select from records.bulk_job where organization_id = $1', [organizationId]),
    ).toHaveLength(100)
  })
})

describe('the column createdAt of a bulk job', () => {
  const csv = () => {
    const soon = new Date(platform.now.getTime() + 1).toISOString()
    return `name,createdAt\nA,2019-03-05T07:00:00Z\nB,${soon}\nC,\nD,${platform.now.toISOString()}\n`
  }

  it.each(['OWNER', 'ADMIN'] as const)(
    'is the time of creation, which is not in the future, for an %s',
    async (role) => {
      const by = await platform.member({ organizationId, role })
      const job = await jobs.load(by, {}, csv())
      expect(job).toMatchObject({ recordsSucceeded: 3, errorSummary: [{ code: 'IN_FUTURE', count: 1 }] })
      expect(await jobs.results(by, job.id, 'failed')).toContain(
        '\r\n2,IN_FUTURE,createdAt,createdAt must not be in the future.,B,',
      )
      const now = platform.now.toISOString()
      expect(await createdOf()).toEqual(['2019-03-05T07:00:00.000Z', now, now])
    },
  )

  it('is refused in the rows of a member', async () => {
    const member = await platform.member({ organizationId, role: 'MEMBER' })
    const job = await jobs.load(member, {}, csv())
    expect(job).toMatchObject({ recordsSucceeded: 1, errorSummary: [{ code: 'FIELD_NOT_WRITABLE', count: 3 }] })
    expect(await createdOf()).toEqual([platform.now.toISOString()])
  })

  it('does not change with a record', async () => {
    const { id } = await withFile(owner, { operation: 'UPDATE' }, 'id,createdAt\nx,2019-03-05T07:00:00Z\n')
    const { status, body } = await jobs.complete(owner, id)
    expect([status, body.errors?.[0]?.code]).toEqual([400, 'NOT_WRITABLE'])
  })
})
