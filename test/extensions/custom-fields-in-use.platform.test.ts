import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { useHookReceiver } from './hook-receiver.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()

let owner: Member
let member: Member

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await field(owner, { name: 'tier', fieldType: 'PICKLIST', picklistValues: valuesNamed('GOLD', 'SILVER') })
  await field(owner, { name: 'margin', fieldType: 'CURRENCY', label: 'Margin', minValue: 0, precision: 2 })
  await field(owner, { name: 'nickname', isSearchable: true, isRequired: true })
  await field(owner, { name: 'mail', fieldType: 'EMAIL' })
  await field(owner, { name: 'since', fieldType: 'DATE' })
  await field(owner, { name: 'regions', fieldType: 'MULTI_PICKLIST', picklistValues: valuesNamed('EMEA', 'APAC') })
  for (const [name, customFields] of [
    ['one', { nickname: 'North', tier: 'GOLD', margin: 5, since: '2020-01-01', mail: 'One@Example.com' }],
    ['two', { nickname: 'South', tier: 'SILVER', margin: 10.5, since: '2021-01-01', regions: ['EMEA', 'APAC'] }],
    ['three', { nickname: 'East', margin: 7, regions: ['APAC'] }],
  ] as const)
    await account(member, { name, customFields })
})

const names = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name)
const list = async (query: object, by = member) => names((await by.rest['accountList']!({ query } as never)).body)

const listQuery = `query ($f: AccountFilter, $o: [AccountOrder!]) { accountList(filter: $f, orderBy: $o) { data { name } } }`
const graph = async (f: object | null, o: object[], by = member) => by.graphql(listQuery, { f, o })

describe('lists', () => {
  it.each<[object, string]>([
    [{ margin: { gte: 7 } }, 'three two'],
    [{ tier: { in: ['GOLD', 'SILVER'] } }, 'one two'],
    [{ since: { lt: '2021-01-01' } }, 'one'],
    [{ mail: ' ONE@example.com' }, 'one'],
    [{ mail: { in: ['ONE@EXAMPLE.COM'] } }, 'one'],
    [{ mail: { startsWith: 'one@' } }, 'one'],
    [{ regions: { hasAll: ['EMEA', 'APAC'] } }, 'two'],
    [{ regions: { isEmpty: true } }, 'one'],
    [{ nickname: { contains: 'th' } }, 'one two'],
  ])('filter by %j', async (customFields, found) => {
    const { body } = await graph({ customFields }, [{ field: 'name', direction: 'ASC' }])
    expect(names(body.data.accountList).join(' ')).toBe(found)
  })

  it('filter by parameters of REST', async () => {
    expect(await list({ 'customFields[margin]': '10.5' })).toEqual(['two'])
    expect(await list({ 'customFields[mail]': 'ONE@example.com' })).toEqual(['one'])
  })

  it('refuse values that a field cannot have with 400', async () => {
    const { body } = await graph({ customFields: { tier: 'BRONZE', since: { gt: 'soon' } } }, [])
    expect(body.errors).toMatchObject([
      {
        extensions: {
          errors: [
            { path: 'filter.customFields.tier.eq', code: 'WRONG_TYPE' },
            { path: 'filter.customFields.since.gt', code: 'WRONG_TYPE' },
          ],
        },
      },
    ])
  })

  it('are sorted by a field, without values last, over pages', async () => {
    const query = { sortByCustomField: 'margin', sortOrder: 'desc' }
    expect(await list(query)).toEqual(['two', 'three', 'one'])
    expect(await list({ ...query, sortOrder: 'asc' })).toEqual(['one', 'three', 'two'])
    expect(await list({ sortByCustomField: 'tier', sortOrder: 'asc' })).toEqual(['one', 'two', 'three'])
    const first = await member.rest['accountList']!({ query: { ...query, limit: 2 } } as never)
    const next = { ...query, limit: 2, cursor: first.body.nextCursor }
    expect([names(first.body), await list(next)]).toEqual([['two', 'three'], ['one']])
    const { body } = await graph(null, [{ customField: 'since', direction: 'ASC' }, { field: 'name' }])
    expect(names(body.data.accountList)).toEqual(['one', 'two', 'three'])
  })

  it.each(['regions', 'unknown'])('cannot be sorted by %s', async (sortByCustomField) => {
    const refused = await member.rest['accountList']!({ query: { sortByCustomField } } as never)
    expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED sortByCustomField NOT_SORTABLE')
  })

  it('search in the searchable fields', async () => {
    expect(await list({ search: 'Nort' })).toEqual(['one'])
    expect(await list({ search: 'GOLD' })).toEqual([])
  })
})

describe('the description of the record type', () => {
  it('has the fields with their bounds and rights', async () => {
    const { body } = await member.graphql(
      `{ recordType(object: "account") { fields { name kind description values isRequired isReadable isCreatable isUpdatable isSortable minimum decimals maxLength } } }`,
    )
    const described = (body.data.recordType.fields as { name: string }[]).filter(({ name }) =>
      ['customFields.tier', 'customFields.margin', 'customFields.nickname'].includes(name),
    )
    const all = { isReadable: true, isCreatable: true, isUpdatable: true, isSortable: true }
    const none = { minimum: null, decimals: null, maxLength: null, values: null, isRequired: false }
    expect(described).toEqual([
      { ...none, ...all, name: 'customFields.tier', kind: 'ENUM', description: 'Code', values: ['GOLD', 'SILVER'] },
      { ...none, ...all, name: 'customFields.margin', kind: 'MONEY', description: 'Margin', minimum: 0, decimals: 2 },
      {
        ...none,
        ...all,
        name: 'customFields.nickname',
        kind: 'TEXT',
        description: 'Code',
        isRequired: true,
        maxLength: 255,
      },
    ])
  })
})

describe('a profile', () => {
  it('hides a field everywhere, and makes another one read-only', async () => {
    const restricted = await platform.member({ organizationId: owner.organizationId })
    const ctx = systemContext(platform.services, owner.organizationId)
    const fields = { account: { 'customFields.margin': 'HIDDEN', 'customFields.tier': 'READ' } } as const
    const profile = await createProfile(ctx, { name: 'Restricted', fields })
    await assignProfile(ctx, restricted.userId, profile.id)
    const [one] = (await restricted.rest['accountList']!({ query: { search: 'North' } })).body.data
    expect(one.customFields).toEqual({
      nickname: 'North',
      tier: 'GOLD',
      since: '2020-01-01',
      mail: 'one@example.com',
    })
    const refusals = [
      await restricted.rest['accountList']!({ query: { 'customFields[margin]': '5' } } as never),
      await restricted.rest['accountList']!({ query: { sortByCustomField: 'margin' } } as never),
    ]
    expect(refusals.map(problemsOf)).toEqual([
      '403 FIELD_NOT_READABLE customFields.margin FIELD_NOT_READABLE',
      '403 FIELD_NOT_READABLE sortByCustomField FIELD_NOT_READABLE',
    ])
    const before = await platform.fingerprint(owner.organizationId)
    for (const name of ['margin', 'tier']) {
      const body = { customFields: { [name]: null } }
      expect(problemsOf(await restricted.rest['accountUpdate']!({ id: one.id, body }))).toBe(
        `403 FIELD_NOT_WRITABLE customFields.${name} FIELD_NOT_WRITABLE`,
      )
    }
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const { body } = await restricted.graphql(
      `{ recordType(object: "account") { fields { name isReadable isCreatable isUpdatable } } }`,
    )
    const rights = (body.data.recordType.fields as Record<string, unknown>[]).filter(({ name }) =>
      ['customFields.tier', 'customFields.margin'].includes(name as string),
    )
    expect(rights).toEqual([
      { name: 'customFields.tier', isReadable: true, isCreatable: false, isUpdatable: false },
      { name: 'customFields.margin', isReadable: false, isCreatable: false, isUpdatable: false },
    ])
  })
})

describe('definitions of the organization', () => {
  it('check conditions on fields by their types, and rules see the values', async () => {
    const other = await anOrganization(platform)
    await field(other.owner, { name: 'seats', fieldType: 'NUMBER' })
    const rule = (condition: object) =>
      other.owner.rest['validationRuleCreate']!({
        body: {
          entityType: 'ACCOUNT',
          name: 'Seats',
          errorMessage: 'Too many.',
          errorField: 'customFields.seats',
          conditions: [{ field: 'customFields.seats', ...condition }],
        },
      } as never)
    expect((await rule({ operator: 'STARTS_WITH', value: '1' })).status).toBe(400)
    expect((await rule({ operator: 'GREATER_THAN', value: 10 })).status).toBe(201)
    const make = (seats: number) =>
      other.member.rest['accountCreate']!({ body: { name: 'A', customFields: { seats } } })
    expect(problemsOf(await make(11))).toBe('422 VALIDATION_RULE_FAILED customFields.seats VALIDATION_RULE_FAILED')
    expect((await make(10)).status).toBe(201)
  })

  it('apply to the items of a bulk change', async () => {
    await field(owner, { entity: 'CONTACT', name: 'score', fieldType: 'NUMBER', minValue: 0 })
    const [one, two] = [await contact(member), await contact(member)]
    const items = [
      { id: one.id, customFields: { score: -1 } },
      { id: two.id, customFields: { score: 11 } },
    ]
    const { body } = await member.rest['contactBulkUpdate']!({ body: { items } } as never)
    const shown = body.results.map(({ status, errors }: { status: string; errors: { path: string }[] | null }) => [
      status,
      errors?.map(({ path }) => path) ?? null,
    ])
    expect(shown).toEqual([
      ['FAILED', ['customFields.score']],
      ['UPDATED', null],
    ])
  })
})

describe('a hook', () => {
  it('sees the values, sets a required field besides those of the caller, and is checked as the caller is', async () => {
    const other = await anOrganization(platform)
    await field(other.owner, { name: 'given', isRequired: true })
    await field(other.owner, { name: 'number', fieldType: 'NUMBER', maxValue: 10 })
    const hook = { objectType: 'ACCOUNT', name: 'Code', operations: ['CREATE', 'UPDATE'], url: receiver.url }
    expect((await other.owner.rest['beforeSaveHookCreate']!({ body: hook } as never)).status).toBe(201)
    const changing = (customFields: object) => () => ({ results: [{ decision: 'ALLOW', changes: { customFields } }] })
    receiver.decide = changing({ given: 'by the hook' })
    const make = (customFields: object) => other.member.rest['accountCreate']!({ body: { name: 'A', customFields } })
    const made = await make({ number: 1 })
    expect([made.status, made.body.customFields]).toEqual([201, { number: 1, given: 'by the hook' }])
    expect(receiver.received.at(-1)!.records[0]).toMatchObject({ next: { customFields: { number: 1 } } })
    receiver.decide = changing({ number: 11 })
    expect(problemsOf(await make({ given: 'x' }))).toBe('400 VALIDATION_FAILED customFields.number OUT_OF_RANGE')
    receiver.decide = changing({ other: 1 })
    expect(problemsOf(await make({ given: 'x' }))).toMatch(/^400 .*customFields.other UNKNOWN_FIELD$/)
  })
})

describe('leadConvert', () => {
  it('copies fields of equal name whose value the other record type accepts', async () => {
    const other = await anOrganization(platform)
    for (const entity of ['LEAD', 'ACCOUNT']) await field(other.owner, { entity, name: 'seats', fieldType: 'NUMBER' })
    await field(other.owner, { entity: 'LEAD', name: 'size', fieldType: 'NUMBER' })
    await field(other.owner, { entity: 'ACCOUNT', name: 'size', fieldType: 'TEXT' })
    await field(other.owner, { entity: 'LEAD', name: 'own' })
    const { id } = await lead(other.member, { company: 'Yard', customFields: { seats: 5, size: 6, own: 'x' } })
    const { status, body } = await other.member.rest['leadConvert']!({
      id,
      body: { createOpportunity: false },
    } as never)
    expect(status, JSON.stringify(body)).toBe(200)
    const made = await other.member.rest['account']!({ id: body.accountId ?? body.account.id })
    expect(made.body.customFields).toEqual({ seats: 5 })
  })
})
