import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, problemsOf } from './custom-fields.fixture.ts'
import { object, visit } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await object(owner)
})

type Query = Readonly<Record<string, string>>
const list = async (query: Query = {}, by = member, name = 'site_visit') => {
  const { status, body } = await by.rest['customRecordList']!({ name, query })
  return { status, names: (body.data as { name: string }[] | undefined)?.map((one) => one.name), total: body.total }
}
const call = (operation: string, given: object, by = member) =>
  by.rest[operation]!({ name: 'site_visit', ...given } as never)

describe('records of a custom object', () => {
  it('are found and sorted by an index of a field, each by that of its own object', async () => {
    await object(owner, { name: 'tour' })
    for (const entity of ['custom:site_visit', 'custom:tour']) {
      const body = { entity, name: 'rank', label: 'Rank', fieldType: 'NUMBER', isIndexed: true }
      expect((await owner.rest['customFieldCreate']!({ body } as never)).status).toBe(201)
    }
    await settleFieldChanges(platform)
    for (const [subject, rank] of [
      ['B', 2],
      ['A', 1],
      ['C', 2],
    ])
      await visit(member, { subject, rank })
    await visit(member, { subject: 'Tour', rank: 2 }, {}, 'tour')
    const byRank = { sortByCustomField: 'rank', sortOrder: 'asc' }
    expect(await list({ 'customFields[rank]': '2' })).toMatchObject({ names: ['C', 'B'], total: 2 })
    expect(await list(byRank)).toMatchObject({ names: ['A', 'B', 'C'], total: 3 })
    expect(await list({ ...byRank, 'customFields[rank]': '2' })).toMatchObject({ names: ['B', 'C'], total: 2 })
    expect(await list(byRank, member, 'tour')).toMatchObject({ names: ['Tour'], total: 1 })
  })

  it('are created, changed, deleted and restored with versions and events', async () => {
    const { id, version } = await visit(member, { subject: 'Pump', hours: 2 }, { externalId: 'x-1' })
    expect(version).toBe(1)
    const changed = await call('customRecordUpdate', {
      id,
      headers: { 'If-Match': '"1"' },
      body: { customFields: { hours: 3 } },
    })
    expect(changed.body).toMatchObject({ version: 2, name: 'Pump', customFields: { subject: 'Pump', hours: 3 } })
    const stale = await call('customRecordUpdate', {
      id,
      headers: { 'If-Match': '"1"' },
      body: { customFields: { hours: 4 } },
    })
    expect(problemsOf(stale)).toBe('409 VERSION_CONFLICT')
    expect((await call('customRecordDelete', { id })).status).toBe(204)
    expect(problemsOf(await call('customRecord', { id }))).toBe('404 NOT_FOUND')
    expect((await call('customRecordListDeleted', {})).body).toMatchObject([{ id, name: 'Pump' }])
    expect((await call('customRecordRestore', { id })).body).toMatchObject({ id, version: 4 })
    expect(await platform.eventTypesOf(id)).toEqual([
      'custom_object.site_visit.created',
      'custom_object.site_visit.updated',
      'custom_object.site_visit.deleted',
      'custom_object.site_visit.restored',
    ])
    const [event] = await platform.query<{ data: object }>(
      `select data from kernel.event where record_id = $1 and type = 'custom_object.site_visit.updated'`,
      [id],
    )
    expect(event!.data).toMatchObject({
      object: 'custom:site_visit',
      record: { object: 'site_visit', name: 'Pump' },
      changedFields: ['customFields', 'customFields.hours'],
    })
  })

  it('are filtered, searched, sorted, counted and aggregated, without those of other objects', async () => {
    await object(owner, { name: 'ship' })
    await visit(member, { subject: 'Other' }, {}, 'ship')
    await visit(member, { subject: 'Pump', hours: 2, outcome: 'DONE' })
    await visit(member, { subject: 'Tank', hours: 5, outcome: 'OPEN' })
    await visit(member, { subject: 'Pump 2' })
    const sorted = { sortBy: 'name', sortOrder: 'asc' }
    expect(await list(sorted)).toEqual({ status: 200, names: ['Pump', 'Pump 2', 'Tank'], total: 3 })
    expect(await list({}, member, 'ship')).toEqual({ status: 200, names: ['Other'], total: 1 })
    expect(await list({ ...sorted, search: 'pump' })).toMatchObject({ names: ['Pump', 'Pump 2'], total: 2 })
    expect(await list({ 'customFields[outcome]': 'OPEN' })).toMatchObject({ names: ['Tank'], total: 1 })
    expect((await list({ sortByCustomField: 'hours', sortOrder: 'desc' })).names).toEqual(['Tank', 'Pump', 'Pump 2'])
    const { body } = await member.graphql(
      `{ a: customRecordList(object: "site_visit", filter: { customFields: { hours: { gte: 3 } } }) { data { name } }
         b: customRecordConnection(object: "site_visit", first: 2, orderBy: [{ field: name, direction: ASC }]) { nodes { name } totalCount }
         c: customRecordAggregate(object: "site_visit", groupBy: [{ field: ownerId }]) { groups { count } total { count } } }`,
    )
    expect(body.data).toEqual({
      a: { data: [{ name: 'Tank' }] },
      b: { nodes: [{ name: 'Pump' }, { name: 'Pump 2' }], totalCount: 3 },
      c: { groups: [{ count: 3 }], total: { count: 3 } },
    })
    const aggregate = await call('customRecordAggregate', { query: { groupBy: 'ownerId' } })
    expect(aggregate.body).toMatchObject({ total: { count: 3 }, groups: [{ count: 3 }] })
  })

  it('are found, changed and deleted only as records of their own object and organization', async () => {
    await object(owner, { name: 'ship' })
    const { id } = await visit(member, { subject: 'Pump' })
    const other = await anOrganization(platform)
    await object(other.owner)
    for (const [name, by] of [
      ['ship', member],
      ['site_visit', other.owner],
    ] as const) {
      const refused = [
        await call('customRecord', { name, id }, by),
        await call('customRecordUpdate', { name, id, body: { externalId: 'x' } }, by),
        await call('customRecordDelete', { name, id }, by),
        await call('customRecordRestore', { name, id }, by),
      ]
      expect(refused.map(problemsOf)).toEqual(Array(4).fill('404 NOT_FOUND'))
      const bulk = await call('customRecordBulkDelete', { name, body: { ids: [id] } }, by)
      expect(bulk.body).toMatchObject({ succeeded: 0, results: [{ code: 'NOT_FOUND' }] })
    }
    expect((await call('customRecord', { id })).body).toMatchObject({ version: 1 })
  })

  it.each(['ship', 'Site_Visit', 'constructor', '__proto__', 'custom:site_visit', "x' or true --", '%00'])(
    'of an object that does not exist are 404: %s',
    async (name) => {
      const answers = [
        await call('customRecordList', { name }),
        await call('customRecordCreate', { name, body: {} }),
        await call('customRecord', { name, id: newId() }),
        await call('customRecordAggregate', { name }),
        await call('customRecordBulkUpdate', { name, body: { items: [{ id: newId(), externalId: 'x' }] } }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(404))
    },
  )

  it('say nothing of the objects of other organizations', async () => {
    await object(owner, { name: 'ship' })
    const other = await anOrganization(platform)
    const [unknown, foreign] = [
      await call('customRecordList', { name: 'nothing' }, other.owner),
      await call('customRecordList', { name: 'ship' }, other.owner),
    ]
    const told = ({ body: { instance: _path, requestId: _id, ...body } }: typeof foreign) => body as object
    expect(told(foreign)).toEqual(told(unknown))
  })

  it('are visible by owner', async () => {
    const { organizationId } = owner
    const [ann, ben] = [
      await platform.member({ organizationId, visibility: 'OWN' }),
      await platform.member({ organizationId, visibility: 'OWN' }),
    ]
    const { id } = await visit(ann, { subject: 'Of Ann' })
    expect(await list({}, ann)).toMatchObject({ names: ['Of Ann'], total: 1 })
    expect(await list({}, ben)).toMatchObject({ names: [], total: 0 })
    expect(problemsOf(await call('customRecord', { id }, ben))).toBe('404 NOT_FOUND')
    expect((await call('customRecordAggregate', {}, ben)).body).toMatchObject({ total: { count: 0 } })
    expect((await list({}, member)).total).toBe(1)
  })

  it('hide fields by the profile, as a value, a name, a filter, a sort and a group', async () => {
    await platform.services.shapes.load(owner.organizationId)
    const ctx = systemContext(platform.services, owner.organizationId)
    const agent = await platform.member({ organizationId: owner.organizationId })
    const hidden = { 'customFields.subject': 'HIDDEN', 'customFields.hours': 'READ' }
    const profile = await createProfile(ctx, { name: 'Agents', fields: { 'custom:site_visit': hidden } })
    await assignProfile(ctx, agent.userId, profile.id)
    const { id } = await visit(member, { subject: 'Secret', hours: 2 })
    const { body } = await call('customRecord', { id }, agent)
    expect([Object.hasOwn(body, 'name'), body.customFields]).toEqual([false, { hours: 2 }])
    expect((await call('customRecord', { id, query: { fields: 'id,name' } }, agent)).body).toEqual({ id })
    expect((await call('customRecordList', { query: { fields: 'id,name' } }, agent)).body.data).toEqual([{ id }])
    expect(problemsOf(await call('customRecordList', { query: { 'customFields[subject]': 'Secret' } }, agent))).toMatch(
      /^403 FIELD_NOT_READABLE/,
    )
    expect(problemsOf(await call('customRecordList', { query: { sortByCustomField: 'subject' } }, agent))).toMatch(
      /^403 FIELD_NOT_READABLE/,
    )
    expect(problemsOf(await call('customRecordList', { query: { sortBy: 'name' } }, agent))).toMatch(
      /^403 FIELD_NOT_READABLE/,
    )
    expect(await list({ search: 'Secret' }, agent)).toMatchObject({ total: 0 })
    const change = (customFields: object) => call('customRecordUpdate', { id, body: { customFields } }, agent)
    expect(problemsOf(await change({ hours: 3 }))).toMatch(/^403 FIELD_NOT_WRITABLE/)
    expect((await change({ outcome: 'DONE' })).body.customFields).toEqual({ hours: 2, outcome: 'DONE' })
  })

  it('are changed and deleted in bulk, each for itself', async () => {
    const [a, b] = [await visit(member, { subject: 'A' }), await visit(member, { subject: 'B' })]
    const items = [
      { id: a.id, customFields: { hours: 1 } },
      { id: b.id, customFields: { hours: -1 } },
    ]
    const changed = await call('customRecordBulkUpdate', { body: { items } })
    expect(changed.body).toMatchObject({
      succeeded: 1,
      failed: 1,
      results: [{ status: 'UPDATED' }, { status: 'FAILED' }],
    })
    const deleted = await call('customRecordBulkDelete', { body: { ids: [a.id, b.id] } })
    expect(deleted.body).toMatchObject({ succeeded: 2 })
    expect((await list()).total).toBe(0)
  })

  it('need the scopes of custom objects', async () => {
    const { organizationId } = owner
    const reader = await platform.member({ organizationId, scopes: ['READ_CUSTOM_OBJECTS'] })
    const stranger = await platform.member({ organizationId, scopes: ['READ_CUSTOM_FIELDS', 'WRITE_ACCOUNTS'] })
    expect((await list({}, reader)).status).toBe(200)
    const create = { body: { customFields: { subject: 'A' } } }
    expect(problemsOf(await call('customRecordCreate', create, reader))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect((await list({}, stranger)).status).toBe(403)
  })

  it('are replayed under an Idempotency-Key, and not to somebody who no longer sees them', async () => {
    const { organizationId } = owner
    const ann = await platform.member({ organizationId, visibility: 'OWN' })
    const request = { headers: { 'Idempotency-Key': newId() }, body: { customFields: { subject: 'Once' } } }
    const first = await call('customRecordCreate', request, ann)
    const second = await call('customRecordCreate', request, ann)
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body])
    await platform.query('update extensions.custom_record set owner_id = $1 where id = $2', [
      owner.userId,
      first.body.id,
    ])
    expect(problemsOf(await call('customRecordCreate', request, ann))).toBe('404 NOT_FOUND')
  })
})
