import { beforeAll, describe, expect, it } from 'vitest'
import { BulkJobs } from '../bulk-jobs.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { killedAfterEach } from './killed-worker.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
const created = 1_500
const changed = 500
let owner: Member

beforeAll(async () => {
  // The processes have the clock of the machine.
  platform.now = new Date()
  owner = await platform.member({ organizationId: await platform.organization('Killed'), role: 'OWNER' })
})

const lines = (prefix: string, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `${prefix} ${from + index},E${from + index}\n`).join('')

describe('a worker that is killed while it undoes a bulk job', { timeout: 600_000 }, () => {
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
    const undone = (part: number) => async () =>
      expect((await read()).recordsUndone).toBeGreaterThanOrEqual((changed + created) * part)
    await killedAfterEach(platform, {
      job: 'undo.deleteExpired',
      queue: 'records.undo_run',
      // Before its first change, in the middle of the changed records, and of the created ones.
      parts: [
        async () => expect((await read()).status).toBe('RUNNING'),
        ...[0.1, 0.25, 0.4, 0.6, 0.8].map((part) => undone(part)),
      ],
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
