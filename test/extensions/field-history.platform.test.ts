import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { maintainFieldHistory } from '../../subgraphs/records/field-history/maintain-history.job.ts'
import { account, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aField, anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'
import { lookup, settleClearings } from './lookups.fixture.ts'
import { memberWithout, object, visit, withSiteVisits } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member
let tierId: string

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  const tier = { name: 'tier', fieldType: 'PICKLIST', picklistValues: valuesNamed('GOLD', 'SILVER', 'TOP') }
  tierId = (await field(owner, { ...tier, trackHistory: true })).id
  await field(owner, { name: 'margin', fieldType: 'NUMBER', trackHistory: true })
  await field(owner, { name: 'note' })
})

const write = async (id: string, customFields: object, by = member) => {
  const { status, body } = await by.rest['accountUpdate']!({ id, body: { customFields } } as never)
  expect(status, JSON.stringify(body)).toBe(200)
}
const history = (id: string, query: object = {}, by = member) => by.rest['accountFieldHistory']!({ id, query } as never)
const shown = async (id: string, query: object = {}, by = member) => {
  const { status, body } = await history(id, query, by)
  expect(status, JSON.stringify(body)).toBe(200)
  return (body.data as { field: string; previousValue: unknown; value: unknown }[]).map(
    ({ field: name, previousValue, value }) => [name, previousValue, value],
  )
}

describe('the history of a field', () => {
  it('has each value that a change replaces, newest first, with version, time and user', async () => {
    const { id } = await account(member, { customFields: { tier: 'GOLD', margin: 1.5, note: 'a' } })
    expect(await shown(id as string)).toEqual([])
    await write(id as string, { tier: 'SILVER', note: 'b' })
    await write(id as string, { margin: null }, owner)
    await write(id as string, { note: 'c' })
    await write(id as string, { tier: 'SILVER' })
    const { body } = await history(id as string)
    expect(body.data).toEqual([
      {
        id: expect.any(String) as string,
        field: 'customFields.margin',
        previousValue: 1.5,
        value: null,
        version: 3,
        changedAt: platform.now.toISOString(),
        changedById: owner.userId,
      },
      expect.objectContaining({
        field: 'customFields.tier',
        previousValue: 'GOLD',
        value: 'SILVER',
        version: 2,
        changedById: member.userId,
      }),
    ])
    expect([body.hasMore, body.nextCursor]).toEqual([false, null])
    expect(await shown(id as string, { field: 'tier' })).toEqual([['customFields.tier', 'GOLD', 'SILVER']])
  })

  it('is read in pages, and by GraphQL with the user', async () => {
    const { id } = await account(member, { customFields: { margin: 0 } })
    for (const margin of [1, 2, 3]) await write(id as string, { margin })
    const first = (await history(id as string, { limit: 2 })).body
    expect([first.data.length, first.hasMore]).toEqual([2, true])
    const second = (await history(id as string, { limit: 2, cursor: first.nextCursor as string })).body
    expect(second.data).toMatchObject([{ previousValue: 0, value: 1 }])
    expect([second.hasMore, second.nextCursor]).toEqual([false, null])
    expect(problemsOf(await history(id as string, { cursor: 'x' }))).toBe('400 VALIDATION_FAILED cursor WRONG_FORMAT')
    const query = `query ($id: ID!) { accountFieldHistory(id: $id, limit: 1) { data { value changedBy { id } } } }`
    const { body } = await member.graphql(query, { id })
    expect(body.data.accountFieldHistory.data).toEqual([{ value: 3, changedBy: { id: member.userId } }])
  })

  it('has changes of many records at once', async () => {
    await field(owner, { entity: 'LEAD', name: 'rating', fieldType: 'NUMBER', trackHistory: true })
    const ids = [(await lead(member)).id, (await lead(member)).id] as string[]
    const items = ids.map((id, rating) => ({ id, customFields: { rating } }))
    const bulk = `mutation ($items: [LeadBulkUpdateItem!]!) { leadBulkUpdate(items: $items) { succeeded } }`
    expect((await member.graphql(bulk, { items })).body.data.leadBulkUpdate.succeeded).toBe(2)
    const { body } = await member.rest['leadFieldHistory']!({ id: ids[1] } as never)
    expect(body.data).toMatchObject([{ field: 'customFields.rating', previousValue: null, value: 1 }])
  })

  it('of a LOOKUP has the ids that changes replace, and those that a deletion clears', async () => {
    const { owner: admin, member: by } = await anOrganization(platform)
    await lookup(platform, admin, { trackHistory: true })
    const [one, two] = [await account(by), await account(by)]
    const { id } = await account(by, { customFields: { partner: one.id } })
    await write(id as string, { partner: (two.id as string).toUpperCase() }, by)
    expect((await by.rest['accountDelete']!({ id: two.id } as never)).status).toBe(204)
    await settleClearings(platform)
    expect((await history(id as string, {}, by)).body.data).toMatchObject([
      { field: 'customFields.partner', previousValue: two.id, value: null, version: 3, changedById: by.userId },
      { field: 'customFields.partner', previousValue: one.id, value: two.id, version: 2, changedById: by.userId },
    ])
  })

  it('has values that are replaced in all records', async () => {
    const { id } = await account(member, { customFields: { tier: 'TOP' } })
    const { id: other } = await account(member, { customFields: { tier: 'SILVER' } })
    const body = { from: 'TOP', to: 'GOLD' }
    expect((await owner.rest['customFieldReplaceValue']!({ id: tierId, body } as never)).status).toBe(202)
    await settleFieldChanges(platform)
    expect(await shown(id as string)).toEqual([['customFields.tier', 'TOP', 'GOLD']])
    expect(await shown(other as string)).toEqual([])
  })

  it('is that of records which the caller sees, without fields that the profile hides', async () => {
    const { id } = await account(member, { customFields: { tier: 'GOLD', margin: 1 } })
    await write(id as string, { tier: 'SILVER', margin: 2 })
    const own = await platform.member({ organizationId: owner.organizationId, visibility: 'OWN' })
    expect((await history(id as string, {}, own)).status).toBe(404)
    const restricted = await platform.member({ organizationId: owner.organizationId })
    const ctx = systemContext(platform.services, owner.organizationId)
    const fields = { account: { 'customFields.margin': 'HIDDEN' } } as const
    const { id: profileId } = await createProfile(ctx, { name: 'Without margin', fields })
    await assignProfile(ctx, restricted.userId, profileId)
    expect(await shown(id as string, {}, restricted)).toEqual([['customFields.tier', 'GOLD', 'SILVER']])
    expect(await shown(id as string, { field: 'margin' }, restricted)).toEqual([])
    const other = await platform.member({ organizationId: await platform.organization('Other') })
    expect((await history(id as string, {}, other)).status).toBe(404)
    const reader = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_LEADS'] })
    expect((await history(id as string, {}, reader)).status).toBe(403)
    const keyed = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_ACCOUNTS'] })
    expect((await history(id as string, {}, keyed)).status).toBe(200)
  })

  it('begins with trackHistory, and ends with it', async () => {
    const { id: fieldId } = await field(owner, { entity: 'LEAD', name: 'stage' })
    const { id } = await lead(member, { customFields: { stage: 'a' } })
    const track = (trackHistory: boolean) =>
      owner.rest['customFieldUpdate']!({ id: fieldId, body: { trackHistory } } as never)
    const change = (stage: string) => member.rest['leadUpdate']!({ id, body: { customFields: { stage } } } as never)
    await change('b')
    expect((await track(true)).body.trackHistory).toBe(true)
    await change('c')
    await track(false)
    await change('d')
    const { body } = await member.rest['leadFieldHistory']!({ id } as never)
    expect(body.data).toMatchObject([{ previousValue: 'b', value: 'c' }])
  })

  it('is kept for 20 fields of a record type', async () => {
    const { owner: another } = await anOrganization(platform)
    for (let index = 0; index < 20; index++) await field(another, { name: `f${index}`, trackHistory: true })
    const body = aField({ name: 'f20', trackHistory: true })
    expect(problemsOf(await another.rest['customFieldCreate']!({ body } as never))).toBe('409 LIMIT_REACHED')
    expect(await field(another, { entity: 'LEAD', name: 'f20', trackHistory: true })).toMatchObject({
      trackHistory: true,
    })
  })

  it('is not kept of formulas over other records or the time', async () => {
    const formulaConfig = { expression: 'DAY(TODAY())', returnType: 'NUMBER' }
    const values = { name: 'twice', fieldType: 'FORMULA', formulaConfig }
    const refused = await owner.rest['customFieldCreate']!({ body: aField({ ...values, trackHistory: true }) } as never)
    expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED trackHistory NOT_ALLOWED')
    const { id } = await field(owner, values)
    const changed = await owner.rest['customFieldUpdate']!({ id, body: { trackHistory: true } } as never)
    expect(problemsOf(changed)).toBe('400 VALIDATION_FAILED trackHistory NOT_ALLOWED')
  })

  it('is kept for 24 months, in partitions of months', async () => {
    const { id } = await account(member, { customFields: { margin: 1 } })
    await write(id as string, { margin: 2 })
    await maintainFieldHistory.run(platform.services)
    const partitions = async () =>
      (
        await platform.query<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'records.field_history'::regclass order by 1`,
        )
      ).map(({ name }) => name)
    expect(await partitions()).toContain('records.field_history_2027_04')
    const [place] = await platform.query<{ name: string }>(
      'select tableoid::regclass::text as name from records.field_history where record_id = $1',
      [id],
    )
    expect(place!.name).toBe('records.field_history_2027_02')
    const now = platform.now
    platform.now = new Date('2029-02-28T00:00:00Z')
    await maintainFieldHistory.run(platform.services)
    expect(await partitions()).toContain('records.field_history_2027_02')
    platform.now = new Date('2029-03-01T00:00:00Z')
    await maintainFieldHistory.run(platform.services)
    expect(await partitions()).not.toContain('records.field_history_2027_02')
    platform.now = now
    expect(await shown(id as string)).toEqual([])
  })
})

describe('the history of a field of a custom object', () => {
  const entity = 'custom:site_visit'
  const historyIn = (by: Member, id: string, query: object = {}, name = 'site_visit') =>
    by.rest['customRecordFieldHistory']!({ name, id, query } as never)
  const visitWith = (by: Member, id: string, customFields: object) =>
    by.rest['customRecordUpdate']!({ name: 'site_visit', id, body: { customFields } } as never)

  it('has the values that changes replace, in REST and GraphQL', async () => {
    const fields = [
      { name: 'subject', label: 'Subject', fieldType: 'TEXT', trackHistory: true },
      { name: 'hours', label: 'Hours', fieldType: 'NUMBER', trackHistory: true },
      { name: 'note', label: 'Note', fieldType: 'TEXT' },
    ]
    const { owner: admin, member: by } = await anOrganization(platform)
    await object(admin, { fields })
    const { id } = await visit(by, { subject: 'Pump', hours: 1, note: 'a' })
    const { id: other } = await visit(by, { subject: 'Tank' })
    await visitWith(by, id, { hours: 2, note: 'b' })
    await visitWith(admin, id, { subject: 'Pump 4' })
    const { status, body } = await historyIn(by, id)
    expect([status, body.hasMore, body.nextCursor]).toEqual([200, false, null])
    const change = { id: expect.any(String) as string, changedAt: platform.now.toISOString() }
    expect(body.data).toEqual([
      {
        ...change,
        field: 'customFields.subject',
        previousValue: 'Pump',
        value: 'Pump 4',
        version: 3,
        changedById: admin.userId,
      },
      { ...change, field: 'customFields.hours', previousValue: 1, value: 2, version: 2, changedById: by.userId },
    ])
    expect((await historyIn(by, other)).body.data).toEqual([])
    expect((await historyIn(by, id, { field: 'hours', limit: 1 })).body.data).toMatchObject([{ value: 2 }])
    const query = `query ($id: ID!) { customRecordFieldHistory(object: "site_visit", id: $id) { data { value changedBy { id } } } }`
    const graph = await by.graphql(query, { id })
    expect(graph.body.data.customRecordFieldHistory.data).toEqual([
      { value: 'Pump 4', changedBy: { id: admin.userId } },
      { value: 2, changedBy: { id: by.userId } },
    ])
  })

  it('is that of records of the object which the caller sees, without hidden fields', async () => {
    const { owner: admin, member: by } = await withSiteVisits(platform)
    const { organizationId } = admin
    await object(admin, { name: 'ship' })
    await field(admin, { entity, name: 'cost', fieldType: 'NUMBER', trackHistory: true })
    await field(admin, { entity, name: 'code', trackHistory: true })
    const { id } = await visit(by, { subject: 'Pump', cost: 1, code: 'A' })
    await visitWith(by, id, { cost: 2, code: 'B' })
    const agent = await memberWithout(platform, organizationId, { [entity]: ['customFields.cost'] })
    expect((await historyIn(agent, id)).body.data).toMatchObject([{ field: 'customFields.code', value: 'B' }])
    expect((await historyIn(agent, id, { field: 'cost' })).body.data).toEqual([])
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const foreign = await withSiteVisits(platform)
    const keyed = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    expect(problemsOf(await historyIn(own, id))).toBe('404 NOT_FOUND')
    expect(problemsOf(await historyIn(by, id, {}, 'ship'))).toBe('404 NOT_FOUND')
    expect(problemsOf(await historyIn(by, id, {}, 'yard'))).toBe('404 NOT_FOUND')
    expect(problemsOf(await historyIn(foreign.member, id))).toBe('404 NOT_FOUND')
    expect((await historyIn(keyed, id)).status).toBe(403)
    const reader = await platform.member({ organizationId, scopes: ['READ_CUSTOM_OBJECTS'] })
    expect((await historyIn(reader, id)).status).toBe(200)
  })

  it('has the changes of a bulk update and none of a refused change', async () => {
    const { owner: admin, member: by } = await withSiteVisits(platform)
    await field(admin, { entity, name: 'cost', fieldType: 'NUMBER', trackHistory: true })
    const [one, two] = [await visit(by, { subject: 'A', cost: 1 }), await visit(by, { subject: 'B' })]
    const items = [
      { id: one.id, customFields: { cost: 5 } },
      { id: two.id, customFields: { cost: 6, hours: -1 } },
    ]
    const { body } = await by.rest['customRecordBulkUpdate']!({ name: 'site_visit', body: { items } } as never)
    expect(body).toMatchObject({ succeeded: 1, failed: 1 })
    expect((await historyIn(by, one.id)).body.data).toMatchObject([{ previousValue: 1, value: 5, version: 2 }])
    expect((await historyIn(by, two.id)).body.data).toEqual([])
  })
})
