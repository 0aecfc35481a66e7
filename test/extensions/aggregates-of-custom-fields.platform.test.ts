import { beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'
import { memberWithout, object, visit } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

type Query = Readonly<Record<string, string | number>>
const aggregate = (query: Query, by = member) => by.rest['accountAggregate']!({ query } as never)

interface Group {
  readonly keys: readonly { readonly field: string; readonly value: string | null }[]
  readonly count: number
  readonly sum: readonly { readonly value: number }[]
}
interface LabelledGroup extends Group {
  readonly keys: readonly { readonly field: string; readonly value: string | null; readonly label: string | null }[]
}
const groupsOf = ({ groups }: { groups: readonly Group[] }) =>
  groups.map(({ keys, count, sum }) => [...keys.map(({ value }) => value), count, ...sum.map(({ value }) => value)])

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await field(owner, { name: 'tier', fieldType: 'PICKLIST', picklistValues: valuesNamed('GOLD', 'SILVER') })
  await field(owner, { name: 'region' })
  await field(owner, { name: 'notes', fieldType: 'TEXTAREA' })
  await field(owner, { name: 'margin', fieldType: 'NUMBER' })
  await field(owner, { name: 'renewal', fieldType: 'DATE' })
  await field(owner, { name: 'checkedAt', fieldType: 'DATETIME' })
  const formula = (expression: string, returnType: string) => ({
    fieldType: 'FORMULA',
    formulaConfig: { expression, returnType, ...(returnType === 'NUMBER' && { decimals: 2 }) },
  })
  await field(owner, { name: 'doubled', ...formula('customFields.margin * 2', 'NUMBER') })
  await field(owner, { name: 'area', ...formula('UPPER(customFields.region)', 'TEXT') })
  const rows = [
    { tier: 'GOLD', region: 'north', margin: 10.5, renewal: '2027-01-31', checkedAt: '2027-01-01T10:00:00Z' },
    { tier: 'GOLD', region: 'south', margin: 4, renewal: '2027-02-01', checkedAt: '2027-01-02T10:00:00Z' },
    { tier: 'SILVER', region: 'north', margin: -1, renewal: '2027-02-28' },
    {},
  ]
  for (const [index, customFields] of rows.entries())
    await account(member, { annualRevenue: 100 * (index + 1), customFields })
})

describe('an aggregate', () => {
  it('has groups and sums of custom fields, beside those of other fields', async () => {
    const query = { groupBy: 'customFields.tier', sum: 'customFields.margin,annualRevenue' }
    const { status, body } = await aggregate(query)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(groupsOf(body)).toEqual([
      ['GOLD', 2, 300, 14.5],
      ['SILVER', 1, 300, -1],
      [null, 1, 400, 0],
    ])
    expect(body.groups[0].keys[0].field).toBe('customFields.tier')
    expect(body.total.sum).toMatchObject([
      { field: 'annualRevenue', value: 1000 },
      { field: 'customFields.margin', value: 13.5, time: null },
    ])
  })

  it('has averages, and smallest and largest numbers and times', async () => {
    const ranges = 'customFields.margin,customFields.renewal,customFields.checkedAt'
    const { body } = await aggregate({ average: 'customFields.margin', min: ranges, max: ranges })
    const figures = (values: readonly { value: number | null; time: string | null }[]) =>
      values.map(({ value, time }) => value ?? time)
    expect(figures(body.total.average)).toEqual([4.5])
    expect(figures(body.total.min)).toEqual([-1, '2027-01-31T00:00:00.000Z', '2027-01-01T10:00:00.000Z'])
    expect(figures(body.total.max)).toEqual([10.5, '2027-02-28T00:00:00.000Z', '2027-01-02T10:00:00.000Z'])
  })

  it('has periods of custom dates and times', async () => {
    const byMonth = await aggregate({ groupBy: 'customFields.renewal:month,customFields.tier' })
    expect(groupsOf(byMonth.body)).toEqual([
      ['2027-01', 'GOLD', 1],
      ['2027-02', 'GOLD', 1],
      ['2027-02', 'SILVER', 1],
      [null, null, 1],
    ])
    const byDay = await aggregate({ groupBy: 'customFields.checkedAt:day' })
    expect(groupsOf(byDay.body)).toEqual([
      ['2027-01-01', 1],
      ['2027-01-02', 1],
      [null, 2],
    ])
    for (const groupBy of ['customFields.renewal', 'customFields.tier:month'])
      expect(problemsOf(await aggregate({ groupBy }))).toMatch(
        /^400 VALIDATION_FAILED groupBy\S* (REQUIRED|NOT_ALLOWED)$/,
      )
  })

  it('has the values of formulas', async () => {
    const { body } = await aggregate({
      groupBy: 'customFields.area',
      sum: 'customFields.doubled',
      sortBy: 'sum',
      'customFields[tier]': 'GOLD',
    })
    expect(groupsOf(body)).toEqual([
      ['NORTH', 1, 21],
      ['SOUTH', 1, 8],
    ])
  })

  it('is the same in the graph', async () => {
    const { body } = await member.graphql(
      `{ accountAggregate(groupBy: [{ customField: "tier" }, { customField: "renewal", by: YEAR }], sum: [annualRevenue], sumOfCustomFields: ["margin", "doubled"], sortBy: SUM) {
          groups { keys { field value } count sum { field value } } totalGroups } }`,
    )
    expect(body.errors).toBeUndefined()
    expect(body.data.accountAggregate.totalGroups).toBe(3)
    expect(groupsOf(body.data.accountAggregate)).toEqual([
      [null, null, 1, 400, 0, 0],
      ['GOLD', '2027', 2, 300, 14.5, 29],
      ['SILVER', '2027', 1, 300, -1, -2],
    ])
  })

  it.each([
    ['an unknown group', { groupBy: 'customFields.none' }, 'UNKNOWN_FIELD customFields.none UNKNOWN_FIELD'],
    [
      'a key of every object',
      { sum: 'customFields.constructor' },
      'UNKNOWN_FIELD customFields.constructor UNKNOWN_FIELD',
    ],
    ['a long text', { groupBy: 'customFields.notes' }, 'VALIDATION_FAILED customFields.notes NOT_GROUPABLE'],
    ['a number as a group', { groupBy: 'customFields.margin' }, 'VALIDATION_FAILED customFields.margin NOT_GROUPABLE'],
    ['a sum of texts', { sum: 'customFields.tier' }, 'VALIDATION_FAILED customFields.tier WRONG_TYPE'],
    ['a sum of dates', { sum: 'customFields.renewal' }, 'VALIDATION_FAILED customFields.renewal WRONG_TYPE'],
    ['a smallest text', { min: 'customFields.region' }, 'VALIDATION_FAILED customFields.region WRONG_TYPE'],
  ] as const)('refuses %s', async (_, query, problem) => {
    expect(problemsOf(await aggregate(query))).toBe(`400 ${problem}`)
  })

  it('refuses a name that is none, and more figures than ten together', async () => {
    for (const groupBy of ['customFields.', 'customFields.a b', "customFields.a'", 'none'])
      expect(problemsOf(await aggregate({ groupBy })), groupBy).toMatch(/^400 VALIDATION_FAILED groupBy/)
    const graph = async (args: string) =>
      (await member.graphql(`{ accountAggregate(${args}) { totalGroups } }`)).body.errors[0].extensions.errors
    const many = Array.from({ length: 10 }, () => '"margin"').join()
    expect(await graph(`sum: [annualRevenue], sumOfCustomFields: [${many}]`)).toMatchObject([
      { path: 'sum', code: 'TOO_MANY' },
    ])
    expect(await graph('groupBy: [{}]')).toMatchObject([{ path: 'groupBy.0', code: 'REQUIRED' }])
    expect(await graph('groupBy: [{ field: type, customField: "tier" }]')).toMatchObject([
      { path: 'groupBy.0', code: 'NOT_ALLOWED' },
    ])
  })

  it('knows no field that the profile hides, or that another organization has', async () => {
    const ctx = systemContext(platform.services, owner.organizationId)
    await platform.services.shapes.load(owner.organizationId)
    const agent = await platform.member({ organizationId: owner.organizationId })
    const fields = { account: { 'customFields.margin': 'HIDDEN' } } as const
    const profile = await createProfile(ctx, { name: 'Agents', fields })
    await assignProfile(ctx, agent.userId, profile.id)
    const unknown = (name: string) => `400 UNKNOWN_FIELD customFields.${name} UNKNOWN_FIELD`
    for (const name of ['margin', 'doubled'])
      expect(problemsOf(await aggregate({ sum: `customFields.${name}` }, agent))).toBe(unknown(name))
    expect((await aggregate({ groupBy: 'customFields.tier' }, agent)).status).toBe(200)
    const stranger = await anOrganization(platform)
    expect(problemsOf(await aggregate({ groupBy: 'customFields.tier' }, stranger.member))).toBe(unknown('tier'))
  })

  it('of records of a custom object has its fields', async () => {
    await object(owner)
    await visit(member, { subject: 'Pump', hours: 2, outcome: 'DONE' })
    await visit(member, { subject: 'Tank', hours: 3, outcome: 'DONE' })
    await visit(member, { subject: 'Tank', hours: 1, outcome: 'OPEN' })
    const call = (query: Query) => member.rest['customRecordAggregate']!({ name: 'site_visit', query } as never)
    const { status, body } = await call({ groupBy: 'customFields.outcome', sum: 'customFields.hours', sortBy: 'sum' })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(groupsOf(body)).toEqual([
      ['DONE', 2, 5],
      ['OPEN', 1, 1],
    ])
    expect(problemsOf(await call({ groupBy: 'customFields.tier' }))).toMatch(/^400 UNKNOWN_FIELD/)
  })

  it('has groups by what a LOOKUP names, with the names of the records that the caller sees', async () => {
    const { owner: admin, member: by } = await anOrganization(platform)
    const { organizationId } = admin
    await object(admin, { name: 'ship' })
    await object(admin, {
      fields: [
        { name: 'subject', label: 'Subject', fieldType: 'TEXT' },
        { name: 'hours', label: 'Hours', fieldType: 'NUMBER' },
        { name: 'customer', label: 'Customer', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' },
        { name: 'ship', label: 'Ship', fieldType: 'LOOKUP', lookupObject: 'custom:ship' },
      ],
    })
    await settleFieldChanges(platform)
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const [acme, other] = [await account(own, { name: 'Acme' }), await account(by, { name: 'Other' })]
    const { id: ship } = await visit(by, { subject: 'Nordlys' }, {}, 'ship')
    const more = { ownerId: own.userId }
    await visit(admin, { subject: 'A', hours: 2, customer: acme.id, ship }, more)
    await visit(admin, { subject: 'B', hours: 3, customer: acme.id }, more)
    await visit(admin, { subject: 'C', hours: 1, customer: other.id }, more)
    await visit(admin, { subject: 'D', hours: 7 }, more)
    const groups = async (name: string, who = by) => {
      const query = { groupBy: `customFields.${name}`, sum: 'customFields.hours', sortBy: 'sum' }
      const { status, body } = await who.rest['customRecordAggregate']!({ name: 'site_visit', query } as never)
      expect(status, JSON.stringify(body)).toBe(200)
      return (body.groups as LabelledGroup[]).map(({ keys: [key], count, sum }) => [
        key!.value,
        key!.label,
        count,
        sum[0]!.value,
      ])
    }
    const none = [null, null, 1, 7]
    expect(await groups('customer')).toEqual([none, [acme.id, 'Acme', 2, 5], [other.id, 'Other', 1, 1]])
    expect(await groups('customer', own)).toEqual([none, [acme.id, 'Acme', 2, 5], [other.id, null, 1, 1]])
    expect(await groups('ship')).toEqual([
      [null, null, 3, 11],
      [ship, 'Nordlys', 1, 2],
    ])
    const keyed = await platform.member({ organizationId, scopes: ['READ_CUSTOM_OBJECTS'] })
    expect((await groups('customer', keyed)).map(([, label]) => label)).toEqual([null, null, null])
    const agent = await memberWithout(platform, organizationId, { 'custom:ship': ['customFields.subject'] })
    expect((await groups('ship', agent))[1]).toEqual([ship, null, 1, 2])
  })
})
