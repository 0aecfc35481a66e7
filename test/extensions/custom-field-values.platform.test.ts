import { beforeAll, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

/** One field of each type, with every rule that the type can have. */
const fields: readonly object[] = [
  { name: 'text', fieldType: 'TEXT', maxLength: 5, pattern: '^[A-Z]+$' },
  { name: 'line', fieldType: 'TEXT' },
  { name: 'area', fieldType: 'TEXTAREA' },
  { name: 'email', fieldType: 'EMAIL' },
  { name: 'phone', fieldType: 'PHONE' },
  { name: 'url', fieldType: 'URL', pattern: 'example' },
  { name: 'number', fieldType: 'NUMBER', precision: 2, minValue: -1.5, maxValue: 1000 },
  { name: 'wide', fieldType: 'NUMBER' },
  { name: 'amount', fieldType: 'CURRENCY', precision: 0 },
  { name: 'day', fieldType: 'DATE' },
  { name: 'moment', fieldType: 'DATETIME' },
  { name: 'check', fieldType: 'CHECKBOX' },
  { name: 'checked', fieldType: 'CHECKBOX', defaultValue: 'true' },
  {
    name: 'pick',
    fieldType: 'PICKLIST',
    picklistValues: [...valuesNamed('A', 'B'), { value: 'OLD', isActive: false }],
  },
  { name: 'picks', fieldType: 'MULTI_PICKLIST', picklistValues: valuesNamed('X', 'Y', 'Z') },
]

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  for (const values of fields) await field(owner, values)
})

const always = { check: false, checked: true }
const create = (customFields: object) => member.rest['accountCreate']!({ body: { name: 'A', customFields } })

const mutation = `mutation ($input: AccountCreateInput!) { accountCreate(input: $input) { customFields } }`

describe('a value of a custom field', () => {
  it.each<[string, unknown, unknown]>([
    ['text', 'ABCDE', 'ABCDE'],
    ['text', '', ''],
    ['line', 'ä'.repeat(255), 'ä'.repeat(255)],
    ['area', 'a\nb', 'a\nb'],
    ['area', 'x'.repeat(32_000), 'x'.repeat(32_000)],
    ['email', ' Ann.Lee@Example.COM ', 'ann.lee@example.com'],
    ['phone', '+47 22 33 44 55 ext. 7', '+47 22 33 44 55 ext. 7'],
    ['url', 'https://example.com/a?b=c', 'https://example.com/a?b=c'],
    ['number', 999.99, 999.99],
    ['number', -1.5, -1.5],
    ['wide', 0.0123456789, 0.0123456789],
    ['amount', 1_000_000_000_000_000, 1_000_000_000_000_000],
    ['day', '2028-02-29', '2028-02-29'],
    ['moment', '2027-01-01T01:00:00+01:00', '2027-01-01T00:00:00.000Z'],
    ['check', true, true],
    ['checked', false, false],
    ['pick', 'A', 'A'],
    ['picks', ['Z', 'X', 'Z'], ['Z', 'X']],
    ['picks', [], []],
  ])('of %s is stored in its form over REST and GraphQL: %j', async (name, value, stored) => {
    const expected = { ...always, [name]: stored }
    const made = await create({ [name]: value })
    expect([made.status, made.body.customFields]).toEqual([201, expected])
    const { body } = await member.graphql(mutation, { input: { name: 'A', customFields: { [name]: value } } })
    expect(body).toEqual({ data: { accountCreate: { customFields: expected } } })
    const [event] = await platform.eventsOf(made.body.id)
    expect(event!.data).toMatchObject({ record: { customFields: expected } })
  })

  it.each<[string, unknown, string, string?]>([
    ['text', 5, 'WRONG_TYPE'],
    ['text', 'abc', 'WRONG_FORMAT'],
    ['text', 'ABCDEF', 'TOO_LONG'],
    ['line', 'x'.repeat(256), 'TOO_LONG'],
    ['area', 'x'.repeat(32_001), 'TOO_LONG'],
    ['area', ['a'], 'WRONG_TYPE'],
    ['email', 'ann', 'NOT_AN_EMAIL'],
    ['email', 1, 'WRONG_TYPE'],
    ['phone', 'n/a', 'WRONG_FORMAT'],
    ['phone', '1'.repeat(51), 'TOO_LONG'],
    ['url', 'ftp://example.com', 'NOT_A_URL'],
    ['url', 'javascript:example', 'NOT_A_URL'],
    ['url', 'https:example.com', 'NOT_A_URL'],
    ['url', 'https://other.com', 'WRONG_FORMAT'],
    ['number', '5', 'WRONG_TYPE'],
    ['number', 1.125, 'TOO_PRECISE'],
    ['number', -1.51, 'OUT_OF_RANGE'],
    ['number', 1000.01, 'OUT_OF_RANGE'],
    ['wide', 1.000_000_000_01, 'TOO_PRECISE'],
    ['wide', 1_000_000_000_000_001, 'OUT_OF_RANGE'],
    ['amount', 0.5, 'TOO_PRECISE'],
    ['day', '2027-02-29', 'WRONG_TYPE'],
    ['day', '2027-02-28T00:00:00Z', 'WRONG_TYPE'],
    ['moment', '2027-02-31T00:00:00Z', 'WRONG_TYPE'],
    ['moment', 'soon', 'WRONG_TYPE'],
    ['check', 'true', 'WRONG_TYPE'],
    ['pick', 'C', 'NOT_ALLOWED'],
    ['pick', 'OLD', 'NOT_ALLOWED'],
    ['pick', 'toString', 'NOT_ALLOWED'],
    ['pick', ['A'], 'NOT_ALLOWED'],
    ['picks', 'X', 'WRONG_TYPE'],
    ['picks', ['X', 'W'], 'NOT_ALLOWED', 'picks.1'],
    ['picks', [1], 'WRONG_TYPE'],
    ['other', 1, 'UNKNOWN_FIELD'],
    ['toString', 1, 'UNKNOWN_FIELD'],
  ])('of %s is refused with 400 at its path: %j %s', async (name, value, code, at = name) => {
    const before = await platform.fingerprint(owner.organizationId)
    const path = `customFields.${at}`
    const customFields = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as object
    const whole = code === 'UNKNOWN_FIELD' ? code : 'VALIDATION_FAILED'
    expect(problemsOf(await create(customFields))).toBe(`400 ${whole} ${path} ${code}`)
    const { body } = await member.graphql(mutation, { input: { name: 'A', customFields } })
    expect(body.errors).toMatchObject([{ extensions: { code: whole, errors: [{ path, code }] } }])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('is removed by null, and events name the changed fields', async () => {
    const made = await account(member, { customFields: { text: 'A', number: 1 } })
    const changed = await member.rest['accountUpdate']!({
      id: made.id,
      body: { customFields: { text: null, number: 2 } },
    })
    expect(changed.body.customFields).toEqual({ ...always, number: 2 })
    const [, event] = await platform.eventsOf(made.id)
    expect(event!.data).toMatchObject({
      changedFields: ['customFields', 'customFields.text', 'customFields.number'],
      previous: { customFields: { text: 'A', number: 1 } },
    })
  })

  it('may be sent unchanged with what a read returned', async () => {
    const made = await account(member, { customFields: { email: 'A@example.com', picks: ['X'] } })
    const { body } = await member.rest['account']!({ id: made.id })
    const changed = await member.rest['accountUpdate']!({ id: made.id, body: { ...body, name: 'Renamed' } })
    expect([changed.status, changed.body.name, changed.body.customFields]).toEqual([200, 'Renamed', body.customFields])
  })

  it('of a record from before the field stays readable, is found where it fits, and may stay', async () => {
    const made = await account(member, { name: 'Before' })
    const stored = { number: 'many', pick: 'GONE', free: { a: 1 } }
    await platform.query('update crm.account set custom_fields = $2 where id = $1', [made.id, JSON.stringify(stored)])
    expect((await member.rest['account']!({ id: made.id })).body.customFields).toEqual(stored)
    const change = (customFields: object) => member.rest['accountUpdate']!({ id: made.id, body: { customFields } })
    expect((await change({ ...stored, line: 'l' })).body.customFields).toEqual({ ...stored, line: 'l' })
    expect(problemsOf(await change({ free: { a: 2 } }))).toBe('400 UNKNOWN_FIELD customFields.free UNKNOWN_FIELD')
    expect((await change({ free: null, number: 1 })).body.customFields).toEqual({ number: 1, pick: 'GONE', line: 'l' })
  })

  it('of a CHECKBOX counts as its default where a record has none', async () => {
    const other = await anOrganization(platform)
    await account(other.member, { name: 'Without' })
    await field(other.owner, { name: 'check', fieldType: 'CHECKBOX' })
    await field(other.owner, { name: 'checked', fieldType: 'CHECKBOX', defaultValue: 'true' })
    await account(other.member, { name: 'True', customFields: { check: true } })
    const found = async (filter: object) => {
      const document =
        'query ($f: AccountFilter) { accountList(filter: $f, orderBy: [{ field: name, direction: ASC }]) { data { name } } }'
      const { body } = await other.member.graphql(document, { f: { customFields: filter } })
      return body.data.accountList.data.map(({ name }: { name: string }) => name)
    }
    expect(await found({ check: false })).toEqual(['Without'])
    expect(await found({ check: { ne: true } })).toEqual(['Without'])
    expect(await found({ checked: true })).toEqual(['True', 'Without'])
    expect(await found({ check: { isNull: true } })).toEqual([])
    const rule = { field: 'customFields.check', operator: 'EQUALS', value: false }
    const body = { entityType: 'ACCOUNT', name: 'R', errorMessage: 'No.', appliesTo: 'UPDATE', conditions: [rule] }
    expect((await other.owner.rest['validationRuleCreate']!({ body } as never)).status).toBe(201)
    const { data } = (await other.member.rest['accountList']!({ query: { search: 'Without' } })).body
    expect(problemsOf(await other.member.rest['accountUpdate']!({ id: data[0].id, body: { name: 'W' } }))).toMatch(
      /^422 VALIDATION_RULE_FAILED/,
    )
  })
})

describe('a required field', () => {
  it('must have a value in a new record and loses it by no change; older records can be changed', async () => {
    const other = await anOrganization(platform)
    const old = await account(other.member)
    await field(other.owner, { name: 'must', isRequired: true })
    await field(other.owner, {
      name: 'many',
      isRequired: true,
      fieldType: 'MULTI_PICKLIST',
      picklistValues: valuesNamed('A'),
    })
    await field(other.owner, { name: 'given', isRequired: true, fieldType: 'NUMBER', defaultValue: '12.5' })
    const make = (customFields: object) => other.member.rest['accountCreate']!({ body: { name: 'A', customFields } })
    for (const blank of [{}, { must: null, many: [] }, { must: '', many: null }])
      expect(problemsOf(await make(blank))).toBe(
        '400 VALIDATION_FAILED customFields.must REQUIRED customFields.many REQUIRED',
      )
    const made = await make({ must: 'a', many: ['A'] })
    expect(made.body.customFields).toEqual({ must: 'a', many: ['A'], given: 12.5 })
    const change = (id: string, body: object) => other.member.rest['accountUpdate']!({ id, body })
    expect(problemsOf(await change(made.body.id, { customFields: { must: null } }))).toBe(
      '400 VALIDATION_FAILED customFields.must REQUIRED',
    )
    expect((await change(old.id, { name: 'B' })).body.customFields).toEqual({})
    expect((await change(old.id, { customFields: { must: 'b' } })).body.customFields).toEqual({ must: 'b' })
  })
})

describe('dependent values', () => {
  it('are checked on the record after the change, at the dependent field', async () => {
    const other = await anOrganization(platform)
    await field(other.owner, { name: 'country', fieldType: 'PICKLIST', picklistValues: valuesNamed('NO', 'SE', 'DK') })
    await field(other.owner, {
      name: 'city',
      fieldType: 'PICKLIST',
      picklistValues: valuesNamed('Oslo', 'Bergen', 'Malmo'),
      controllingField: 'country',
      dependentValues: { NO: ['Oslo', 'Bergen'], SE: ['Malmo'] },
    })
    const make = (customFields: object) => other.member.rest['accountCreate']!({ body: { name: 'A', customFields } })
    const refused = '400 VALIDATION_FAILED customFields.city NOT_ALLOWED'
    for (const values of [{ city: 'Oslo' }, { city: 'Oslo', country: 'SE' }, { city: 'Malmo', country: 'DK' }])
      expect(problemsOf(await make(values))).toBe(refused)
    const { id } = (await make({ city: 'Oslo', country: 'NO' })).body
    const change = (customFields: object) => other.member.rest['accountUpdate']!({ id, body: { customFields } })
    expect(problemsOf(await change({ country: 'SE' }))).toBe(refused)
    expect(problemsOf(await change({ country: null }))).toBe(refused)
    expect((await change({ country: 'SE', city: 'Malmo' })).body.customFields).toEqual({ country: 'SE', city: 'Malmo' })
    expect((await change({ country: 'DK', city: null })).body.customFields).toEqual({ country: 'DK' })
  })

  it('form no cycle, and name values of the controlling field', async () => {
    const other = await anOrganization(platform)
    const picklist = { fieldType: 'PICKLIST', picklistValues: valuesNamed('A') }
    const a = await field(other.owner, { ...picklist, name: 'a' })
    await field(other.owner, { ...picklist, name: 'b', controllingField: 'a', dependentValues: { A: ['A'] } })
    const change = (dependentValues: object) =>
      other.owner.rest['customFieldUpdate']!({ id: a.id, body: { controllingField: 'b', dependentValues } } as never)
    expect(problemsOf(await change({ A: ['A'] }))).toBe('400 VALIDATION_FAILED controllingField CIRCULAR')
    const c = {
      ...picklist,
      entity: 'ACCOUNT',
      name: 'c',
      label: 'C',
      controllingField: 'b',
      dependentValues: { Z: ['A'] },
    }
    expect(problemsOf(await other.owner.rest['customFieldCreate']!({ body: c } as never))).toBe(
      '400 VALIDATION_FAILED dependentValues.Z NOT_ALLOWED',
    )
  })
})
