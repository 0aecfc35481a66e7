import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, aCase, anAccount, aProduct, product, supportCase } from '../builders.ts'
import { expectValidEvents, refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { prefixOf, restAreas } from '../rest-areas.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member()
  // Only this test reads transaction ids: stored data must not depend on the transactions of one cluster.
  await platform.query('alter table kernel.event add column transaction xid8 default pg_current_xact_id()')
})
afterAll(() => expectValidEvents(platform))

/** Every kind of write with the events that it emits. */
const writes: [name: string, events: string[], call: () => Promise<() => Promise<Answer>>][] = [
  ['accountCreate', ['account.created'], async () => () => member.rest.accountCreate!({ body: anAccount() })],
  [
    'accountUpdate',
    ['account.updated'],
    async () => ofAccount((id) => member.rest.accountUpdate!({ id, body: { name: 'x' } })),
  ],
  [
    'a change of the parent',
    ['account.updated'],
    async () => {
      const { id: parentAccountId } = await account(member)
      return ofAccount((id) => member.rest.accountUpdate!({ id, body: { parentAccountId } }))
    },
  ],
  ['accountDelete', ['account.deleted'], async () => ofAccount((id) => member.rest.accountDelete!({ id }))],
  [
    'accountRestore',
    ['account.restored'],
    async () => {
      const { id } = await account(member)
      await member.rest.accountDelete!({ id })
      return () => member.rest.accountRestore!({ id })
    },
  ],
  ['caseCreate', ['case.created'], async () => () => member.rest.caseCreate!({ body: aCase() })],
  [
    'caseCreate with an Idempotency-Key',
    ['case.created'],
    async () => () => member.rest.caseCreate!({ body: aCase(), headers: { 'Idempotency-Key': newId() } }),
  ],
  [
    'caseSetStatus',
    ['case.updated', 'case.status_changed', 'case.escalated'],
    async () => ofCase((id) => member.rest.caseSetStatus!({ id, body: { status: 'ESCALATED' } })),
  ],
  [
    'caseAssign',
    ['case.updated', 'case.assigned'],
    async () => ofCase((id) => member.rest.caseAssign!({ id, body: { assignedToId: member.userId } })),
  ],
  [
    'caseUpdate of every field',
    ['case.updated', 'case.status_changed', 'case.assigned'],
    async () =>
      ofCase((id) =>
        member.rest.caseUpdate!({ id, body: { status: 'OPEN', assignedToId: member.userId, subject: 'x' } }),
      ),
  ],
  [
    'caseCommentCreate',
    ['case.updated', 'case.comment_added'],
    async () => ofCase((id) => member.rest.caseCommentCreate!({ id, body: { body: 'x' } })),
  ],
  ['caseSummarize', ['case.updated'], async () => ofCase((id) => member.rest.caseSummarize!({ id }))],
  ['productCreate', ['product.created'], async () => () => member.rest.productCreate!({ body: aProduct() })],
  [
    'productBulkUpdate',
    ['product.updated', 'product.updated'],
    async () => {
      const ids = [(await product(member)).id, (await product(member)).id]
      return () => member.rest.productBulkUpdate!({ body: { items: ids.map((id) => ({ id, name: 'x' })) } })
    },
  ],
  [
    'productBulkDelete',
    ['product.deleted'],
    async () => {
      const { id } = await product(member)
      return () => member.rest.productBulkDelete!({ body: { ids: [id] } })
    },
  ],
]

async function ofAccount(call: (id: string) => Promise<Answer>): Promise<() => Promise<Answer>> {
  const { id } = await account(member)
  return () => call(id)
}

async function ofCase(call: (id: string) => Promise<Answer>): Promise<() => Promise<Answer>> {
  const { id } = await supportCase(member)
  return () => call(id)
}

interface EventRow {
  readonly type: string
  readonly recordId: string
  readonly transaction: string
  readonly actorId: string
  readonly organizationId: string
  readonly occurredAt: string
}

const eventsAfter = (id: string) =>
  platform.query<EventRow>(
    `select type, record_id as "recordId", transaction::text, actor_id as "actorId", organization_id as "organizationId", occurred_at as "occurredAt"
     from kernel.event where id > $1 order by id`,
    [id],
  )

async function lastEvent(): Promise<string> {
  const [row] = await platform.query<{ id: string }>('select id from kernel.event order by id desc limit 1')
  return row!.id
}

describe.each(writes)('%s', (_, types, prepare) => {
  afterEach(() => platform.query('alter table kernel.event drop constraint if exists refuses_all'))

  it('emits one event per change, in the same transaction, with actor and time', async () => {
    const call = await prepare()
    const before = await lastEvent()
    expect([200, 201, 204]).toContain((await call()).status)
    const events = await eventsAfter(before)
    expect(events.map(({ type }) => type)).toEqual(types)
    expect(new Set(events.map(({ transaction }) => transaction)).size).toBe(1)
    const { userId: actorId, organizationId } = member
    for (const event of events)
      expect(event).toMatchObject({ actorId, organizationId, occurredAt: platform.now.toISOString() })
  })

  it('changes nothing when the event cannot be written', async () => {
    const call = await prepare()
    await platform.query('alter table kernel.event add constraint refuses_all check (false) not valid')
    expect(await refused(platform, call)).toEqual([500, 'INTERNAL'])
  })
})

const { operations } = restContract()
const pastTense = { Create: 'created', Update: 'updated', Delete: 'deleted', Restore: 'restored' } as const

/** Deletions that are a change of the status. */
const updatedBy: Readonly<Record<string, string>> = { replyDraftDelete: 'reply_draft.updated' }

/** The standard writes of every record type, each with the event that it emits. */
const standardWrites = restAreas.flatMap((area) =>
  Object.entries(pastTense).flatMap(([write, done]) => {
    const operation = operations.find(({ id }) => id === prefixOf(area) + write)
    if (!operation) return []
    // Types of events of custom objects have the name of the object.
    const object = area.within ? String.raw`custom_object\.\w+` : area.definition.object
    const type = updatedBy[operation.id] ?? `${object}[.]${done}`
    return [[operation.id, operation, new RegExp(`^${type}$`)] as const]
  }),
)

describe('a standard write of any record type', () => {
  it.each(standardWrites)('emits one event: %s', async (_, operation, type) => {
    // Some record types are changed by administrators only.
    const requests = await Requests.of(platform, await platform.member({ role: 'ADMIN' }))
    const request = await requests.valid(operation, { fresh: true, whole: true })
    const before = await lastEvent()
    expect((await requests.send(request)).status).toBe(operation.success.status)
    // A write may change other records of the type, for example the former default; each of them has one event.
    const events = (await eventsAfter(before)).filter((event) => type.test(event.type))
    expect(events.length).toBeGreaterThan(0)
    expect(new Set(events.map(({ recordId }) => recordId)).size).toBe(events.length)
  })
})

describe('events', () => {
  it('contain exactly the fields that the graph shows of a record', async () => {
    const body = await supportCase(member, { status: 'PENDING_CUSTOMER', customFields: { tier: 'gold' } })
    const [event] = await platform.eventsOf(body.id)
    expect(event!.data.record).toEqual(body)
    expect(Object.keys(body)).not.toContain('pausedAt')
  })

  it('of updates are stored with what changed and read with the whole record as it was', async () => {
    const before = await account(member, { tags: ['a'], metadata: { size: 1 } })
    const { id } = before
    const { body: after } = await member.rest.accountUpdate!({ id, body: { name: 'New', metadata: { size: 2 } } })
    const [stored] = await platform.query<{ previous: object }>(
      `select data -> 'previous' as previous from kernel.event where record_id = $1 and type = 'account.updated'`,
      [id],
    )
    const { name, metadata, version } = before
    expect(stored!.previous).toEqual({ name, metadata, version })
    const { events } = platform.services
    const read = () => events.read(member.organizationId, { after: 0, limit: 10, object: 'account', recordId: id })
    await vi.waitFor(async () => expect(await read()).toHaveLength(2), { timeout: 30_000 })
    const [, updated] = await read()
    expect(updated!.data).toEqual({
      object: 'account',
      id,
      record: after,
      previous: before,
      changedFields: ['metadata', 'name'],
      actorId: member.userId,
    })
  })

  it('stay within their organization', async () => {
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    const { id } = await account(stranger)
    const [event] = await platform.query(
      'select organization_id as "organizationId" from kernel.event where record_id = $1',
      [id],
    )
    expect(event).toEqual({ organizationId: stranger.organizationId })
  })
})

it('The events of a request have its id, and no automation as origin', async () => {
  const { headers, body } = await member.rest.accountCreate!({ body: anAccount() })
  const stored = await platform.query(
    'select operation_id, origin, depth from kernel.event where organization_id = $1 and record_id = $2',
    [member.organizationId, body.id],
  )
  expect(stored).toEqual([{ operation_id: headers.get('x-request-id'), origin: null, depth: 0 }])
})
