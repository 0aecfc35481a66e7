import { beforeEach, describe, expect, it } from 'vitest'
import { BulkJobs, type Job } from '../../../test/bulk-jobs.fixture.ts'
import { memberWithout } from '../../../test/extensions/custom-objects.fixture.ts'
import { useHookReceiver } from '../../../test/extensions/hook-receiver.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import type { Answer } from '../../../test/rest-client.ts'
import { statementsOf } from '../../../test/statements.ts'
import { newId } from '../../kernel/ids.ts'
import { ageQueueItems, drain } from '../../kernel/queue/queue.fixture.ts'
import { deleteUndoJobs } from './undo-job.jobs.ts'
import { undoQueue } from './undo-job.queue.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()
const bulk = new BulkJobs(platform)
let organizationId: string
let owner: Member

beforeEach(async () => {
  receiver.reset()
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
  platform.advanceClock(1000)
})

const assignPositions = () => platform.query('select kernel.assign_event_positions(100000)')

async function ok(answer: Promise<Answer>, status = 200): Promise<Answer['body']> {
  const found = await answer
  expect(found.status, JSON.stringify(found.body)).toBe(status)
  return found.body
}

const undo = (by: Member, body: object) => by.rest['undo']!({ body } as never)
const undoBulk = (by: Member, id: string, body: object = {}) => by.rest['bulkJobUndo']!({ id, body } as never)
const read = async (by: Member, id: string) => ok(by.rest['undoJob']!({ id } as never))
const undoneOf = async (by: Member, id: string, query = {}) =>
  ok(by.rest['undoneRecordList']!({ id, query: { includeTotal: true, ...query } } as never))
const notUndoneOf = async (by: Member, id: string) => (await ok(by.rest['notUndoneList']!({ id } as never))).data

/** Does what is due, as one worker does: turn after turn. */
async function settle(): Promise<void> {
  await assignPositions()
  let due: unknown[]
  do {
    await drain(undoQueue, platform.services)
    due = await platform.query(
      `select from records.undo_run where state = 'QUEUED' and lease_token is null and next_attempt_at <= now()`,
    )
  } while (due.length > 0)
}

/** Undoes a bulk job, and waits until that has ended. */
async function undone(by: Member, { id }: Job, body: object = {}): Promise<Answer['body']> {
  const job = await ok(undoBulk(by, id, body), 202)
  await settle()
  return read(by, job.id)
}

const csvOf = (count: number): string =>
  `name,externalId\n${Array.from({ length: count }, (_, index) => `A${index},E${index}`).join('\n')}\n`

interface Stored extends Record<string, unknown> {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly isDeleted: boolean
}
const accounts = () =>
  platform.query<Stored>(
    `select id, name, version, deleted_at is not null as "isDeleted" from crm.account where organization_id = $1 order by external_id`,
    [organizationId],
  )
const countOfLive = async (): Promise<number> => (await accounts()).filter(({ isDeleted }) => !isDeleted).length
const countOfEvents = async (type: string): Promise<number> =>
  (
    await platform.query<{ n: number }>(
      'select count(*)::int as n from kernel.event where organization_id = $1 and type = $2',
      [organizationId, type],
    )
  )[0]!.n

const upsert = { operation: 'UPSERT', externalIdField: 'externalId' }

/** Two accounts that existed, of which a bulk job changed the names, and two that it created. */
async function upserted(): Promise<Job> {
  await bulk.load(owner, {}, 'name,externalId\nOne,E1\nTwo,E2\n')
  platform.advanceClock(1000)
  const job = await bulk.load(owner, upsert, 'name,externalId\nUno,E1\nDos,E2\nTres,E3\nCuatro,E4\n')
  platform.advanceClock(1000)
  return job
}

const idOf = async (name: string): Promise<string> => (await accounts()).find((account) => account.name === name)!.id
const rename = (name: string, to: string, by = owner) =>
  idOf(name).then((id) => ok(by.rest['accountUpdate']!({ id, body: { name: to } } as never)))

/** One transaction of a job whose process ends before it has recorded what became of its attempt. */
async function stepAndDie(id: string): Promise<void> {
  await assignPositions()
  const token = newId()
  await platform.query(
    `update records.undo_run set lease_token = $2, attempts = attempts + 1, is_due = false, next_attempt_at = now() + interval '1 minute' where id = $1`,
    [id, token],
  )
  const item = { id, attempts: 1, token, lostToken: null, organization: organizationId, pauses: 0 }
  await undoQueue.attempt(platform.services, item, AbortSignal.abort())
}

/** Another process does the rest. */
async function settleAfterLease(): Promise<void> {
  await ageQueueItems(platform.services, undoQueue.table, 120_000)
  await settle()
}

describe('an undo of more than 500 records', () => {
  it('is a job, whose results are told page by page, and can be undone itself', { timeout: 120_000 }, async () => {
    const count = 501
    const { operationId } = await bulk.load(owner, {}, csvOf(count))
    const answer = await ok(undo(owner, { operationId }), 202)
    const { job } = answer
    expect(answer).toMatchObject({ isComplete: false, dryRun: false, undone: [], notUndone: [] })
    expect(job).toMatchObject({
      status: 'QUEUED',
      undoneOperationId: operationId,
      operationId: answer.operationId,
      onConflict: 'REFUSE',
      recordsTotal: null,
      recordsProcessed: 0,
      createdById: owner.userId,
      endedAt: null,
    })
    expect(await countOfLive()).toBe(count)
    await settle()
    expect(await read(owner, job.id)).toMatchObject({
      status: 'SUCCEEDED',
      recordsTotal: count,
      recordsProcessed: count,
      recordsUndone: count,
      recordsNotUndone: 0,
      errorCode: null,
      endedAt: platform.now.toISOString(),
    })
    expect([await countOfLive(), await countOfEvents('account.deleted')]).toEqual([0, count])
    const first = await undoneOf(owner, job.id, { limit: 100 })
    expect([first.total, first.totalPages, first.data.length]).toEqual([count, 6, 100])
    const pages = [first]
    while (pages.at(-1)!.hasMore)
      pages.push(await undoneOf(owner, job.id, { limit: 100, cursor: pages.at(-1)!.nextCursor }))
    const ids = pages.flatMap(({ data }) => data.map(({ recordId }: { recordId: string }) => recordId))
    expect(new Set(ids)).toEqual(new Set((await accounts()).map(({ id }) => id)))
    expect(first.data[0]).toMatchObject({ object: 'account', action: 'DELETED', fields: [] })
    const [event] = await platform.query(
      `select distinct operation_id, actor_id, origin ->> 'kind' as kind from kernel.event where organization_id = $1 and type = 'account.deleted'`,
      [organizationId],
    )
    expect(event).toEqual({ operation_id: job.operationId, actor_id: owner.userId, kind: 'UNDO_JOB' })
    const again = await ok(undo(owner, { operationId: job.operationId }), 202)
    await settle()
    expect(await read(owner, again.job.id)).toMatchObject({ status: 'SUCCEEDED', recordsUndone: count })
    expect([await countOfLive(), await countOfEvents('account.restored')]).toEqual([count, count])
  })

  it('of a user in a time is a job too', { timeout: 120_000 }, async () => {
    const from = platform.now.toISOString()
    const member = await platform.member({ organizationId, role: 'ADMIN' })
    await bulk.load(owner, {}, 'name,externalId\nKept,X\n')
    await bulk.load(member, {}, csvOf(501))
    platform.advanceClock(1000)
    const { job } = await ok(undo(owner, { userId: member.userId, from, objects: ['account'] }), 202)
    expect(job).toMatchObject({ undoneOperationId: null, undoneUserId: member.userId })
    await settle()
    expect(await read(owner, job.id)).toMatchObject({ status: 'SUCCEEDED', recordsTotal: 501, recordsUndone: 501 })
    expect((await accounts()).filter(({ isDeleted }) => !isDeleted)).toMatchObject([{ name: 'Kept' }])
  })
})

describe('an undo in one transaction', () => {
  it('asks the hooks of all records together', async () => {
    const { operationId } = await bulk.load(owner, {}, csvOf(30))
    const body = { name: 'Check', objectType: 'ACCOUNT', operations: ['DELETE'], url: receiver.url }
    await ok(owner.rest['beforeSaveHookCreate']!({ body } as never), 201)
    const kept = await idOf('A7')
    receiver.decide = ({ records }) => ({
      results: records.map(({ id }) =>
        id === kept ? { decision: 'REJECT', message: 'Not this one.' } : { decision: 'ALLOW' },
      ),
    })
    const refused = await undo(owner, { operationId })
    expect([refused.status, refused.body.errors]).toMatchObject([409, [{ code: 'REFUSED', recordId: kept }]])
    expect(receiver.received.map(({ records }) => records.length)).toEqual([30])
    expect(await countOfLive()).toBe(30)
    const answer = await ok(undo(owner, { operationId, onConflict: 'SKIP' }))
    expect([answer.isComplete, answer.job, answer.undone.length, answer.notUndone.length]).toEqual([true, null, 29, 1])
    expect(await countOfLive()).toBe(1)
  })
})

describe('an undo of a bulk job', () => {
  it('gives changed records back their values, and then deletes those that were created', async () => {
    const job = await undone(owner, await upserted())
    expect(job).toMatchObject({ status: 'SUCCEEDED', recordsTotal: 4, recordsUndone: 4, recordsNotUndone: 0 })
    expect(await accounts()).toMatchObject([
      { name: 'One', version: 3, isDeleted: false },
      { name: 'Two', version: 3, isDeleted: false },
      { name: 'Tres', isDeleted: true },
      { name: 'Cuatro', isDeleted: true },
    ])
    const { data } = await undoneOf(owner, job.id)
    expect(data).toMatchObject([
      { action: 'DELETED', recordId: await idOf('Tres') },
      { action: 'DELETED', recordId: await idOf('Cuatro') },
      { action: 'UPDATED', recordId: await idOf('One'), fields: ['name'] },
      { action: 'UPDATED', recordId: await idOf('Two'), fields: ['name'] },
    ])
  })

  it('restores what was deleted', async () => {
    await bulk.load(owner, {}, csvOf(3))
    const gone = await bulk.load(
      owner,
      { operation: 'DELETE', externalIdField: 'externalId' },
      'externalId\nE0\nE1\nE2\n',
    )
    expect(await countOfLive()).toBe(0)
    expect(await undone(owner, gone)).toMatchObject({ status: 'SUCCEEDED', recordsUndone: 3 })
    expect(await countOfLive()).toBe(3)
  })

  it('takes back what a job wrote before it was aborted', { timeout: 120_000 }, async () => {
    const body = { name: 'Check', objectType: 'ACCOUNT', operations: ['CREATE'], url: receiver.url }
    await ok(owner.rest['beforeSaveHookCreate']!({ body } as never), 201)
    const { id } = await bulk.create(owner, {})
    expect((await bulk.put(owner, id, csvOf(520))).status).toBe(200)
    await ok(bulk.complete(owner, id) as never)
    // A chunk has 500 rows where hooks decide; the job is aborted while the second one is decided.
    let chunks = 0
    let aborted: Promise<unknown> | null = null
    receiver.decide = ({ records }, response) => {
      const allow = () =>
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ results: records.map(() => ({ decision: 'ALLOW' })) }))
      if (records.some(({ values }) => values['name'] === 'A510') && (chunks += 1) === 1)
        aborted = ok(owner.rest['bulkJobUpdate']!({ id, body: { state: 'ABORTED' } } as never)).finally(allow)
      else allow()
      return undefined
    }
    await bulk.settle()
    await aborted
    const job = await bulk.read(owner, id)
    expect(job).toMatchObject({ state: 'ABORTED', recordsSucceeded: 500 })
    expect(await countOfLive()).toBe(500)
    expect(await undone(owner, job)).toMatchObject({ status: 'SUCCEEDED', recordsTotal: 500, recordsUndone: 500 })
    expect(await countOfLive()).toBe(0)
  })

  it('asks the hooks of all records of a batch together', async () => {
    const job = await bulk.load(owner, {}, csvOf(45))
    const body = { name: 'Check', objectType: 'ACCOUNT', operations: ['DELETE'], url: receiver.url }
    await ok(owner.rest['beforeSaveHookCreate']!({ body } as never), 201)
    const kept = await idOf('A7')
    receiver.decide = ({ records }) => ({
      results: records.map(({ id }) =>
        id === kept ? { decision: 'REJECT', message: 'Not this one.' } : { decision: 'ALLOW' },
      ),
    })
    const ended = await undone(owner, job)
    expect(ended).toMatchObject({ status: 'SUCCEEDED', recordsUndone: 44, recordsNotUndone: 1 })
    expect(await notUndoneOf(owner, ended.id)).toMatchObject([
      { recordId: kept, reason: 'REFUSED', message: 'Not this one.' },
    ])
    expect(receiver.received.map(({ records }) => records.length)).toEqual([45])
  })

  it('compares only in a dry run', async () => {
    const job = await upserted()
    const before = await accounts()
    const tried = await undone(owner, job, { dryRun: true })
    expect(tried).toMatchObject({ status: 'SUCCEEDED', dryRun: true, recordsTotal: 4, recordsUndone: 4 })
    expect((await undoneOf(owner, tried.id)).data.map(({ action }: { action: string }) => action).toSorted()).toEqual([
      'DELETED',
      'DELETED',
      'UPDATED',
      'UPDATED',
    ])
    expect(await accounts()).toEqual(before)
    const headers = { Prefer: 'dry-run' }
    const unkept = await owner.rest['bulkJobUndo']!({ id: job.id, body: {}, headers } as never)
    expect([unkept.status, unkept.body.status, unkept.body.recordsUndone]).toEqual([200, 'QUEUED', 0])
    expect((await owner.rest['undoJob']!({ id: unkept.body.id })).status).toBe(404)
  })

  it('is refused before the job has ended, and if it has written nothing', async () => {
    const open = await bulk.create(owner, {})
    const exported = await bulk.export(owner)
    const tried = await bulk.load(owner, { options: { dryRun: true } }, csvOf(2))
    const failed = await bulk.load(owner, {}, 'name\n""\n')
    for (const { id } of [open, exported, tried, failed]) {
      const { status, body } = await undoBulk(owner, id)
      expect([status, body.code]).toEqual([409, 'INVALID_STATE'])
    }
  })
})

describe('a conflict of an undo job', () => {
  it('that is found before anything is undone refuses the whole, or is left out', async () => {
    const job = await upserted()
    const other = await platform.member({ organizationId })
    await rename('Uno', 'Ein', other)
    const child = await ok(
      owner.rest['contactCreate']!({ body: { lastName: 'C', accountId: await idOf('Tres') } } as never),
      201,
    )
    const before = await accounts()
    const refused = await undone(owner, job)
    expect(refused).toMatchObject({
      status: 'FAILED',
      errorCode: 'UNDO_CONFLICT',
      recordsTotal: 4,
      recordsUndone: 0,
      recordsNotUndone: 2,
    })
    expect(await accounts()).toEqual(before)
    const conflicts = [
      { recordId: await idOf('Ein'), field: 'name', reason: 'CHANGED', changedById: other.userId },
      { recordId: await idOf('Tres'), field: null, reason: 'HAS_RECORDS' },
    ]
    const found = await notUndoneOf(owner, refused.id)
    expect(found).toHaveLength(2)
    for (const conflict of conflicts) expect(found).toContainEqual(expect.objectContaining(conflict))
    const skipped = await undone(owner, job, { onConflict: 'SKIP' })
    expect(skipped).toMatchObject({ status: 'SUCCEEDED', recordsTotal: 4, recordsUndone: 2, recordsNotUndone: 2 })
    expect((await notUndoneOf(owner, skipped.id)).length).toBe(2)
    expect(await accounts()).toMatchObject([
      { name: 'Ein' },
      { name: 'Two' },
      { name: 'Tres', isDeleted: false },
      { name: 'Cuatro', isDeleted: true },
    ])
    expect(child.accountId).toBe(await idOf('Tres'))
  })

  it('that arises after the comparison does not stop the job, and is told', async () => {
    const bulkJob = await upserted()
    const { id } = await ok(undoBulk(owner, bulkJob.id), 202)
    // The records are listed, and compared.
    await stepAndDie(id)
    await stepAndDie(id)
    expect(await read(owner, id)).toMatchObject({ status: 'RUNNING', recordsProcessed: 0 })
    await rename('Uno', 'Ein')
    await settleAfterLease()
    expect(await read(owner, id)).toMatchObject({ status: 'SUCCEEDED', recordsUndone: 3, recordsNotUndone: 1 })
    expect(await notUndoneOf(owner, id)).toMatchObject([{ recordId: await idOf('Ein'), reason: 'CHANGED' }])
  })
})

describe('an undo job that is aborted', () => {
  const abort = (by: Member, id: string) => by.rest['undoJobAbort']!({ id } as never)

  it('ends at once while it waits, and undoes nothing', async () => {
    const { id } = await ok(undoBulk(owner, (await upserted()).id), 202)
    const before = await accounts()
    const expected = { status: 'ABORTED', startedAt: null, recordsUndone: 0, errorCode: null, errorMessage: null }
    const endedAt = platform.now.toISOString()
    expect(await ok(abort(owner, id))).toMatchObject({ ...expected, endedAt })
    platform.advanceClock(1000)
    // A second time, it is as it was.
    expect(await ok(abort(owner, id))).toMatchObject({ ...expected, endedAt })
    await settle()
    expect(await read(owner, id)).toMatchObject(expected)
    expect(await accounts()).toEqual(before)
    expect((await undoneOf(owner, id)).total).toBe(0)
  })

  it('keeps what it had undone, tells it, and writes nothing more', async () => {
    const { id, operationId } = await ok(undoBulk(owner, (await upserted()).id), 202)
    // Listed, compared, the end of that, and the two changed records.
    for (let steps = 0; steps < 4; steps++) await stepAndDie(id)
    expect(await ok(abort(owner, id))).toMatchObject({ status: 'ABORTED', recordsTotal: 4, recordsUndone: 2 })
    const records = await accounts()
    await settleAfterLease()
    expect(await accounts()).toEqual(records)
    expect(records).toMatchObject([
      { name: 'One', version: 3 },
      { name: 'Two', version: 3 },
      { name: 'Tres', isDeleted: false },
      { name: 'Cuatro', isDeleted: false },
    ])
    const { data } = await undoneOf(owner, id)
    const ids = data.map(({ recordId }: { recordId: string }) => recordId)
    expect(new Set(ids)).toEqual(new Set([await idOf('One'), await idOf('Two')]))
    const again = await ok(undo(owner, { operationId }))
    expect(again).toMatchObject({ isComplete: true, undone: [{ action: 'UPDATED' }, { action: 'UPDATED' }] })
    expect(await accounts()).toMatchObject([{ name: 'Uno' }, { name: 'Dos' }, {}, {}])
  })

  it('does not change the records that are being processed at the moment', async () => {
    const loaded = await bulk.load(owner, {}, csvOf(250))
    const body = { name: 'Check', objectType: 'ACCOUNT', operations: ['DELETE'], url: receiver.url }
    await ok(owner.rest['beforeSaveHookCreate']!({ body } as never), 201)
    const { id } = await ok(undoBulk(owner, loaded.id), 202)
    // The last ones are undone first, so it is in the second batch.
    const first = await idOf('A0')
    let batches = 0
    let aborted: Promise<unknown> | null = null
    receiver.decide = ({ records }, response) => {
      const allow = () =>
        response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ results: records.map(() => ({ decision: 'ALLOW' })) }))
      if (records.some((record) => record.id === first) && (batches += 1) === 1)
        aborted = ok(abort(owner, id)).finally(allow)
      else allow()
      return undefined
    }
    await settle()
    await aborted
    expect(await read(owner, id)).toMatchObject({ status: 'ABORTED', recordsProcessed: 200, recordsUndone: 200 })
    expect([await countOfLive(), await countOfEvents('account.deleted')]).toEqual([50, 200])
    expect((await undoneOf(owner, id)).total).toBe(200)
  })

  it('is refused once it has ended, and by whoever may not undo', async () => {
    const loaded = await upserted()
    const done = await undone(owner, loaded, { dryRun: true })
    const { status, body } = await abort(owner, done.id)
    expect([status, body.code, body.state]).toEqual([409, 'INVALID_STATE', 'SUCCEEDED'])
    const { id } = await ok(undoBulk(owner, loaded.id), 202)
    const member = await platform.member({ organizationId })
    const stranger = await platform.member({ role: 'OWNER' })
    const readOnly = await platform.member({ organizationId, role: 'READ_ONLY' })
    const scoped = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_ACCOUNTS'] })
    const before = await platform.fingerprint(organizationId)
    for (const [by, code] of [
      [member, 'NOT_FOUND'],
      [stranger, 'NOT_FOUND'],
      [readOnly, 'PERMISSION_DENIED'],
      [scoped, 'API_KEY_SCOPE_INSUFFICIENT'],
    ] as const)
      expect((await abort(by, id)).body.code).toBe(code)
    expect(await platform.fingerprint(organizationId)).toBe(before)
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    expect((await ok(abort(admin, id))).status).toBe('ABORTED')
  })
})

describe('the user of an undo job', () => {
  it('undoes the records that it sees, and learns of no others', async () => {
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const loaded = await bulk.load(owner, {}, `name,externalId,ownerId\nA,E1,${own.userId}\nB,E2,${owner.userId}\n`)
    const blind = await platform.member({ organizationId, visibility: 'OWN' })
    // Nobody but the owner sees the bulk job; its operation is known to all who see its events.
    await platform.query('update records.bulk_job set created_by_id = $2 where id = $1', [loaded.id, own.userId])
    expect(await undone(own, loaded)).toMatchObject({ status: 'SUCCEEDED', recordsTotal: 1, recordsUndone: 1 })
    expect(await accounts()).toMatchObject([{ isDeleted: true }, { isDeleted: false }])
    await platform.query('update records.bulk_job set created_by_id = $2 where id = $1', [loaded.id, blind.userId])
    expect(await undone(blind, loaded)).toMatchObject({ status: 'FAILED', errorCode: 'NOT_FOUND', recordsTotal: null })
  })

  it('acts with the rights of the moment; of one who is not active any more, the rest stays', async () => {
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    const { id } = await ok(undoBulk(admin, (await upserted()).id), 202)
    // Listed, compared, the end of that, and the two changed records.
    for (let steps = 0; steps < 4; steps++) await stepAndDie(id)
    expect(await read(owner, id)).toMatchObject({ status: 'RUNNING', recordsTotal: 4, recordsProcessed: 2 })
    await platform.query('update identity.app_user set is_active = false where id = $1', [admin.userId])
    await settleAfterLease()
    expect(await read(owner, id)).toMatchObject({
      status: 'FAILED',
      errorCode: 'OWNER_INACTIVE',
      recordsTotal: 4,
      recordsProcessed: 2,
      recordsUndone: 2,
    })
    expect(await accounts()).toMatchObject([
      { name: 'One' },
      { name: 'Two' },
      { name: 'Tres', isDeleted: false },
      { name: 'Cuatro', isDeleted: false },
    ])
  })

  it.each([
    [
      'the scope of its key',
      `update identity.api_key set scopes = '{WRITE_CONTACTS}' where id = $1`,
      'The credential that created the job lacks the scopes of its record types.',
    ],
    [
      'its key',
      'update identity.api_key set revoked_at = now() where id = $1',
      'The credential that created the job has been revoked.',
    ],
  ])('undoes nothing more without %s', async (_, change, errorMessage) => {
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    const { id } = await ok(undoBulk(admin, (await upserted()).id), 202)
    for (let steps = 0; steps < 4; steps++) await stepAndDie(id)
    await platform.query(change, [admin.keyId])
    await settleAfterLease()
    const ended = { status: 'FAILED', errorCode: 'PERMISSION_DENIED', errorMessage, recordsUndone: 2 }
    expect(await read(owner, id)).toMatchObject(ended)
    expect(await accounts()).toMatchObject([
      { name: 'One' },
      { name: 'Two' },
      { name: 'Tres', isDeleted: false },
      { name: 'Cuatro', isDeleted: false },
    ])
  })

  it('must see the job and have the scopes of its types', async () => {
    const loaded = await upserted()
    const job = await undone(owner, loaded)
    const stranger = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    const member = await platform.member({ organizationId })
    const scoped = await platform.member({
      organizationId,
      role: 'ADMIN',
      scopes: ['READ_ACCOUNTS', 'WRITE_CONTACTS'],
    })
    const readOnly = await platform.member({ organizationId, role: 'READ_ONLY' })
    const before = await platform.fingerprint(organizationId)
    const outcome = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      return `${status} ${body.code}`
    }
    const reads = (by: Member) =>
      ['undoJob', 'undoneRecordList', 'notUndoneList'].map((name) => outcome(by.rest[name]!({ id: job.id } as never)))
    for (const by of [stranger, member])
      expect(new Set(await Promise.all([...reads(by), outcome(undoBulk(by, loaded.id))]))).toEqual(
        new Set(['404 NOT_FOUND']),
      )
    expect(new Set(await Promise.all([...reads(scoped), outcome(undoBulk(scoped, loaded.id))]))).toEqual(
      new Set(['403 API_KEY_SCOPE_INSUFFICIENT']),
    )
    const listed = async (by: Member) => (await ok(by.rest['undoJobList']!({} as never))).data.length
    expect(await Promise.all([owner, stranger, member, scoped].map(listed))).toEqual([1, 0, 0, 0])
    expect(await platform.fingerprint(organizationId)).toBe(before)
    await platform.query('update records.bulk_job set created_by_id = $2 where id = $1', [loaded.id, readOnly.userId])
    expect(await outcome(undoBulk(readOnly, loaded.id))).toBe('403 PERMISSION_DENIED')
  })

  it('reads results only of records and fields that it sees now', async () => {
    await bulk.load(owner, {}, 'name,externalId,industry\nOne,E1,Rail\nTwo,E2,Rail\n')
    const loaded = await bulk.load(owner, upsert, 'name,externalId,industry\nOne,E1,Sea\nTwo,E2,Sea\n')
    await ok(owner.rest['accountUpdate']!({ id: await idOf('One'), body: { industry: 'Air' } } as never))
    const { id } = await undone(owner, loaded, { onConflict: 'SKIP' })
    const results = async (by: Member) => [(await undoneOf(by, id)).data, await notUndoneOf(by, id)]
    expect(await results(owner)).toMatchObject([[{ fields: ['industry'] }], [{ field: 'industry', reason: 'CHANGED' }]])
    const restricted = await memberWithout(platform, organizationId, { account: ['industry'] }, { role: 'ADMIN' })
    const message = 'It concerns a field that you do not see.'
    expect(await results(restricted)).toMatchObject([[{ fields: [] }], [{ field: null, reason: 'CHANGED', message }]])
    const own = await platform.member({ organizationId, role: 'ADMIN', visibility: 'OWN' })
    expect(await results(own)).toEqual([[], []])
  })

  it('does not undo what a job has not finished', async () => {
    const loaded = await upserted()
    const { id, operationId } = await ok(undoBulk(owner, loaded.id), 202)
    const outcome = async (of: string) => {
      const { status, body } = await undo(owner, { operationId: of })
      return [status, body.code]
    }
    expect(await outcome(operationId as string)).toEqual([409, 'INVALID_STATE'])
    await settle()
    await platform.query(`update records.bulk_job set job_state = 'IN_PROGRESS' where id = $1`, [loaded.id])
    expect(await outcome(`bulk:${loaded.id}`)).toEqual([409, 'INVALID_STATE'])
    expect(await outcome(`undo:${id}`)).toEqual([200, undefined])
  })

  it('may have ten jobs of the organization wait', async () => {
    const loaded = await upserted()
    for (let count = 0; count < 10; count++) await ok(undoBulk(owner, loaded.id, { dryRun: true }), 202)
    const refused = await undoBulk(owner, loaded.id)
    expect([refused.status, refused.body.code]).toEqual([409, 'LIMIT_REACHED'])
    await settle()
    const { data } = await ok(owner.rest['undoJobList']!({ query: { status: 'SUCCEEDED' } } as never))
    expect(data).toHaveLength(10)
  })
})

describe('a process that ends in the middle of an undo job', () => {
  it('repeats nothing that was committed', async () => {
    const { id } = await ok(undoBulk(owner, (await upserted()).id), 202)
    for (let steps = 0; steps < 7; steps++) {
      await stepAndDie(id)
      await ageQueueItems(platform.services, undoQueue.table, 120_000)
    }
    await settleAfterLease()
    expect(await read(owner, id)).toMatchObject({ status: 'SUCCEEDED', recordsProcessed: 4, recordsUndone: 4 })
    expect((await undoneOf(owner, id)).total).toBe(4)
    expect((await accounts()).map(({ version }) => version)).toEqual([3, 3, 2, 2])
  })

  it('loses nothing that was not committed', async () => {
    const { id } = await ok(undoBulk(owner, (await upserted()).id), 202)
    // The transactions that list, compare and undo records fail once each, at their last statement.
    await platform.query('create sequence records.undo_faults')
    await platform.query(`create function records.undo_fault() returns trigger language plpgsql as $$
      begin
        if nextval('records.undo_faults') % 3 = 1 then raise exception 'gone' using errcode = '57P01'; end if;
        return new;
      end $$`)
    await platform.query('grant usage on sequence records.undo_faults to public')
    await platform.query(`create trigger undo_fault before update on records.undo_job for each row
      when (old.phase is distinct from new.phase or old.checkpoint is distinct from new.checkpoint) execute function records.undo_fault()`)
    try {
      for (let turns = 0; turns < 12; turns++) await settleAfterLease()
    } finally {
      await platform.query('drop trigger undo_fault on records.undo_job')
      await platform.query('drop function records.undo_fault')
      await platform.query('drop sequence records.undo_faults')
    }
    expect(await read(owner, id)).toMatchObject({ status: 'SUCCEEDED', recordsUndone: 4, errorMessage: null })
    expect((await accounts()).map(({ version }) => version)).toEqual([3, 3, 2, 2])
    expect([await countOfEvents('account.deleted'), await countOfEvents('account.updated')]).toEqual([2, 4])
  })

  it('writes nothing after it has lost its lease', async () => {
    const { id } = await ok(undoBulk(owner, (await upserted()).id), 202)
    for (let steps = 0; steps < 3; steps++) await stepAndDie(id)
    const [before, records] = [await read(owner, id), await accounts()]
    const lost = { id, attempts: 1, token: newId(), lostToken: null, organization: organizationId, pauses: 0 }
    const outcome = await undoQueue.attempt(platform.services, lost, AbortSignal.abort())
    expect(outcome).toEqual({ end: 'DONE' })
    expect([await read(owner, id), await accounts()]).toEqual([before, records])
  })

  it('leaves a record that nobody can process, and goes on', async () => {
    const { id } = await ok(undoBulk(owner, (await upserted()).id), 202)
    const broken = await idOf('Dos')
    await platform.query(
      `create function crm.no_change() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
    )
    await platform.query(
      `create trigger no_change before update on crm.account for each row when (old.id = '${broken}') execute function crm.no_change()`,
    )
    try {
      await settle()
    } finally {
      await platform.query('drop trigger no_change on crm.account')
      await platform.query('drop function crm.no_change')
    }
    expect(await read(owner, id)).toMatchObject({ status: 'SUCCEEDED', recordsUndone: 3, recordsNotUndone: 1 })
    expect(await notUndoneOf(owner, id)).toMatchObject([{ recordId: broken, reason: 'REFUSED' }])
  })
})

describe('an undo that would leave more than an answer lists', () => {
  it('is a job, which lists all of it', { timeout: 120_000 }, async () => {
    const places = ['billing', 'shipping'].flatMap((kind) =>
      ['Street', 'City', 'State', 'PostalCode', 'Country'].map((part) => `${kind}${part}`),
    )
    const fields = ['name', ...places]
    const csv = (word: string, rows: number) =>
      [`externalId,${fields.join(',')}`]
        .concat(Array.from({ length: rows }, (_, row) => `E${row},${fields.map(() => `${word}${row}`).join(',')}`))
        .join('\n')
    // 11 fields of 455 records, all of which are changed since.
    await bulk.load(owner, upsert, csv('a', 455))
    platform.advanceClock(1000)
    const { operationId } = await bulk.load(owner, upsert, csv('b', 455))
    platform.advanceClock(1000)
    await bulk.load(owner, upsert, csv('c', 455))
    await assignPositions()
    const headers = { Prefer: 'dry-run' }
    const tried = await owner.rest['undo']!({ body: { operationId, onConflict: 'SKIP' }, headers } as never)
    expect([tried.status, tried.body.job.status]).toEqual([200, 'QUEUED'])
    const { job } = await ok(undo(owner, { operationId, onConflict: 'SKIP' }), 202)
    await settle()
    expect(await read(owner, job.id)).toMatchObject({ status: 'SUCCEEDED', recordsUndone: 0, recordsNotUndone: 455 })
    const query = { includeTotal: true, limit: 1 }
    expect(await ok(owner.rest['notUndoneList']!({ id: job.id, query } as never))).toMatchObject({ total: 5_005 })
  })
})

describe('what undo jobs store', () => {
  const rowsOf = async (table: string): Promise<number> =>
    (
      await platform.query<{ n: number }>(
        `select count(*)::int as n from records.${table} where organization_id = $1`,
        [organizationId],
      )
    )[0]!.n

  it('is no list of records any more when a job has ended', async () => {
    const { id } = await undone(owner, await upserted())
    // The fifth record is the bulk job, which nobody undoes.
    expect([await rowsOf('undo_item'), await rowsOf('undo_result')]).toEqual([5, 4])
    await deleteUndoJobs.run(platform.services)
    expect([await rowsOf('undo_item'), await rowsOf('undo_result')]).toEqual([0, 4])
    expect((await undoneOf(owner, id)).total).toBe(4)
  })

  it('is kept while a job has not ended', async () => {
    const { id } = await ok(undoBulk(owner, (await upserted()).id), 202)
    await stepAndDie(id)
    await deleteUndoJobs.run(platform.services)
    expect(await rowsOf('undo_item')).toBe(5)
    await settleAfterLease()
    expect((await read(owner, id)).status).toBe('SUCCEEDED')
  })

  it('is limited for an organization, and a refusal says when there is room again', async () => {
    const loaded = await upserted()
    const { id } = await undone(owner, loaded, { dryRun: true })
    const { expiresAt } = await read(owner, id)
    const refusal = async (body: object = { dryRun: true }) => {
      const answer = await undoBulk(owner, loaded.id, body)
      return [answer.status, answer.body.code, answer.body.limit, answer.body.detail]
    }
    const set = (columns: string) => platform.query(`update records.undo_job set ${columns} where id = $1`, [id])
    // The list of an ended job counts until it is deleted.
    await set('results = 3999989, changes = 4')
    const before = await platform.fingerprint(organizationId)
    expect(await refusal()).toEqual([
      409,
      'LIMIT_REACHED',
      4_000_000,
      `The undo jobs of the organization may store at most 4000000 records and results. They need 3999993, and this one up to 10. The first of them is deleted after ${expiresAt}.`,
    ])
    expect(await platform.fingerprint(organizationId)).toBe(before)
    await deleteUndoJobs.run(platform.services)
    const waiting = await ok(undoBulk(owner, loaded.id, { dryRun: true }), 202)
    // One that has not ended has reserved what it may need.
    expect((await refusal())[1]).toBe('LIMIT_REACHED')
    await settle()
    expect((await read(owner, waiting.id)).status).toBe('SUCCEEDED')
    await set('results = 4')
    await platform.query(
      `insert into records.undo_job (organization_id, id, selection, on_conflict, dry_run, objects, scopes, created_by_id, created_at, job_status, ended_at, expires_at)
       select organization_id, gen_random_uuid(), selection, on_conflict, dry_run, objects, scopes, created_by_id, created_at, job_status, ended_at, expires_at
       from records.undo_job, generate_series(1, 998) where id = $1`,
      [id],
    )
    expect((await refusal()).slice(0, 3)).toEqual([409, 'LIMIT_REACHED', 1_000])
    platform.advanceClock(8 * 86_400_000)
    await deleteUndoJobs.run(platform.services)
    expect(await rowsOf('undo_job')).toBe(0)
    await ok(undoBulk(owner, loaded.id, { dryRun: true }), 202)
  })
})

describe('an undo job that cannot go on', () => {
  it('waits, and fails with the reason after a day', async () => {
    const job = await bulk.load(owner, {}, csvOf(2))
    const body = {
      name: 'Check',
      objectType: 'ACCOUNT',
      operations: ['DELETE'],
      url: receiver.url,
      failureMode: 'FAIL_CLOSED',
    }
    await ok(owner.rest['beforeSaveHookCreate']!({ body } as never), 201)
    receiver.decide = (_request, response) => void response.writeHead(500).end()
    const { id } = await ok(undoBulk(owner, job.id), 202)
    await settle()
    const waits = await read(owner, id)
    expect([waits.status, waits.errorCode, waits.recordsUndone]).toEqual(['RUNNING', null, 0])
    expect(waits.errorMessage).not.toBeNull()
    const [run] = await platform.query<{ pauses: number }>('select pauses from records.undo_run where id = $1', [id])
    expect(run!.pauses).toBe(1)
    await platform.query('update records.undo_run set pauses = 300 where id = $1', [id])
    await settleAfterLease()
    const failed = await read(owner, id)
    expect([failed.status, failed.errorMessage, failed.recordsUndone]).toEqual(['FAILED', waits.errorMessage, 0])
    expect(failed.errorCode).not.toBeNull()
    expect(await countOfLive()).toBe(2)
  })
})

describe('the comparison of an undo job', () => {
  it('takes as many statements for many records as for few', async () => {
    const statementsFor = async (count: number): Promise<number> => {
      const head = 'name,externalId\n'
      const lines = (word: string) =>
        head + Array.from({ length: count }, (_, row) => `${word} ${row},${count}-${row}\n`).join('')
      await bulk.load(owner, upsert, lines('One'))
      platform.advanceClock(1000)
      const loaded = await bulk.load(owner, upsert, lines('Two'))
      platform.advanceClock(1000)
      await bulk.load(owner, upsert, lines('Three'))
      const { id } = await ok(undoBulk(owner, loaded.id), 202)
      await stepAndDie(id)
      const statements = await statementsOf(platform, () => stepAndDie(id), /./, { inTransactions: true })
      await settleAfterLease()
      expect(await read(owner, id)).toMatchObject({ status: 'FAILED', errorCode: 'UNDO_CONFLICT', recordsTotal: count })
      const conflicts = await notUndoneOf(owner, id)
      expect(conflicts[0]).toMatchObject({ field: 'name', reason: 'CHANGED', changedById: owner.userId })
      return statements.length
    }
    expect(await statementsFor(40)).toBe(await statementsFor(3))
  })
})

describe('an undo job', () => {
  it('is deleted with its results a week after it ended', async () => {
    const { id } = await undone(owner, await upserted())
    platform.advanceClock(6 * 86_400_000)
    await deleteUndoJobs.run(platform.services)
    expect((await read(owner, id)).status).toBe('SUCCEEDED')
    platform.advanceClock(2 * 86_400_000)
    await deleteUndoJobs.run(platform.services)
    expect((await owner.rest['undoJob']!({ id } as never)).status).toBe(404)
    for (const table of ['undo_job', 'undo_item', 'undo_result'])
      expect(
        await platform.query(`select 1 from records.${table} where organization_id = $1`, [organizationId]),
      ).toEqual([])
  })
})
