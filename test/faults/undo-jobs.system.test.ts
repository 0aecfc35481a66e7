import { beforeAll, describe, expect, it, vi } from 'vitest'
import { BulkJobs } from '../bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aWorker, killedAfterEach, killsMs, killsOf, patience, randomParts } from './killed-worker.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
const created = 1_500
const changed = 500
const kills = killsOf(6)
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

const lines = (prefix: string, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `${prefix} ${from + index},E${from + index}\n`).join('')

describe('a worker that is killed while it undoes a bulk job', { timeout: killsMs(kills) }, () => {
  it('takes back each change once, whenever it dies', async () => {
    const head = 'name,externalId\n'
    await jobs.load(owner, {}, head + lines('Before', 0, changed))
    const loading = { operation: 'UPSERT', externalIdField: 'externalId' }
    const loaded = await jobs.load(owner, loading, head + lines('After', 0, changed + created))
    expect(loaded).toMatchObject({ state: 'JOB_COMPLETE', recordsSucceeded: changed + created })
    const answer = await owner.rest['bulkJobUndo']!({ id: loaded.id, body: {} } as never)
    expect(answer.status).toBe(202)
    const { id, operationId } = answer.body as { readonly id: string; readonly operationId: string }
    const read = async () => (await owner.rest['undoJob']!({ id } as never)).body
    const count = async (sql: string) =>
      (await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId]))[0]!.n
    const undone = async (part: number) =>
      expect((await read()).recordsUndone).toBeGreaterThanOrEqual((changed + created) * 0.9 * part)
    await killedAfterEach(platform, {
      job: 'undo.deleteExpired',
      queue: 'records.undo_run',
      // Before its first change, in the middle of the changed records, and of the created ones.
      parts: randomParts(platform, { kills, queue: 'records.undo_run', reached: undone }),
      end: async () => expect((await read()).status).toBe('SUCCEEDED'),
    })
    expect(await read()).toMatchObject({
      recordsTotal: changed + created,
      recordsProcessed: changed + created,
      recordsUndone: changed + created,
      recordsNotUndone: 0,
    })
    const accounts = 'crm.account where organization_id = $1'
    expect(await count(`${accounts} and deleted_at is null and name like 'Before %' and version = 3`)).toBe(changed)
    expect(await count(`${accounts} and deleted_at is not null and name like 'After %' and version = 2`)).toBe(created)
    expect(await count(accounts)).toBe(changed + created)
    const events = `kernel.event where organization_id = $1 and operation_id = '${operationId}'`
    expect(await count(`${events} and type = 'account.updated'`)).toBe(changed)
    expect(await count(`${events} and type = 'account.deleted'`)).toBe(created)
    expect(await count(`(select distinct record_id from ${events}) e`)).toBe(changed + created)
    const results = 'records.undo_result where organization_id = $1 and is_undone'
    expect(await count(results)).toBe(changed + created)
    expect(await count(`(select distinct result ->> 'recordId' from ${results}) r`)).toBe(changed + created)
  })
})

describe('an undo job that is aborted while a worker is at work that is then killed', { timeout: 240_000 }, () => {
  it('has changed exactly what it tells, and goes on with nothing', async () => {
    const loaded = await jobs.load(owner, {}, `name,externalId\n${lines('Aborted', 10_000, 11_500)}`)
    const answer = await owner.rest['bulkJobUndo']!({ id: loaded.id, body: {} } as never)
    const { id, operationId } = answer.body as { readonly id: string; readonly operationId: string }
    const read = async () => (await owner.rest['undoJob']!({ id } as never)).body
    const counts = async () => {
      const [row] = await platform.query<{ deleted: number; events: number; results: number }>(
        `select (select count(*)::int from crm.account where organization_id = $1 and name like 'Aborted %' and deleted_at is not null) as deleted,
           (select count(*)::int from kernel.event where organization_id = $1 and operation_id = $2) as events,
           (select count(*)::int from records.undo_result where organization_id = $1 and job_id = $3) as results`,
        [owner.organizationId, operationId, id],
      )
      return row!
    }
    const worker = await aWorker(platform)
    await worker.start('undo.deleteExpired')
    await vi.waitFor(async () => expect((await read()).recordsUndone).toBeGreaterThanOrEqual(200), patience)
    const aborted = await owner.rest['undoJobAbort']!({ id } as never)
    await worker.kill()
    const { status, body } = aborted
    expect([status, body.status, body.recordsTotal]).toEqual([200, 'ABORTED', 1_500])
    const undone = body.recordsUndone as number
    expect(undone).toBeLessThan(1_500)
    const expected = { deleted: undone, events: undone, results: undone }
    expect(await counts()).toEqual(expected)
    await platform.query(
      `update records.undo_run set next_attempt_at = now() where lease_token is not null and state = 'QUEUED'`,
    )
    await worker.start('undo.deleteExpired')
    const run = () => platform.query<{ state: string }>('select state from records.undo_run where id = $1', [id])
    await vi.waitFor(async () => expect(await run()).toEqual([{ state: 'DONE' }]), patience)
    await worker.kill()
    expect(await counts()).toEqual(expected)
    expect(await read()).toEqual(body)
  })
})
