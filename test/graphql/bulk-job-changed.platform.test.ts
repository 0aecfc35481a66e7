import { beforeAll, describe, expect, it } from 'vitest'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { undoQueue } from '../../subgraphs/records/undo/undo-job.queue.ts'
import { account } from '../builders.ts'
import { BulkJobs } from '../bulk-jobs.fixture.ts'
import { protocols } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const jobs = new BulkJobs(platform)
let organizationId: string
let owner: Member
let member: Member

beforeAll(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
  member = await platform.member({ organizationId })
})

const changed = 'subscription ($id: ID!) { bulkJobChanged(id: $id) { state recordsProcessed recordsFailed } }'
const sent = (state: string, recordsProcessed: number, recordsFailed = 0) => ({
  data: { bulkJobChanged: { state, recordsProcessed, recordsFailed } },
})

describe.each(protocols)('bulkJobChanged over %s', (_protocol, subscribe) => {
  it('sends the job as it is, then its progress, and ends with the job', async () => {
    const { id } = await jobs.create(member, {})
    const [own, ofOwner] = [
      await subscribe(platform, member, changed, { id }),
      await subscribe(platform, owner, changed, { id: id.toUpperCase() }),
    ]
    for (const live of [own, ofOwner]) expect(await live.next()).toEqual(sent('OPEN', 0))
    await jobs.put(member, id, 'name,numberOfEmployees\nA,1\nB,x\n')
    await jobs.complete(member, id)
    await jobs.settle()
    for (const live of [own, ofOwner]) {
      const states: unknown[] = []
      for (let next = await live.next(); next !== 'completed' && next !== 'closed'; next = await live.next())
        states.push(next)
      expect(states.at(-1)).toEqual(sent('JOB_COMPLETE', 2, 1))
    }
  })

  it('sends a job that has ended once', async () => {
    await account(owner)
    const { id } = await jobs.export(owner)
    const live = await subscribe(platform, owner, changed, { id })
    expect(await live.next()).toMatchObject({ data: { bulkJobChanged: { state: 'JOB_COMPLETE' } } })
    expect(['completed', 'closed']).toContain(await live.next())
  })

  it('refuses whoever cannot see the job', async () => {
    const { id } = await jobs.create(owner, {})
    const reader = await platform.member({ organizationId, role: 'OWNER', scopes: ['READ_CONTACTS'] })
    const foreigner = await platform.member({ role: 'OWNER' })
    for (const [by, code] of [
      [member, 'NOT_FOUND'],
      [foreigner, 'NOT_FOUND'],
      [reader, 'API_KEY_SCOPE_INSUFFICIENT'],
    ] as const) {
      const live = await subscribe(platform, by, changed, { id })
      expect(await live.next()).toMatchObject({ errors: [{ extensions: { code } }] })
    }
  })
})

const undoChanged = 'subscription ($id: ID!) { undoJobChanged(id: $id) { status recordsUndone } }'

describe.each(protocols)('undoJobChanged over %s', (_protocol, subscribe) => {
  const queued = { data: { undoJobChanged: { status: 'QUEUED', recordsUndone: 0 } } }

  async function waiting(): Promise<string> {
    const loaded = await jobs.load(owner, {}, 'name\nA\nB\n')
    const { status, body } = await owner.rest['bulkJobUndo']!({ id: loaded.id, body: {} } as never)
    expect(status).toBe(202)
    return (body as { readonly id: string }).id
  }
  async function all(live: Awaited<ReturnType<typeof subscribe>>): Promise<unknown[]> {
    const states: unknown[] = []
    for (let next = await live.next(); next !== 'completed' && next !== 'closed'; next = await live.next())
      states.push(next)
    return states
  }

  it('sends the job as it is, then its progress, and ends with the job', async () => {
    const id = await waiting()
    const live = await subscribe(platform, owner, undoChanged, { id: id.toUpperCase() })
    expect(await live.next()).toEqual(queued)
    await platform.query('select kernel.assign_event_positions(100000)')
    do await drain(undoQueue, platform.services)
    while ((await platform.query(`select from records.undo_run where state = 'QUEUED'`)).length > 0)
    expect((await all(live)).at(-1)).toEqual({ data: { undoJobChanged: { status: 'SUCCEEDED', recordsUndone: 2 } } })
  })

  it('ends with a job that is aborted', async () => {
    const id = await waiting()
    const live = await subscribe(platform, owner, undoChanged, { id })
    expect(await live.next()).toEqual(queued)
    expect((await owner.rest['undoJobAbort']!({ id } as never)).status).toBe(200)
    expect(await all(live)).toEqual([{ data: { undoJobChanged: { status: 'ABORTED', recordsUndone: 0 } } }])
  })

  it('refuses whoever cannot see the job', async () => {
    const id = await waiting()
    const reader = await platform.member({ organizationId, role: 'OWNER', scopes: ['READ_CONTACTS'] })
    const foreigner = await platform.member({ role: 'OWNER' })
    for (const [by, code] of [
      [member, 'NOT_FOUND'],
      [foreigner, 'NOT_FOUND'],
      [reader, 'API_KEY_SCOPE_INSUFFICIENT'],
    ] as const) {
      const live = await subscribe(platform, by, undoChanged, { id })
      expect(await live.next()).toMatchObject({ errors: [{ extensions: { code } }] })
    }
    expect((await owner.rest['undoJobAbort']!({ id } as never)).status).toBe(200)
  })
})
