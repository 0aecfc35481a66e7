import { beforeAll, describe, expect, it } from 'vitest'
import { account as accountDefinition } from '../../subgraphs/crm/account/account.record.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { changeAll } from '../../subgraphs/kernel/record/change-all.ts'
import { inTransaction, systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, lead, quote } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { useHookReceiver } from './hook-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()

let owner: Member
let member: Member

const formula = (name: string, expression: string, config: object = {}, values: object = {}) => ({
  name,
  fieldType: 'FORMULA',
  formulaConfig: { expression, returnType: 'NUMBER', ...config },
  ...values,
})

const create = (by: Member, values: object) =>
  by.rest['customFieldCreate']!({ body: { entity: 'ACCOUNT', label: 'L', ...values } } as never)

/** One formula of each type of result. */
const formulas = [
  formula('perSeat', 'annualRevenue / customFields.seats', { returnType: 'CURRENCY', decimals: 2 }),
  formula('doubled', 'customFields.perSeat * 2', { decimals: 4 }),
  formula('strict', 'customFields.seats + 1', { blankAs: 'BLANK' }),
  formula('code', 'UPPER(LEFT(name, 3)) & "-" & customFields.seats', { returnType: 'TEXT' }, { isSearchable: true }),
  formula('ends', 'ADDMONTHS(customFields.begins, 1)', { returnType: 'DATE' }),
  formula('reviewed', 'ADDDAYS(customFields.at, 1)', { returnType: 'DATETIME' }),
  formula('large', 'customFields.seats >= 100', { returnType: 'CHECKBOX' }),
]

const values = { seats: 8, begins: '2027-01-31', at: '2027-01-01T00:30:00.250Z' }
const computed = {
  perSeat: 12.5,
  doubled: 25,
  strict: 9,
  code: 'NOR-8',
  ends: '2027-02-28',
  reviewed: '2027-01-02T00:30:00.250Z',
  large: false,
}

async function withFormulas(by: Member) {
  await field(by, { name: 'seats', fieldType: 'NUMBER' })
  await field(by, { name: 'begins', fieldType: 'DATE' })
  await field(by, { name: 'at', fieldType: 'DATETIME' })
  for (const one of formulas) await field(by, one)
}

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await withFormulas(owner)
})

const read = async (id: string, by = member) => (await by.rest['account']!({ id })).body.customFields

describe('the value of a formula', () => {
  it('is the same where it is written, stored, read and sent in events, and follows every change', async () => {
    const made = await account(member, { annualRevenue: 100, customFields: values })
    const whole = { ...values, ...computed }
    expect(made.customFields).toEqual(whole)
    expect(await read(made.id)).toEqual(whole)
    const [row] = await platform.query('select custom_fields from crm.account where id = $1', [made.id])
    expect(row!['custom_fields']).toEqual(whole)
    const changed = await member.rest['accountUpdate']!({ id: made.id, body: { annualRevenue: 1000 } })
    expect(changed.body.customFields).toEqual({ ...whole, perSeat: 125, doubled: 250 })
    const [created, updated] = await platform.eventsOf(made.id)
    expect(created!.data.record).toMatchObject({ customFields: whole })
    expect(updated!.data).toMatchObject({
      record: { customFields: { perSeat: 125, doubled: 250 } },
      changedFields: ['customFields', 'customFields.perSeat', 'customFields.doubled', 'annualRevenue'],
      previous: { annualRevenue: 100, customFields: { perSeat: 12.5, doubled: 25 } },
    })
  })

  it('is blank, and no error, where it cannot be computed', async () => {
    for (const seats of [0, null]) {
      const made = await account(member, { name: 'ß', annualRevenue: 100, customFields: { seats } })
      const expected = { doubled: 0, code: `ß-${seats ?? ''}`, large: false, ...(seats === 0 && { seats, strict: 1 }) }
      expect(made.customFields).toEqual(expected)
      expect(await read(made.id)).toEqual(expected)
    }
  })

  it('has the default of a checkbox where a record has no value, in answers as in reads', async () => {
    const other = await anOrganization(platform)
    const made = await account(other.member, { annualRevenue: 1 })
    const checkbox = { name: 'active', fieldType: 'CHECKBOX', defaultValue: 'true' }
    await field(other.owner, checkbox)
    await field(other.owner, formula('counted', 'IF(customFields.active, annualRevenue, 0)'))
    const changed = await other.member.rest['accountUpdate']!({ id: made.id, body: { annualRevenue: 2 } })
    expect([changed.body.customFields, await read(made.id, other.member)]).toEqual([{ counted: 2 }, { counted: 2 }])
    const body = { customFields: { active: false } }
    const off = await other.member.rest['accountUpdate']!({ id: made.id, body })
    expect([off.body.customFields, await read(made.id, other.member)]).toEqual([
      { active: false, counted: 0 },
      { active: false, counted: 0 },
    ])
  })

  it('cannot be given, and may be sent unchanged with what a read returned', async () => {
    const made = await account(member, { annualRevenue: 100, customFields: values })
    const before = await platform.fingerprint(owner.organizationId)
    const refused = '400 VALIDATION_FAILED customFields.perSeat COMPUTED'
    for (const perSeat of [1, '12.5', null])
      expect(
        problemsOf(await member.rest['accountUpdate']!({ id: made.id, body: { customFields: { perSeat } } })),
      ).toBe(refused)
    const body = { name: 'A', customFields: { perSeat: 1 } }
    expect(problemsOf(await member.rest['accountCreate']!({ body }))).toBe(refused)
    const { body: answer } = await member.graphql(
      `mutation ($id: ID!) { accountUpdate(id: $id, input: { customFields: { large: true } }) { id } }`,
      { id: made.id },
    )
    expect(answer.errors).toMatchObject([
      { extensions: { errors: [{ path: 'customFields.large', code: 'COMPUTED' }] } },
    ])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const whole = (await member.rest['account']!({ id: made.id })).body
    const sent = await member.rest['accountUpdate']!({ id: made.id, body: { ...whole, annualRevenue: 8 } })
    expect([sent.status, sent.body.customFields]).toEqual([200, { ...whole.customFields, perSeat: 1, doubled: 2 }])
  })

  it('is that of the current definition in records from before it, and after a change of it', async () => {
    const other = await anOrganization(platform)
    const made = await account(other.member, { annualRevenue: 10 })
    const { id, version } = await field(other.owner, formula('twice', 'annualRevenue * 2'))
    expect(await read(made.id, other.member)).toEqual({ twice: 20 })
    const found = async (twice: string) =>
      (await other.member.rest['accountList']!({ query: { 'customFields[twice]': twice } } as never)).body.total
    expect([await found('20'), await found('30')]).toEqual([1, 0])
    const unchanged = await other.member.rest['accountUpdate']!({ id: made.id, body: { annualRevenue: 10 } })
    expect(unchanged.body.version).toBe(1)
    const body = { formulaConfig: { expression: 'annualRevenue * 3', returnType: 'NUMBER' } }
    expect((await other.owner.rest['customFieldUpdate']!({ id, body } as never)).status).toBe(200)
    expect(version).toBe(1)
    expect(await read(made.id, other.member)).toEqual({ twice: 30 })
    expect([await found('20'), await found('30')]).toEqual([0, 1])
    await other.member.rest['accountUpdate']!({ id: made.id, body: { annualRevenue: 11 } })
    const events = await platform.eventsOf(made.id)
    expect(events.at(-1)!.data).toMatchObject({
      record: { customFields: { twice: 33 } },
      previous: { customFields: { twice: 30 } },
    })
  })

  it('follows changes of sets of records and of the platform itself', async () => {
    const other = await anOrganization(platform)
    await field(other.owner, formula('twice', 'annualRevenue * 2'))
    const made = await account(other.member, { annualRevenue: 10 })
    const ctx = systemContext(platform.services, other.owner.organizationId)
    await inTransaction(ctx, (inner) => changeAll(inner, accountDefinition, [made.id], () => ({ annualRevenue: 12 })))
    const stored = async () =>
      (await platform.query('select custom_fields from crm.account where id = $1', [made.id]))[0]!['custom_fields']
    expect([await read(made.id, other.member), await stored()]).toEqual([{ twice: 24 }, { twice: 24 }])
    await field(other.owner, { entity: 'CONTACT', ...formula('length', 'LEN(lastName)') })
    const { id } = await contact(other.member, { lastName: 'Lee' })
    const items = [{ id, lastName: 'Lindqvist' }]
    expect((await other.member.rest['contactBulkUpdate']!({ body: { items } } as never)).status).toBe(200)
    expect((await other.member.rest['contact']!({ id })).body.customFields).toEqual({ length: 9 })
  })

  it('is seen by rules and hooks as that of the record after the change', async () => {
    const other = await anOrganization(platform)
    await field(other.owner, { name: 'seats', fieldType: 'NUMBER' })
    await field(other.owner, formula('twice', 'customFields.seats * 2'))
    const rule = {
      entityType: 'ACCOUNT',
      name: 'Few',
      errorMessage: 'Too many.',
      conditions: [{ field: 'customFields.twice', operator: 'GREATER_THAN', value: 10 }],
    }
    expect((await other.owner.rest['validationRuleCreate']!({ body: rule } as never)).status).toBe(201)
    const hook = { objectType: 'ACCOUNT', name: 'Seen', operations: ['CREATE'], url: receiver.url }
    expect((await other.owner.rest['beforeSaveHookCreate']!({ body: hook } as never)).status).toBe(201)
    receiver.decide = () => ({ results: [{ decision: 'ALLOW', changes: { customFields: { seats: 5 } } }] })
    const make = () => other.member.rest['accountCreate']!({ body: { name: 'A', customFields: { seats: 1 } } })
    const made = await make()
    expect([made.status, made.body.customFields]).toEqual([201, { seats: 5, twice: 10 }])
    expect(receiver.received.at(-1)!.records[0]).toMatchObject({ next: { customFields: { seats: 1, twice: 2 } } })
    receiver.decide = () => ({ results: [{ decision: 'ALLOW', changes: { customFields: { seats: 6 } } }] })
    expect(problemsOf(await make())).toBe('422 VALIDATION_RULE_FAILED  VALIDATION_RULE_FAILED')
    receiver.decide = () => ({ results: [{ decision: 'ALLOW', changes: { customFields: { twice: 2 } } }] })
    expect(problemsOf(await make())).toBe('400 VALIDATION_FAILED customFields.twice COMPUTED')
  })

  it('is computed again where a conversion or a revision copies fields', async () => {
    const other = await anOrganization(platform)
    await field(other.owner, { entity: 'LEAD', name: 'seats', fieldType: 'NUMBER' })
    await field(other.owner, { entity: 'LEAD', ...formula('size', 'customFields.seats * 2') })
    await field(other.owner, { entity: 'ACCOUNT', name: 'size', fieldType: 'NUMBER' })
    await field(other.owner, { entity: 'ACCOUNT', ...formula('seats', 'LEN(name)') })
    await field(other.owner, { entity: 'QUOTE', ...formula('next', 'revision + 1') })
    const { id } = await lead(other.member, { company: 'Yard', customFields: { seats: 5 } })
    const converted = await other.member.rest['leadConvert']!({ id, body: { createOpportunity: false } } as never)
    const made = await other.member.rest['account']!({ id: converted.body.accountId ?? converted.body.account.id })
    expect(made.body.customFields).toEqual({ size: 10, seats: 4 })
    const first = await quote(other.member)
    expect(first.customFields).toEqual({ next: 2 })
    await platform.query(`update commerce.quote set status = 'REJECTED' where id = $1`, [first.id])
    const revised = await other.member.rest['quoteRevise']!({ id: first.id } as never)
    expect(revised.body.customFields, JSON.stringify(revised.body)).toEqual({ next: 3 })
  })
})

describe('lists', () => {
  it('filter, sort, search and page by formulas', async () => {
    const other = await anOrganization(platform)
    await withFormulas(other.owner)
    for (const seats of [2, 300, null, 40])
      await account(other.member, { name: `Name ${seats}`, annualRevenue: 100, customFields: { seats } })
    const names = async (variables: object) => {
      const document = `query ($f: AccountFilter, $s: String, $o: [AccountOrder!], $c: String) {
        accountList(filter: $f, search: $s, orderBy: $o, cursor: $c, limit: 2) { nextCursor data { name } } }`
      const { body } = await other.member.graphql(document, variables)
      expect(body.errors).toBeUndefined()
      const { data, nextCursor } = body.data.accountList
      return { nextCursor, names: data.map(({ name }: { name: string }) => name.slice(5)).join(' ') }
    }
    const o = [{ customField: 'perSeat', direction: 'ASC' }]
    const first = await names({ o })
    expect(first.names).toBe('300 40')
    expect((await names({ o, c: first.nextCursor })).names).toBe('2 null')
    const filtered = async (customFields: object) => (await names({ f: { customFields }, o })).names
    expect(await filtered({ perSeat: { gt: 0.33, lte: 2.5 } })).toBe('40')
    expect(await filtered({ perSeat: null })).toBe('null')
    expect(await filtered({ large: true })).toBe('300')
    expect(await filtered({ large: { ne: true } })).toBe('40 2')
    expect(await filtered({ code: { startsWith: 'nam-' }, seats: 40 })).toBe('40')
    expect((await names({ s: 'NAM-30' })).names).toBe('300')
  })
})

describe('a profile that hides a field', () => {
  it('hides every formula that reads it, also through another formula, everywhere', async () => {
    const restricted = await platform.member({ organizationId: owner.organizationId })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'R', fields: { account: { annualRevenue: 'HIDDEN' } } })
    await assignProfile(ctx, restricted.userId, profile.id)
    const made = await account(member, { annualRevenue: 100, customFields: values })
    const { perSeat: _perSeat, doubled: _doubled, ...shown } = computed
    expect(await read(made.id, restricted)).toEqual({ ...values, ...shown })
    const changed = await restricted.rest['accountUpdate']!({ id: made.id, body: { name: 'Other' } })
    expect(changed.body.customFields).toEqual({ ...values, ...shown, code: 'OTH-8' })
    const hidden = 'customFields.doubled FIELD_NOT_READABLE'
    const list = (query: object) => restricted.rest['accountList']!({ query } as never)
    expect(problemsOf(await list({ 'customFields[doubled]': '25' }))).toBe(`403 FIELD_NOT_READABLE ${hidden}`)
    expect((await list({ sortByCustomField: 'doubled' })).status).toBe(403)
    const body = { customFields: { doubled: 25 } }
    expect((await restricted.rest['accountUpdate']!({ id: made.id, body })).status).toBe(403)
    const { body: described } = await restricted.graphql(
      `{ recordType(object: "account") { fields { name isReadable isUpdatable } } }`,
    )
    const rights = (described.data.recordType.fields as Record<string, unknown>[]).filter(({ name }) =>
      ['customFields.doubled', 'customFields.strict'].includes(name as string),
    )
    expect(rights).toEqual([
      { name: 'customFields.doubled', isReadable: false, isUpdatable: false },
      { name: 'customFields.strict', isReadable: true, isUpdatable: false },
    ])
  })
})

describe('customFieldCreate of a FORMULA', () => {
  it.each<[string, object, string]>([
    ['no expression', { formulaConfig: null }, 'formulaConfig REQUIRED'],
    ['a value of its own', formula('f', '1', {}, { isRequired: true }), 'isRequired NOT_ALLOWED'],
    ['a default', formula('f', '1', {}, { defaultValue: '1' }), 'defaultValue NOT_ALLOWED'],
    [
      'decimals of a text',
      formula('f', '"a"', { returnType: 'TEXT', decimals: 1 }),
      'formulaConfig.decimals NOT_ALLOWED',
    ],
    ['another type', { ...formula('f', '1'), fieldType: 'NUMBER' }, 'formulaConfig NOT_ALLOWED'],
    ['search of a number', formula('f', '1', {}, { isSearchable: true }), 'isSearchable NOT_ALLOWED'],
    ['syntax', formula('f', '1 +'), 'formulaConfig.expression FORMULA_SYNTAX'],
    ['a wrong type', formula('f', '"a" + 1'), 'formulaConfig.expression FORMULA_TYPE'],
    ['a wrong result', formula('f', '"a"'), 'formulaConfig.expression FORMULA_TYPE'],
    ['an unknown field', formula('f', 'customFields.none'), 'formulaConfig.expression FORMULA_UNKNOWN_FIELD'],
    ['an internal value', formula('f', 'organizationId.x'), 'formulaConfig.expression FORMULA_UNKNOWN_FIELD'],
    ['an unknown function', formula('f', 'SQRT(4)'), 'formulaConfig.expression FORMULA_UNKNOWN_FUNCTION'],
    ['itself', formula('f', 'customFields.f + 1'), 'formulaConfig.expression FORMULA_CYCLE'],
    [
      'a field that changes without a version',
      formula('f', 'DAY(DATEVALUE(TEXT(lastActivityDate)))'),
      'formulaConfig.expression FORMULA_UNKNOWN_FIELD',
    ],
  ])('refuses %s with 400, and changes nothing', async (_what, values, problem) => {
    const before = await platform.fingerprint(owner.organizationId)
    const answer = await create(owner, { fieldType: 'FORMULA', name: 'f', ...values })
    expect(problemsOf(answer)).toBe(`400 VALIDATION_FAILED ${problem}`)
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('tells where each problem is', async () => {
    const { body } = await create(owner, formula('f', 'none +\n customFields.no'))
    expect(body.errors).toEqual([
      expect.objectContaining({ path: 'formulaConfig.expression', offset: 0, length: 4, line: 1, column: 1 }),
      expect.objectContaining({ code: 'FORMULA_UNKNOWN_FIELD', offset: 8, length: 15, line: 2, column: 2 }),
    ])
  })

  it('accepts five formulas that read one another and no sixth, and no cycle by a change', async () => {
    const other = await anOrganization(platform)
    const first = await field(other.owner, formula('f1', '1'))
    for (const level of [2, 3, 4, 5]) await field(other.owner, formula(`f${level}`, `customFields.f${level - 1} + 1`))
    const expression = 'formulaConfig.expression'
    expect(problemsOf(await create(other.owner, formula('f6', 'customFields.f5')))).toBe(
      `400 VALIDATION_FAILED ${expression} FORMULA_TOO_COMPLEX`,
    )
    expect((await account(other.member)).customFields).toEqual({ f1: 1, f2: 2, f3: 3, f4: 4, f5: 5 })
    const change = (text: string) =>
      other.owner.rest['customFieldUpdate']!({
        id: first.id,
        body: { formulaConfig: { expression: text, returnType: 'NUMBER' } },
      } as never)
    const refused = await change('customFields.f5')
    expect(refused.body.errors).toMatchObject([
      {
        code: 'FORMULA_CYCLE',
        cycle: ['f1', 'f5', 'f4', 'f3', 'f2', 'f1'].map((name) => `account.customFields.${name}`),
      },
    ])
    await field(other.owner, formula('f0', '1'))
    const deeper = await change('customFields.f0')
    expect([deeper.status, deeper.body.code, deeper.body.usedBy.map(({ name }: { name: string }) => name)]).toEqual([
      409,
      'HAS_DEPENDENTS',
      ['f5'],
    ])
  })

  it('keeps the type of the result, and 100 formulas', async () => {
    const other = await anOrganization(platform)
    const { id } = await field(other.owner, formula('f', '1'))
    const body = { formulaConfig: { expression: '"a"', returnType: 'TEXT' } }
    expect(problemsOf(await other.owner.rest['customFieldUpdate']!({ id, body } as never))).toBe(
      '400 VALIDATION_FAILED formulaConfig.returnType NOT_ALLOWED',
    )
    await platform.query(
      `insert into extensions.field_definition select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'name', 'g' || n))).*
       from extensions.field_definition d, generate_series(1, 99) n where d.id = $1`,
      [id],
    )
    const refused = await create(other.owner, formula('h', '1'))
    expect([refused.status, refused.body.code, refused.body.limit]).toEqual([409, 'LIMIT_REACHED', 100])
  })
})

describe('a field that a formula reads', () => {
  it('is neither deleted nor made inactive', async () => {
    const other = await anOrganization(platform)
    const seats = await field(other.owner, { name: 'seats', fieldType: 'NUMBER' })
    const reader = await field(other.owner, formula('twice', 'customFields.seats * 2 /* customFields.none */'))
    const before = await platform.fingerprint(other.owner.organizationId)
    const refused = [
      await other.owner.rest['customFieldDelete']!({ id: seats.id } as never),
      await other.owner.rest['customFieldUpdate']!({ id: seats.id, body: { isActive: false } } as never),
    ]
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([409, 'HAS_DEPENDENTS'])
      expect(body.usedBy).toEqual([{ object: 'custom_field', id: reader.id, name: 'twice' }])
    }
    expect(await platform.fingerprint(other.owner.organizationId)).toBe(before)
    expect((await other.owner.rest['customFieldDelete']!({ id: reader.id } as never)).status).toBe(204)
    expect((await other.owner.rest['customFieldDelete']!({ id: seats.id } as never)).status).toBe(204)
    expect((await other.owner.rest['customFieldRestore']!({ id: reader.id } as never)).status).toBe(400)
  })

  it('shows nothing any more of a formula that is deleted', async () => {
    const other = await anOrganization(platform)
    const { id } = await field(other.owner, formula('twice', 'annualRevenue * 2'))
    const made = await account(other.member, { annualRevenue: 10 })
    expect(made.customFields).toEqual({ twice: 20 })
    expect((await other.owner.rest['customFieldDelete']!({ id } as never)).status).toBe(204)
    expect(await read(made.id, other.member)).toEqual({})
    const list = await other.member.rest['accountList']!({ query: { 'customFields[twice]': '20' } } as never)
    expect(list.body.total).toBe(0)
    await other.member.rest['accountUpdate']!({ id: made.id, body: { customFields: { other: 1 } } })
    expect(await read(made.id, other.member)).toEqual({ other: 1 })
    expect((await other.owner.rest['customFieldRestore']!({ id } as never)).status).toBe(200)
    expect(await read(made.id, other.member)).toEqual({ other: 1, twice: 20 })
  })
})

describe('customFieldCheckFormula', () => {
  const check = (body: object, by = owner) =>
    by.rest['customFieldCheckFormula']!({ body: { entity: 'ACCOUNT', ...body } } as never)
  const config = (expression: string) => ({ formulaConfig: { expression, returnType: 'NUMBER', decimals: 1 } })

  it('names what is wrong, or what the formula reads and gives', async () => {
    const made = await account(member, { annualRevenue: 100, customFields: { seats: 3 } })
    const before = await platform.fingerprint(owner.organizationId)
    const valid = await check({ ...config('annualRevenue / customFields.seats'), recordId: made.id })
    expect([valid.status, valid.body]).toEqual([
      200,
      { isValid: true, problems: [], reads: ['annualRevenue', 'customFields.seats'], value: 33.3 },
    ])
    const cyclic = await check({ ...config('customFields.doubled'), name: 'perSeat' })
    expect(cyclic.body).toMatchObject({ isValid: false, problems: [{ code: 'FORMULA_CYCLE' }], reads: [], value: null })
    expect((await check(config('1 +'))).body.problems).toMatchObject([
      { code: 'FORMULA_SYNTAX', offset: 3, cycle: null },
    ])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('refuses members, records that the caller does not see, hidden fields and wrong configurations', async () => {
    const foreign = await anOrganization(platform)
    const made = await account(foreign.member)
    expect((await check(config('1'), member)).status).toBe(403)
    expect((await check({ ...config('1'), recordId: made.id })).status).toBe(404)
    expect(problemsOf(await check({ formulaConfig: { expression: '1', returnType: 'TEXT', decimals: 1 } }))).toBe(
      '400 VALIDATION_FAILED formulaConfig.decimals NOT_ALLOWED',
    )
    const admin = await platform.member({ organizationId: owner.organizationId, role: 'ADMIN' })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'A', fields: { account: { annualRevenue: 'HIDDEN' } } })
    await assignProfile(ctx, admin.userId, profile.id)
    const own = await account(member, { annualRevenue: 5 })
    for (const expression of ['annualRevenue', 'customFields.doubled'])
      expect((await check({ ...config(expression), recordId: own.id }, admin)).body.code).toBe('FIELD_NOT_READABLE')
  })
})
