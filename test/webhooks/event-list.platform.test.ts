import { expect, it, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { insertEvents } from '../../subgraphs/kernel/outbox/event.ts'
import { account, contact, lead } from '../builders.ts'
import type { Member } from '../platform.ts'
import { aWebhook, deliverAll, restrict, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

interface Envelope {
  readonly id: string
  readonly type: string
  readonly organizationId: string
  readonly operationId?: string | null
  readonly data: { readonly id: string; readonly record: Record<string, unknown>; readonly redactedFields?: string[] }
}
interface Page {
  readonly data: readonly Envelope[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

const assignPositions = () => platform.query('select kernel.assign_event_positions(100000)')

async function page(who: Member, query: object = {}): Promise<Page> {
  await assignPositions()
  const { status, body } = await who.rest.eventList!({ query: query as never })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Page
}

/** All pages, each with the cursor of the one before. */
async function pages(who: Member, query: object = {}): Promise<Page[]> {
  const all = [await page(who, query)]
  while (all.at(-1)!.hasMore) all.push(await page(who, { ...query, after: all.at(-1)!.nextCursor }))
  return all
}

const eventsOf = async (who: Member, query: object = {}): Promise<Envelope[]> =>
  (await pages(who, query)).flatMap(({ data }) => data)

async function refused(who: Member, query: object) {
  await assignPositions()
  const { status, body } = await who.rest.eventList!({ query: query as never })
  return [status, body.code, body.errors?.[0]?.path ?? body.missingScopes]
}

const recordIds = (events: readonly Envelope[]) => events.map(({ data }) => data.id)

it('answers what a webhook gets, in the order of the log, page by page, in REST and GraphQL', async () => {
  const { owner, receiver } = used
  const start = (await page(owner)).nextCursor
  const { id } = await aWebhook(used, { events: ['account.*'] })
  const first = await account(owner, { name: 'First' })
  await account(owner, { name: 'Second' })
  await owner.rest.accountUpdate!({ id: first.id, body: { name: 'First again' } })
  await owner.rest.accountDelete!({ id: first.id })
  await deliverAll(used)
  const delivered = receiver.take().map(({ text }) => JSON.parse(text) as Envelope)
  expect(delivered).toHaveLength(4)
  const byId = (one: Envelope, other: Envelope) => (one.id < other.id ? -1 : 1)

  const read = await pages(owner, { types: 'account.*', after: start, limit: 3 })
  expect(read.map(({ data }) => data.length)).toEqual([3, 1])
  const events = read.flatMap((one) => one.data)
  // The log knows the request, too.
  const operations = events.map(({ operationId }) => operationId)
  expect(operations).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^req_[0-9a-f-]{36}$/) as unknown))
  expect(events.map(({ operationId: _operationId, ...event }) => event).toSorted(byId)).toEqual(
    delivered.toSorted(byId),
  )
  expect(events.map(({ type }) => type)).toEqual([
    'account.created',
    'account.created',
    'account.updated',
    'account.deleted',
  ])
  expect(await page(owner, { after: read.at(-1)!.nextCursor })).toEqual({
    data: [],
    nextCursor: read.at(-1)!.nextCursor,
    hasMore: false,
  })
  expect((await eventsOf(owner, { after: start })).map(({ type }) => type)).toContain('webhook.created')
  expect(await eventsOf(owner, { after: '0' })).toEqual(await eventsOf(owner))

  const { body } = await owner.graphql(
    `query ($after: String, $types: [String!]) { eventList(after: $after, types: $types, limit: 3) {
       data { id type version occurredAt organizationId operationId data } nextCursor hasMore } }`,
    { after: start, types: ['account.*'] },
  )
  expect(body.data.eventList).toEqual(read[0])
  expect((await owner.rest.webhook!({ id })).status).toBe(200)
})

it('selects types, and refuses types that do not exist', async () => {
  const { owner } = used
  const { id } = await account(owner)
  await lead(owner)
  await owner.rest.accountUpdate!({ id, body: { name: 'Again' } })
  const typesOf = async (types: string) => [...new Set((await eventsOf(owner, { types })).map(({ type }) => type))]
  expect(await typesOf('account.updated')).toEqual(['account.updated'])
  expect(await typesOf('lead.*,account.updated')).toEqual(['lead.created', 'account.updated'])
  expect(await refused(owner, { types: 'account.updated,account.exploded' })).toEqual([
    400,
    'VALIDATION_FAILED',
    'types.1',
  ])
  expect(await refused(owner, { limit: 501 })).toEqual([400, 'VALIDATION_FAILED', 'limit'])
})

it('has custom events and those of custom objects', async () => {
  const { owner } = used
  const eventType = {
    apiName: 'stopped',
    label: 'Stopped',
    schema: { type: 'object', properties: { minutes: { type: 'integer' } } },
  }
  expect((await owner.rest.customEventTypeCreate!({ body: eventType })).status).toBe(201)
  await owner.rest.customEventPublish!({ apiName: 'stopped', body: { data: { minutes: 5 } } } as never)
  const [event] = await eventsOf(owner, { types: 'custom.*' })
  expect(event).toMatchObject({ type: 'custom.stopped', data: { minutes: 5 } })
  const { organizationId } = owner
  const key = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
  expect(await eventsOf(key)).toEqual([])
  expect(await refused(key, { types: 'custom.stopped' })).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT', ['READ_EVENTS']])
  expect(await refused(key, { types: 'custom_object.site_visit.created' })).toEqual([
    403,
    'API_KEY_SCOPE_INSUFFICIENT',
    ['READ_CUSTOM_OBJECTS'],
  ])
  expect(await eventsOf(await platform.member({ organizationId, scopes: ['READ_EVENTS'] }))).toEqual([event])
})

it('needs the READ scope of each record type: others are passed over, and a named one is refused', async () => {
  const { owner } = used
  const { organizationId } = owner
  const { id } = await account(owner)
  await lead(owner)
  await contact(owner)
  await aWebhook(used)
  const key = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_ACCOUNTS'] })
  expect(recordIds(await eventsOf(key))).toEqual([id])
  expect(await refused(key, { types: 'account.created,lead.*' })).toEqual([
    403,
    'API_KEY_SCOPE_INSUFFICIENT',
    ['READ_LEADS'],
  ])
  expect(await refused(key, { types: 'session.*' })).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT', ['*']])
  const objects = new Set((await eventsOf(owner)).map(({ type }) => type.split('.')[0]))
  expect([...objects]).toEqual(expect.arrayContaining(['account', 'lead', 'contact', 'webhook']))
  const member = await platform.member({ organizationId })
  expect((await eventsOf(member)).filter(({ type }) => type.startsWith('webhook.'))).toEqual([])
})

it('shows what the caller sees now, without hidden fields, and nothing of other organizations', async () => {
  const { owner } = used
  const { organizationId } = owner
  const own = await platform.member({ organizationId, visibility: 'OWN' })
  const mine = await account(own, { name: 'Mine', description: 'Secret' })
  await account(owner, { name: 'Theirs' })
  const accounts = { types: 'account.*' }
  expect(recordIds(await eventsOf(own, accounts))).toEqual([mine.id])
  const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  expect(await eventsOf(stranger, accounts)).toEqual([])

  await restrict(used, own, { description: 'HIDDEN' })
  await vi.waitFor(async () => {
    const [event] = await eventsOf(own, accounts)
    expect(event!.data.redactedFields).toEqual(['description'])
    expect(event!.data.record).toMatchObject({ name: 'Mine' })
    expect(event!.data.record).not.toHaveProperty('description')
  })
  await owner.rest.accountUpdate!({ id: mine.id, body: { ownerId: owner.userId } })
  // What the record was when the caller saw it stays readable; the change that took it away is not.
  expect((await eventsOf(own, accounts)).map(({ type }) => type)).toEqual(['account.created'])
})

/** Events of accounts of this owner, after all others. */
async function accountEvents({ organizationId }: Member, ownerId: string, count: number, description = '') {
  const occurredAt = platform.now.toISOString()
  const rows = Array.from({ length: count }, () => {
    const recordId = newId()
    const record = { id: recordId, name: 'Bulk', ownerId, description, version: 1 }
    const data = { object: 'account', id: recordId, record, previous: null, changedFields: null, actorId: null }
    const event = { type: 'account.created', version: 1, object: 'account', recordId, data }
    return { ...event, id: newId(), organizationId, occurredAt, actorId: null }
  })
  await insertEvents(platform.services.database, rows)
  await assignPositions()
  return rows.map(({ recordId }) => recordId)
}

it('ends a page after 1,000 events of others, with a cursor to go on', async () => {
  const { owner } = used
  const own = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
  const start = (await page(own)).nextCursor
  await accountEvents(owner, owner.userId, 1_500)
  const [mine] = await accountEvents(owner, own.userId, 1)
  const read = await pages(own, { after: start })
  expect(read.map(({ data }) => data.length)).toEqual([0, 1])
  expect(Number(read[0]!.nextCursor)).toBe(Number(start) + 1_000)
  expect(recordIds(read[1]!.data)).toEqual([mine])
  const all = await pages(owner, { after: start, types: 'account.*', limit: 500 })
  expect(all.map(({ data }) => data.length)).toEqual([500, 500, 500, 1])
})

it('has fewer large events on a page, each once', async () => {
  const { owner } = used
  const start = (await page(owner)).nextCursor
  const written = await accountEvents(owner, owner.userId, 40, 'x'.repeat(100_000))
  const read = await pages(owner, { after: start, types: 'account.*' })
  expect(read.length).toBeGreaterThan(1)
  expect(recordIds(read.flatMap(({ data }) => data))).toEqual(written)
})

it('passes over positions whose events are gone, and refuses cursors that are older than the log or no cursors', async () => {
  const { owner } = used
  const start = (await page(owner)).nextCursor
  const [first, second, third] = await accountEvents(owner, owner.userId, 3)
  await platform.query('delete from kernel.event where organization_id = $1 and record_id = $2', [
    owner.organizationId,
    second,
  ])
  expect(recordIds(await eventsOf(owner, { after: start }))).toEqual([first, third])
  await platform.query('delete from kernel.event_log where organization_id = $1 and position <= $2', [
    owner.organizationId,
    Number(start) + 1,
  ])
  expect(await refused(owner, { after: String(Number(start) || 1) })).toEqual([410, 'CURSOR_EXPIRED', undefined])
  expect(recordIds(await eventsOf(owner, { after: String(Number(start) + 1) }))).toEqual([third])
  expect(recordIds(await eventsOf(owner))).toEqual([third])
  expect(await refused(owner, { after: '999999999' })).toEqual([400, 'VALIDATION_FAILED', 'after'])
  expect(await refused(owner, { after: 'first' })).toEqual([400, 'VALIDATION_FAILED', 'after'])
  await platform.query('delete from kernel.event_log where organization_id = $1', [owner.organizationId])
  expect(await page(owner)).toMatchObject({ data: [], hasMore: false })
})

it('refuses a cursor before a gap in the log, and names one behind it', async () => {
  const { owner } = used
  const start = (await page(owner)).nextCursor
  const end = Number(start) + (await accountEvents(owner, owner.userId, 3)).length
  await platform.query('delete from kernel.event_log where organization_id = $1 and position = $2', [
    owner.organizationId,
    end - 1,
  ])
  const { status, body } = await owner.rest.eventList!({ query: { after: start } })
  expect([status, body.code, body.detail]).toEqual([410, 'CURSOR_EXPIRED', expect.stringContaining(`after: "${end}"`)])
  const later = await accountEvents(owner, owner.userId, 1)
  expect(recordIds(await eventsOf(owner, { after: String(end) }))).toEqual(later)
})
