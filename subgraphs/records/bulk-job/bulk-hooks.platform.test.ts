import { beforeEach, describe, expect, it } from 'vitest'
import { BulkJobs, type Job } from '../../../test/bulk-jobs.fixture.ts'
import { useHookReceiver, type HookRequest } from '../../../test/extensions/hook-receiver.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'
import { ageQueueItems } from '../../kernel/queue/queue.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member

beforeEach(async () => {
  receiver.reset()
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
})

const rows = 600
const has = ({ records }: HookRequest, name: string): boolean => records.some(({ values }) => values['name'] === name)
const checked = ({ records }: HookRequest) => ({
  results: records.map(() => ({ decision: 'ALLOW', changes: { description: 'Checked' } })),
})

/** Creates a job of 600 rows, on which a hook decides: 500 of them in the first transaction, in calls of 100. */
async function uploaded(failureMode: 'FAIL_OPEN' | 'FAIL_CLOSED'): Promise<Job> {
  const hook = { name: 'Check', objectType: 'ACCOUNT', operations: ['CREATE'], url: receiver.url, failureMode }
  expect((await owner.rest['beforeSaveHookCreate']!({ body: hook } as never)).status).toBe(201)
  const job = await jobs.create(owner, {})
  const lines = Array.from({ length: rows }, (_, row) => `N${row}\n`)
  await jobs.put(owner, job.id, `name\n${lines.join('')}`)
  expect((await jobs.complete(owner, job.id)).status).toBe(200)
  return job
}

/** The rows that were written, with what the hook says of them. */
const written = async () => {
  const found = await platform.query<{ row: number; description: string | null }>(
    `select substr(name, 2)::int as row, description from crm.account where organization_id = $1 order by 1`,
    [organizationId],
  )
  const [{ events } = { events: -1 }] = await platform.query<{ events: number }>(
    `select count(distinct record_id)::int as events from kernel.event where organization_id = $1 and type = 'account.created'`,
    [organizationId],
  )
  expect(events).toBe(found.length)
  return found
}
const run = async (id: string) => {
  const [found] = await platform.query<{ pauses: number; waitsMs: number; token: string | null }>(
    `select pauses, (extract(epoch from next_attempt_at - now()) * 1000)::float8 as "waitsMs", lease_token as token
     from records.bulk_run where id = $1`,
    [id],
  )
  return found!
}
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

describe('a bulk job whose hook does not decide', () => {
  it('writes the records of the failed call as they are, if the hook fails open', async () => {
    const { id } = await uploaded('FAIL_OPEN')
    receiver.decide = (request, response) =>
      has(request, 'N150') || has(request, 'N570') ? void response.writeHead(500).end() : checked(request)
    await jobs.settle()
    expect(await jobs.read(owner, id)).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: rows,
      errorMessage: null,
    })
    const found = await written()
    expect(found.map(({ row }) => row)).toEqual(range(0, rows))
    const unchecked = found.flatMap(({ row, description }) => (description === 'Checked' ? [] : [row]))
    expect(unchecked).toEqual([...range(100, 200), ...range(500, 600)])
  })

  it('waits with the records of the transaction, and pauses for minutes after ten attempts, if it fails closed', async () => {
    const { id } = await uploaded('FAIL_CLOSED')
    receiver.decide = (request, response) =>
      has(request, 'N510') ? void response.writeHead(500).end() : checked(request)
    const waits: number[] = []
    for (let attempt = 1; attempt <= 11; attempt++) {
      await jobs.settle()
      const { pauses, waitsMs } = await run(id)
      expect(pauses).toBe(attempt)
      waits.push(waitsMs)
      expect(await jobs.read(owner, id)).toMatchObject({
        state: 'IN_PROGRESS',
        errorMessage: expect.stringMatching(/^The hook Check cannot decide at the moment; retry in \d+ s\.$/) as string,
        recordsSucceeded: 500,
        recordsFailed: 0,
      })
      await ageQueueItems(platform.services, 'records.bulk_run', 300_000)
      platform.advanceClock(300_000)
    }
    expect((await written()).map(({ row }) => row)).toEqual(range(0, 500))
    // A wait is measured some time after it began, by another clock than the one that ends it.
    const clocksMs = 50
    const longest = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 300].map((seconds) => seconds * 1_000)
    expect(waits.filter((ms, index) => ms > longest[index]! + clocksMs)).toEqual([])
    expect(waits[10]).toBeGreaterThan(120_000)

    receiver.decide = checked
    await jobs.settle()
    expect(await jobs.read(owner, id)).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: rows,
      errorMessage: null,
    })
    expect((await written()).map(({ row }) => row)).toEqual(range(0, rows))
    expect((await run(id)).pauses).toBe(0)
  })
})

describe('a worker that has lost its lease', () => {
  it('writes no further row of the job, which another worker completes, however many were lost before the last progress', async () => {
    const { id } = await uploaded('FAIL_CLOSED')
    const other = newId()
    const take = `update records.bulk_run set lease_token = $2, next_attempt_at = now() + interval '1 hour' where id = $1`
    const lostBefore = 'update records.bulk_run set attempts = 20 where id = $1'
    receiver.decide = (request, response) => {
      if (!has(request, 'N50') && !has(request, 'N550')) return checked(request)
      void platform
        .query(has(request, 'N50') ? lostBefore : take, has(request, 'N50') ? [id] : [id, other])
        .then(() =>
          response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(checked(request))),
        )
      return undefined
    }
    await jobs.settle()
    expect((await written()).map(({ row }) => row)).toEqual(range(0, 500))
    const job = await jobs.read(owner, id)
    expect(job).toMatchObject({ state: 'IN_PROGRESS', recordsSucceeded: 500, errorMessage: null })
    expect((await run(id)).token).toBe(other)
    const chunks = 'select first_row as first, row_count as count from records.bulk_chunk where job_id = $1 order by 1'
    expect(await platform.query(chunks, [id])).toEqual([{ first: 1, count: 500 }])

    receiver.decide = checked
    await ageQueueItems(platform.services, 'records.bulk_run', 7_200_000)
    await jobs.settle()
    expect(await jobs.read(owner, id)).toMatchObject({
      state: 'JOB_COMPLETE',
      recordsSucceeded: rows,
      recordsFailed: 0,
    })
    expect((await written()).map(({ row }) => row)).toEqual(range(0, rows))
  })
})
