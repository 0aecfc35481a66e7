import { beforeEach, describe, expect, it } from 'vitest'
import { account as accountDefinition } from '../../subgraphs/crm/account/account.record.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { fieldChangeQueue } from '../../subgraphs/extensions/field-change/field-change.queue.ts'
import { changeAll } from '../../subgraphs/kernel/record/change-all.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { shapeFor } from '../../subgraphs/kernel/record/shape-source.ts'
import { inTransaction, systemContext } from '../../subgraphs/kernel/request.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { account, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'
import { copiesOf, settleFieldChanges } from './field-changes.fixture.ts'
import { definedContext, randomNumbers } from './rollups.fixture.ts'
import { wronglyRead, wronglyStored } from './stored-formulas.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const config = (expression: string, returnType = 'NUMBER') => ({ formulaConfig: { expression, returnType } })
const formula = (name: string, expression: string, values: object = {}, returnType = 'NUMBER') => ({
  name,
  fieldType: 'FORMULA',
  ...config(expression, returnType),
  ...values,
})
const settle = () => settleFieldChanges(platform)
const change = (id: string, body: object) => owner.rest['customFieldUpdate']!({ id, body } as never)
const changed = async (id: string, body: object) => {
  const answer = await change(id, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
const definition = async (id: string) => (await owner.rest['customField']!({ id })).body as Record<string, unknown>
const stateOf = async (id: string) => (await definition(id))['state']
const stored = async (id: string) =>
  (await platform.query('select custom_fields from crm.account where id = $1', [id]))[0]!['custom_fields']
const read = async (id: string) => (await member.rest['account']!({ id })).body.customFields
const shape = async (): Promise<RecordShape> => shapeFor(await definedContext(platform, owner), accountDefinition)
const names = async (query: object) => {
  const { body } = await member.rest['accountList']!({ query } as never)
  return (body as { data: { name: string }[] }).data.map(({ name }) => name).join(' ')
}
const versions = async () =>
  (
    await platform.query<{ n: number }>(
      'select count(*)::int as n from crm.account where organization_id = $1 and version > 1',
      [owner.organizationId],
    )
  )[0]!.n

describe('the values of a new formula', () => {
  it('are computed by reads until they are in all records, also in deleted ones, which have no new version and no event', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    await copiesOf(platform, member, id, 40)
    await platform.query(`update crm.account set deleted_at = now() where organization_id = $1 and name = 'n1'`, [
      owner.organizationId,
    ])
    const made = await field(owner, formula('twice', 'annualRevenue * 2'))
    expect([made['state'], made['progress']]).toMatchObject(['BUILDING', { change: 'BUILD_FORMULA' }])
    expect([await stored(id), await read(id)]).toEqual([{}, { twice: 20 }])
    expect(await wronglyRead(platform, owner.organizationId, await shape())).toEqual([])
    await settle()
    expect(await definition(made.id)).toMatchObject({ state: 'READY', progress: null })
    expect([await stored(id), await read(id)]).toEqual([{ twice: 20 }, { twice: 20 }])
    expect(await wronglyStored(platform, owner.organizationId, await shape())).toEqual([])
    expect([await versions(), await platform.eventTypesOf(id)]).toEqual([0, ['account.created']])
    expect(await platform.eventTypesOf(made.id)).toEqual(['custom_field.created', 'custom_field.updated'])
  })

  it('are read as those of any other field when they are there', async () => {
    await field(owner, formula('twice', 'annualRevenue * 2'))
    const list = () =>
      statementsOf(
        platform,
        () => names({ 'customFields[twice]': '20', sortByCustomField: 'twice' }),
        /crm[._]account/,
        {
          inTransactions: true,
        },
      )
    expect((await list()).some((sql) => sql.includes('annual_revenue * 2') || sql.includes('formula_number'))).toBe(
      true,
    )
    await settle()
    const statements = await list()
    expect(statements.length).toBeGreaterThan(0)
    expect(statements.filter((sql) => sql.includes('formula_number'))).toEqual([])
    const { columns } = await shape()
    expect([columns.isComputedByReads, columns.isComputed]).toEqual([false, true])
  })

  it('are never those of a formula that reads the time, which has nothing to write', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    const made = await field(owner, formula('day', 'DAY(TODAY())'))
    await settle()
    expect([await stateOf(made.id), await stored(id)]).toEqual(['READY', {}])
    expect(((await read(id)) as { day: number }).day).toBeGreaterThan(0)
  })
})

describe('the stored values of a formula', () => {
  it('are hidden from whoever must not see what it reads, and cannot be given', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    await field(owner, formula('twice', 'annualRevenue * 2'))
    await settle()
    const restricted = await platform.member({ organizationId: owner.organizationId })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'R', fields: { account: { annualRevenue: 'HIDDEN' } } })
    await assignProfile(ctx, restricted.userId, profile.id)
    const shown = async (by: Member) => {
      const [one, list] = [await by.rest['account']!({ id }), await by.rest['accountList']!({})]
      return [one.body.customFields, (list.body as { data: { customFields: object }[] }).data[0]!.customFields]
    }
    expect([await shown(member), await shown(restricted)]).toEqual([
      [{ twice: 20 }, { twice: 20 }],
      [{}, {}],
    ])
    const filtered = await restricted.rest['accountList']!({ query: { 'customFields[twice]': '20' } } as never)
    expect(problemsOf(filtered)).toBe('403 FIELD_NOT_READABLE customFields.twice FIELD_NOT_READABLE')
    const given = await member.rest['accountUpdate']!({ id, body: { customFields: { twice: 1 } } })
    expect(problemsOf(given)).toBe('400 VALIDATION_FAILED customFields.twice COMPUTED')
  })
})

describe('a change of a formula', () => {
  it('is followed by reads at once, and by what is stored', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    const made = await field(owner, formula('times', 'annualRevenue * 2'))
    await settle()
    await changed(made.id, config('annualRevenue * 3'))
    expect([await stateOf(made.id), await stored(id), await read(id)]).toEqual([
      'BUILDING',
      { times: 20 },
      { times: 30 },
    ])
    // Again, before anything has been written.
    await changed(made.id, config('annualRevenue * 4'))
    await changed(made.id, { label: 'Times' })
    expect(await read(id)).toEqual({ times: 40 })
    await settle()
    expect([await stateOf(made.id), await stored(id), await read(id)]).toEqual(['READY', { times: 40 }, { times: 40 }])
  })

  it('that comes while the values are being written is what is stored in the end, also if it takes another change back', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    const made = await field(owner, formula('times', 'annualRevenue * 2'))
    await settle()
    await changed(made.id, config('annualRevenue * 3'))
    await changed(made.id, config('annualRevenue * 2'))
    await member.rest['accountUpdate']!({ id, body: { annualRevenue: 11 } })
    await changed(made.id, config('annualRevenue * 3'))
    await drain(fieldChangeQueue, platform.services)
    expect(await read(id)).toEqual({ times: 33 })
    await settle()
    expect([await stateOf(made.id), await stored(id)]).toEqual(['READY', { times: 33 }])
  })

  it('makes the formulas that read it, and no others, be written again', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    const first = await field(owner, formula('a', 'annualRevenue * 2'))
    const second = await field(owner, formula('b', 'customFields.a + 1', { isIndexed: true }))
    const other = await field(owner, formula('c', 'annualRevenue'))
    await settle()
    await changed(first.id, config('annualRevenue * 3'))
    expect(await Promise.all([first, second, other].map((one) => stateOf(one.id)))).toEqual([
      'BUILDING',
      'BUILDING',
      'READY',
    ])
    expect([await stored(id), await read(id)]).toEqual([
      { a: 20, b: 21, c: 10 },
      { a: 30, b: 31, c: 10 },
    ])
    expect(await names({ 'customFields[b]': '31' })).not.toBe('')
    await settle()
    expect(await Promise.all([first, second].map((one) => stateOf(one.id)))).toEqual(['READY', 'READY'])
    expect(await stored(id)).toEqual({ a: 30, b: 31, c: 10 })
    expect(await names({ 'customFields[b]': '31' })).not.toBe('')
    expect(await platform.eventTypesOf(second.id)).toEqual([
      'custom_field.created',
      'custom_field.updated',
      'custom_field.updated',
      'custom_field.updated',
      'custom_field.updated',
      'custom_field.updated',
    ])
  })

  it('follows another default of a checkbox', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    const checkbox = await field(owner, { name: 'active', fieldType: 'CHECKBOX', defaultValue: 'false' })
    const reader = await field(owner, formula('counted', 'IF(customFields.active, 1, 0)'))
    await settle()
    expect(await stored(id)).toEqual({ counted: 0 })
    await changed(checkbox.id, { defaultValue: 'true' })
    expect([await stateOf(reader.id), await read(id)]).toEqual(['BUILDING', { counted: 1 }])
    await settle()
    expect([await stateOf(reader.id), await stored(id)]).toEqual(['READY', { counted: 1 }])
  })

  it('that takes it out of use and into use again writes all values again', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    const made = await field(owner, formula('twice', 'annualRevenue * 2'))
    await settle()
    await changed(made.id, { isActive: false })
    await member.rest['accountUpdate']!({ id, body: { annualRevenue: 11 } })
    await changed(made.id, { isActive: true })
    expect([await stateOf(made.id), await read(id)]).toEqual(['BUILDING', { twice: 22 }])
    await settle()
    expect(await stored(id)).toEqual({ twice: 22 })
  })

  it('is deleted while its values are written', async () => {
    await account(member, { annualRevenue: 10 })
    const made = await field(owner, formula('twice', 'annualRevenue * 2'))
    expect((await owner.rest['customFieldDelete']!({ id: made.id } as never)).status).toBe(204)
    await settle()
    const [row] = await platform.query('select state, has_values from extensions.field_definition where id = $1', [
      made.id,
    ])
    expect(row).toEqual({ state: 'READY', has_values: false })
  })
})

describe('isIndexed and isUnique of a formula', () => {
  it('filter and sort by the index', async () => {
    for (const revenue of [30, 10, 20]) await account(member, { name: `r${revenue}`, annualRevenue: revenue })
    const made = await field(owner, formula('twice', 'annualRevenue * 2', { isIndexed: true }))
    const query = { sortByCustomField: 'twice', sortOrder: 'asc' }
    const listed = () => statementsOf(platform, () => names(query), /record_value/)
    expect([await names(query), await listed()]).toEqual(['r10 r20 r30', []])
    await settle()
    expect(await stateOf(made.id)).toBe('READY')
    await account(member, { name: 'r15', annualRevenue: 15 })
    expect([await names(query), (await listed()).length > 0]).toEqual(['r10 r15 r20 r30', true])
    const { body } = await member.graphql(
      `{ accountList(filter: { customFields: { twice: { gt: 30 } } }, orderBy: [{ customField: "twice", direction: ASC }]) { data { name } } }`,
    )
    expect(body.data.accountList.data).toEqual([{ name: 'r20' }, { name: 'r30' }])
    await changed(made.id, config('0 - annualRevenue'))
    expect(await names(query)).toBe('r30 r20 r15 r10')
    await settle()
    expect([await names(query), (await listed()).length > 0]).toEqual(['r30 r20 r15 r10', true])
  })

  it('refuse a value that another record has, and name the values that are in conflict', async () => {
    const [one, two] = [await account(member, { name: 'Yard' }), await account(member, { name: ' yard ' })]
    const made = await field(owner, formula('key', 'TRIM(name)', { isUnique: true }, 'TEXT'))
    await settle()
    expect(await definition(made.id)).toMatchObject({ state: 'READY', isUnique: false, progress: { failures: 1 } })
    const { body } = await owner.rest['customFieldFailures']!({ id: made.id } as never)
    const [failure] = body as unknown as { recordId: string; conflictingId: string; code: string }[]
    expect(failure!.code).toBe('NOT_UNIQUE')
    expect(new Set([failure!.recordId, failure!.conflictingId])).toEqual(new Set([one.id, two.id]))
    expect((await member.rest['accountDelete']!({ id: two.id } as never)).status).toBe(204)
    await changed(made.id, { isUnique: true })
    await settle()
    expect((await definition(made.id))['isUnique']).toBe(true)
    expect(problemsOf(await member.rest['accountCreate']!({ body: { name: 'YARD' } }))).toBe(
      '409 UNIQUE_VIOLATION customFields.key NOT_UNIQUE',
    )
    expect((await member.rest['accountRestore']!({ id: two.id } as never)).status).toBe(409)
    expect(problemsOf(await change(made.id, config('name', 'TEXT')))).toBe(
      '400 VALIDATION_FAILED formulaConfig NOT_ALLOWED',
    )
  })

  it('keep the values of a unique formula as they are', async () => {
    const first = await field(owner, formula('a', 'LEN(name)'))
    const unique = await field(owner, formula('b', 'customFields.a * 2', { isUnique: true }))
    await settle()
    const refused = await change(first.id, config('LEN(name) + 1'))
    expect([refused.status, refused.body.code, refused.body.usedBy]).toEqual([
      409,
      'HAS_DEPENDENTS',
      [{ object: 'custom_field', id: unique.id, name: 'b' }],
    ])
    await changed(unique.id, { isUnique: false })
    await settle()
    await changed(first.id, config('LEN(name) + 1'))
  })

  it.each(['isIndexed', 'trackHistory'])('%s is not for a formula that reads the time', async (name) => {
    const answer = await owner.rest['customFieldCreate']!({
      body: { entity: 'ACCOUNT', label: 'L', ...formula('day', 'DAY(TODAY())', { [name]: true }) },
    } as never)
    expect(problemsOf(answer)).toBe(`400 VALIDATION_FAILED ${name} NOT_ALLOWED`)
    const local = await field(owner, formula('local', '1', { [name]: true }))
    await settle()
    expect(problemsOf(await change(local.id, config('DAY(TODAY())')))).toBe(`400 VALIDATION_FAILED ${name} NOT_ALLOWED`)
    const read = await field(owner, formula('read', '1'))
    await changed(local.id, config('customFields.read'))
    await settle()
    const refused = await change(read.id, config('DAY(TODAY())'))
    expect([refused.status, refused.body.code, refused.body.usedBy[0].name]).toEqual([409, 'HAS_DEPENDENTS', 'local'])
  })
})

describe('trackHistory of a formula', () => {
  it('keeps the values that changes replace, and none of a change of its definition', async () => {
    const { id } = await account(member, { annualRevenue: 10 })
    const made = await field(owner, formula('twice', 'annualRevenue * 2', { trackHistory: true }))
    await settle()
    await member.rest['accountUpdate']!({ id, body: { annualRevenue: 11 } })
    await changed(made.id, config('annualRevenue * 3'))
    await member.rest['accountUpdate']!({ id, body: { annualRevenue: 12 } })
    await settle()
    const rows = await platform.query(
      'select previous_value, value from records.field_history where record_id = $1 order by version',
      [id],
    )
    expect(rows).toEqual([
      { previous_value: 20, value: 22 },
      { previous_value: 33, value: 36 },
    ])
  })
})

/** Fields of accounts that the formulas read, and formulas of every result. */
const sources = [
  { name: 'seats', fieldType: 'NUMBER' },
  { name: 'begins', fieldType: 'DATE' },
  { name: 'active', fieldType: 'CHECKBOX', defaultValue: 'false' },
  { name: 'tier', fieldType: 'PICKLIST', picklistValues: valuesNamed('GOLD', 'TOP', 'LOW') },
  { name: 'mail', fieldType: 'TEXT' },
  { name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' },
]
const derived = [
  formula('perSeat', 'annualRevenue / customFields.seats', { isIndexed: true }),
  formula('double', 'customFields.perSeat * 2'),
  formula('until', 'ADDMONTHS(customFields.begins, 1)', {}, 'DATE'),
  formula('rank', 'IF(ISPICKVAL(customFields.tier, "GOLD"), 2, IF(customFields.active, 1, 0))', { trackHistory: true }),
  formula('contact', 'customFields.mail & " " & name', {}, 'TEXT'),
  formula('alone', 'ISBLANK(customFields.partner)', {}, 'CHECKBOX'),
]

describe('random writes and changes of definitions', () => {
  it(
    'leave no record with another value than the SQL of the formula, and no read with another one at any moment',
    { timeout: 120_000 },
    async () => {
      const random = randomNumbers(Number(process.env['FORMULA_SEED'] ?? 7))
      const { organizationId } = owner
      const known = new Map<string, string>()
      for (const one of [...sources, ...derived]) known.set(one.name, (await field(owner, one)).id)
      const ids: string[] = []
      const one = () => ids[random(ids.length)]!
      const value = <T>(...values: T[]): T => values[random(values.length)]!
      const values = () => ({
        ...value<object>({ annualRevenue: random(1000) }, { name: `N${random(50)}` }, {}),
        customFields: {
          seats: value(0, 1, 3, 7, null),
          ...value<object>(
            { begins: '2027-01-31' },
            { active: value(true, false) },
            { tier: value('TOP', 'LOW', null) },
          ),
          ...value<object>({ mail: value('A@B.example', 'c@d.example') }, {}),
          ...(ids.length > 0 && value<object>({ partner: one() }, {}, {})),
        },
      })
      const expressions = ['annualRevenue / customFields.seats', 'annualRevenue + customFields.seats', 'LEN(name)']
      const operations: (() => Promise<unknown>)[] = [
        async () => ids.push((await account(member, values())).id),
        async () => member.rest['accountUpdate']!({ id: one(), body: values() }),
        async () => member.rest['accountUpdate']!({ id: one(), body: { name: `M${random(50)}` } }),
        async () => {
          const items = [...new Set([one(), one()])].map((id) => ({ id, ...values() }))
          await recordsOf(accountDefinition).bulkUpdate(await definedContext(platform, owner), items as never)
        },
        async () => member.rest['accountDelete']!({ id: one() } as never),
        async () => member.rest['accountRestore']!({ id: one() } as never),
        async () => {
          const ctx = await definedContext(platform, owner)
          const [id, annualRevenue] = [one(), random(500)]
          await inTransaction(ctx, (inner) => changeAll(inner, accountDefinition, [id], () => ({ annualRevenue })))
        },
        async () => {
          const { id } = await lead(member, { company: `L${random(9)}`, customFields: {} })
          await member.rest['leadConvert']!({ id, body: { createOpportunity: false } } as never)
        },
        async () => change(known.get('perSeat')!, config(value(...expressions))),
        async () => change(known.get('active')!, { defaultValue: value('true', 'false') }),
        async () =>
          owner.rest['customFieldReplaceValue']!({ id: known.get('tier')!, body: { from: 'LOW', to: 'TOP' } } as never),
        async () => change(known.get('mail')!, { fieldType: value('EMAIL', 'TEXT') }),
        async () => drain(fieldChangeQueue, platform.services),
        settle,
      ]
      for (let step = 0; step < 12; step++) await operations[0]!()
      for (let step = 0; step < 160; step++) {
        // Most operations are writes of records.
        await operations[random(3) === 0 ? random(operations.length) : random(7)]!()
        if (step % 8 === 0)
          expect(await wronglyRead(platform, organizationId, await shape()), `step ${step}`).toEqual([])
      }
      await settle()
      const last = await shape()
      expect(await wronglyRead(platform, organizationId, last)).toEqual([])
      expect(await wronglyStored(platform, organizationId, last)).toEqual([])
      expect(last.columns.isComputedByReads).toBe(false)
      const apart = await platform.query(
        `select t.id from crm.account t left join kernel.record_value v
         on v.organization_id = t.organization_id and v.object = 'account' and v.field = 'perSeat' and v.record_id = t.id
       where t.organization_id = $1 and t.deleted_at is null
         and (v.record_id is null or v.number_value is distinct from (t.custom_fields ->> 'perSeat')::numeric)`,
        [organizationId],
      )
      expect(apart).toEqual([])
    },
  )
})
