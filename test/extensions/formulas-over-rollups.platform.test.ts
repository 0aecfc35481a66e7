import { beforeEach, describe, expect, it } from 'vitest'
import { account as accountDefinition } from '../../subgraphs/crm/account/account.record.ts'
import { contact as contactDefinition } from '../../subgraphs/crm/contact/contact.record.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { columnOf, type RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { mergeRollups } from '../../subgraphs/kernel/record/rollup/merge-rollups.ts'
import { shapeFor } from '../../subgraphs/kernel/record/shape-source.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, opportunity } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restClient } from '../rest-client.ts'
import { sessionOf } from '../requests/session.ts'
import { genericPlanOf, statementsOf } from '../statements.ts'
import { aField, anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { visit } from './custom-objects.fixture.ts'
import { visitsAndFindings } from './details.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'
import { definedContext, rollup } from './rollups.fixture.ts'

const platform = usePlatform()
const visits = 'custom:site_visit'

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const settle = () => settleFieldChanges(platform)
const merge = () => mergeRollups(platform.services.database)
type Values = Readonly<Record<string, unknown>>
const read = async (id: string, by = member) => (await by.rest['account']!({ id })).body
const values = async (id: string, by = member) => (await read(id, by)).customFields as Values
const deal = (accountId: string, more: object = {}, by = member) => opportunity(by, { accountId, ...more })
const move = (id: string, body: object) => member.rest['opportunityUpdate']!({ id, body } as never)
const create = (body: object) => owner.rest['customFieldCreate']!({ body: aField(body) } as never)
const update = (id: string, body: object) => owner.rest['customFieldUpdate']!({ id, body } as never)

const formula = (name: string, expression: string, returnType = 'NUMBER', more: object = {}) => ({
  entity: 'ACCOUNT',
  name,
  fieldType: 'FORMULA',
  formulaConfig: { expression, returnType },
  ...more,
})

/** Rollups of the deals of accounts, and formulas over them. */
async function defined(by = owner): Promise<Record<string, string>> {
  const fields = [
    { entity: 'OPPORTUNITY', name: 'seats', fieldType: 'NUMBER' },
    formula('double', 'customFields.seats * 2', 'NUMBER', { entity: 'OPPORTUNITY' }),
    rollup('deals', { aggregate: 'COUNT' }),
    rollup('total', { aggregate: 'SUM', field: 'amount' }),
    rollup('seats', { aggregate: 'SUM', field: 'customFields.double' }),
    rollup('least', { aggregate: 'MIN', field: 'amount' }),
    rollup('latest', { aggregate: 'MAX', field: 'closeDate' }),
    formula('perDeal', 'customFields.total / customFields.deals'),
    formula('label', 'customFields.deals & "/" & customFields.least', 'TEXT'),
    formula('renewal', 'ADDDAYS(customFields.latest, 1)', 'DATETIME'),
    formula('mixed', 'customFields.perDeal + customFields.seats + LEN(name)'),
    formula('ofAccount', 'account.customFields.perDeal - account.customFields.seats', 'NUMBER', { entity: 'CONTACT' }),
  ]
  const ids: Record<string, string> = {}
  for (const one of fields) ids[`${'entity' in one ? one.entity : 'ACCOUNT'}.${one.name}`] = (await field(by, one)).id
  return ids
}

const none = { deals: 0, total: 0, seats: 0, label: '0/', mixed: 2 }

describe('a formula over rollups', () => {
  it('has their exact values before they are built, with open differences and merged, whatever happens to the children', async () => {
    await defined()
    const [one, other] = [await account(member, { name: 'AB' }), await account(member, { name: 'AB' })]
    const first = await deal(one.id, {
      amount: 40.25,
      closeDate: '2027-05-01T00:00:00.000Z',
      customFields: { seats: 3 },
    })
    await deal(one.id, { amount: 60, closeDate: '2027-03-01T00:00:00.000Z' })
    const all = {
      deals: 2,
      total: 100.25,
      seats: 6,
      least: 40.25,
      latest: '2027-05-01T00:00:00.000Z',
      perDeal: 50.125,
      label: '2/40.25',
      renewal: '2027-05-02T00:00:00.000Z',
      mixed: 58.125,
    }
    expect([await values(one.id), await values(other.id)]).toEqual([all, none])
    await settle()
    expect([await values(one.id), await values(other.id)]).toEqual([all, none])

    expect((await move(first.id, { accountId: other.id, amount: 41.5 })).status).toBe(200)
    const left = {
      deals: 1,
      total: 60,
      seats: 0,
      least: 60,
      latest: '2027-03-01T00:00:00.000Z',
      perDeal: 60,
      label: '1/60',
      renewal: '2027-03-02T00:00:00.000Z',
      mixed: 62,
    }
    const moved = {
      deals: 1,
      total: 41.5,
      seats: 6,
      least: 41.5,
      latest: '2027-05-01T00:00:00.000Z',
      perDeal: 41.5,
      label: '1/41.5',
      renewal: '2027-05-02T00:00:00.000Z',
      mixed: 49.5,
    }
    expect([await values(one.id), await values(other.id)]).toEqual([left, moved])
    await merge()
    expect([await values(one.id), await values(other.id)]).toEqual([left, moved])
    await member.rest['opportunityDelete']!({ id: first.id })
    expect(await values(other.id)).toEqual(none)
    await member.rest['opportunityRestore']!({ id: first.id })
    expect(await values(other.id)).toEqual(moved)
  })

  it('is read behind relations, those to masters among them, by filters, orders and answers of writes, and is in no event', async () => {
    await defined()
    await visitsAndFindings(platform, owner)
    await field(owner, formula('ofMaster', 'customFields.account.customFields.total + 1', 'NUMBER', { entity: visits }))
    const { id: accountId } = await account(member, { name: 'AB' })
    for (const amount of [10, 20]) await deal(accountId, { amount })
    const made = await contact(member, { lastName: 'Lee', accountId })
    expect(made.customFields).toEqual({ ofAccount: 15 })
    const [event] = await platform.eventsOf(made.id)
    expect(event!.data.record).toMatchObject({ customFields: {} })
    const [row] = await platform.query('select custom_fields from crm.contact where id = $1', [made.id])
    expect(row!['custom_fields']).toEqual({})
    const { customFields } = await visit(member, { subject: 'Pump', account: accountId })
    expect(customFields).toMatchObject({ ofMaster: 31 })
    const lone = await contact(member, { lastName: 'Lone' })
    const list = async (query: object) => {
      const { status, body } = await member.rest['contactList']!({ query } as never)
      expect(status, JSON.stringify(body)).toBe(200)
      return (body.data as { id: string }[]).map(({ id }) => id)
    }
    expect(await list({ 'customFields[ofAccount]': '15' })).toEqual([made.id])
    const order = { sortByCustomField: 'ofAccount', sortOrder: 'asc' }
    expect(await list(order)).toEqual([lone.id, made.id])
    const { body } = await member.graphql(
      '{ accountList(filter: {customFields: {perDeal: {gte: 15}}}) { data { id customFields } } }',
    )
    expect(body.data.accountList.data).toMatchObject([{ id: accountId, customFields: { perDeal: 15, label: '2/10' } }])
  })

  it('is computed by SQL as the evaluator in JavaScript computes it from the values of the rollups', async () => {
    await defined()
    await settle()
    const ids: string[] = []
    for (const amounts of [[], [0.1], [0.1, 0.2], [1, 1, 1], [7, 99_999.99, 3.01]]) {
      const { id } = await account(member, { name: `A${amounts.length}` })
      for (const amount of amounts) await deal(id, { amount, customFields: { seats: amounts.length } })
      ids.push(id)
    }
    const ctx = await definedContext(platform, owner)
    const evaluated = (shape: RecordShape, name: string, record: object): unknown =>
      columnOf(shapeFor(ctx, shape), `customFields.${name}`).formula!.evaluate(record as Values)
    for (const id of ids) {
      const record = await read(id)
      for (const name of ['perDeal', 'label', 'renewal', 'mixed'])
        expect([id, name, evaluated(accountDefinition, name, record)]).toEqual([
          id,
          name,
          (record.customFields as Values)[name] ?? null,
        ])
      const named = await contact(member, { lastName: 'Lee', accountId: id })
      expect(evaluated(contactDefinition, 'ofAccount', { ...named, account: record })).toBe(
        (named.customFields as Values)['ofAccount'] ?? null,
      )
    }
  })

  it('does not count the children of another organization, built or not', async () => {
    await defined()
    const { owner: stranger, member: writer } = await anOrganization(platform)
    await defined(stranger)
    const { id } = await account(member, { name: 'AB' })
    const { id: theirs } = await account(writer, { name: 'AB' })
    const foreign = await deal(theirs, { amount: 5 }, writer)
    await platform.query('update crm.opportunity set account_id = $1 where id = $2', [id, foreign.id])
    expect(await values(id)).toEqual(none)
    await settle()
    expect(await values(id)).toEqual(none)
  })

  it('is neither indexed, unique, searchable nor read by a rollup, and has no history', async () => {
    await defined()
    const before = await platform.fingerprint(owner.organizationId)
    for (const name of ['isIndexed', 'isUnique', 'isSearchable', 'trackHistory'])
      expect(problemsOf(await create(formula('f', 'customFields.deals & ""', 'TEXT', { [name]: true })))).toBe(
        `400 VALIDATION_FAILED ${name} NOT_ALLOWED`,
      )
    const ofAccounts = { childObject: 'ACCOUNT', relationField: 'parentAccountId', aggregate: 'SUM' }
    for (const name of ['perDeal', 'deals'])
      expect(problemsOf(await create(rollup('sum', { ...ofAccounts, field: `customFields.${name}` })))).toBe(
        '400 VALIDATION_FAILED rollupConfig.field NOT_ALLOWED',
      )
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('reads at most 10 relations and rollups together', async () => {
    for (let index = 0; index < 10; index++) await field(owner, rollup(`r${index}`, { aggregate: 'COUNT' }))
    const sum = Array.from({ length: 10 }, (_, index) => `customFields.r${index}`).join(' + ')
    await field(owner, formula('ten', sum))
    const refused = await create(formula('eleven', `${sum} + LEN(owner.name)`))
    expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED formulaConfig.expression FORMULA_TOO_COMPLEX')
    expect(refused.body.errors[0].message).toContain('11 relations and rollups')
  })

  it('is evaluated by customFieldCheckFormula for a record', async () => {
    await defined()
    const { id: recordId } = await account(member)
    await deal(recordId, { amount: 12.5 })
    const { formulaConfig } = formula('f', 'customFields.total * 2')
    const body = { entity: 'ACCOUNT', formulaConfig, recordId }
    const { body: check } = await owner.rest['customFieldCheckFormula']!({ body } as never)
    expect(check).toMatchObject({ isValid: true, reads: ['customFields.total'], value: 25 })
  })

  it('reads the totals by an index, not the children, on a page of 50', async () => {
    await defined()
    await settle()
    await account(member)
    const statements = await statementsOf(
      platform,
      () => member.rest['accountList']!({ query: { limit: 50, fields: 'id,customFields' } } as never),
      /kernel[._]rollup/,
    )
    expect(statements).toHaveLength(1)
    const plan = (await genericPlanOf(platform.databaseUrl, statements[0]!)).join('\n')
    expect(plan).toMatch(/Index.*rollup_pkey/)
    expect(plan).not.toMatch(/opportunity|Seq Scan on rollup/)
  })
})

describe('a profile that hides a field', () => {
  it.each([
    ['account', 'customFields.total', ['perDeal', 'mixed', 'ofAccount']],
    ['opportunity', 'customFields.seats', ['mixed', 'ofAccount']],
    ['opportunity', 'nextStep', ['plans']],
    ['contact', 'accountId', ['ofAccount']],
  ])('from which a rollup follows hides the formulas over it: %s.%s', async (object, name, hidden) => {
    await defined()
    const conditions = [{ field: 'nextStep', operator: 'IS_NOT_EMPTY' }]
    await field(owner, rollup('planned', { aggregate: 'COUNT', conditions }))
    await field(owner, formula('plans', 'customFields.planned + 1'))
    const { id } = await account(member)
    await deal(id, { amount: 5, nextStep: 'Call', customFields: { seats: 1 } })
    const { id: contactId } = await contact(member, { lastName: 'Lee', accountId: id })
    const restricted = await platform.member({ organizationId: owner.organizationId })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'R', fields: { [object]: { [name]: 'HIDDEN' } } })
    await assignProfile(ctx, restricted.userId, profile.id)
    const seen = {
      ...(await values(id, restricted)),
      ...((await restricted.rest['contact']!({ id: contactId })).body.customFields as Values),
    }
    const all = ['perDeal', 'label', 'renewal', 'mixed', 'plans', 'ofAccount']
    expect(all.filter((key) => !(key in seen))).toEqual(hidden)
    const first = hidden.find((key) => key !== 'ofAccount')
    if (first === undefined) return
    const list = await restricted.rest['accountList']!({ query: { [`customFields[${first}]`]: '1' } } as never)
    expect(problemsOf(list)).toBe(`403 FIELD_NOT_READABLE customFields.${first} FIELD_NOT_READABLE`)
  })
})

describe('a cycle of formulas and rollups', () => {
  const refusedWith = async (answer: Awaited<ReturnType<typeof update>>, path: string, cycle: readonly string[]) => {
    expect(problemsOf(answer)).toBe(`400 VALIDATION_FAILED ${path} FORMULA_CYCLE`)
    expect(answer.body.errors[0].cycle).toEqual([...cycle, cycle[0]])
  }

  it('over two record types is refused when the formula is changed', async () => {
    const ids = await defined()
    await settle()
    const before = await platform.fingerprint(owner.organizationId)
    const double = ids['OPPORTUNITY.double']!
    const of = (expression: string) => ({ formulaConfig: { expression, returnType: 'NUMBER' } })
    const path = 'formulaConfig.expression'
    const [child, seats] = ['opportunity.customFields.double', 'account.customFields.seats']
    await refusedWith(await update(double, of('account.customFields.seats')), path, [child, seats])
    const mixed = of('account.customFields.mixed + 1')
    await refusedWith(await update(double, mixed), path, [child, 'account.customFields.mixed', seats])
    const body = { entity: 'OPPORTUNITY', name: 'double', ...mixed }
    const { body: check } = await owner.rest['customFieldCheckFormula']!({ body } as never)
    expect(check).toMatchObject({ isValid: false, problems: [{ code: 'FORMULA_CYCLE' }] })
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('is refused when the rollup is changed or created', async () => {
    const ids = await defined()
    const ofDeals = { entity: 'OPPORTUNITY' }
    await field(owner, formula('back', 'account.customFields.perDeal', 'NUMBER', ofDeals))
    await settle()
    const before = await platform.fingerprint(owner.organizationId)
    const total = ids['ACCOUNT.total']!
    const cycle = ['account.customFields.total', 'opportunity.customFields.back', 'account.customFields.perDeal']
    const config = { childObject: 'OPPORTUNITY', relationField: 'accountId', aggregate: 'SUM' }
    const overBack = { rollupConfig: { ...config, field: 'customFields.back' } }
    await refusedWith(await update(total, overBack), 'rollupConfig', cycle)
    const conditions = [{ field: 'amount', operator: 'GREATER_THAN', value: 'customFields.back', valueType: 'FIELD' }]
    const compared = { rollupConfig: { ...config, field: 'amount', conditions } }
    await refusedWith(await update(total, compared), 'rollupConfig', cycle)
    const own = {
      childObject: 'ACCOUNT',
      relationField: 'parentAccountId',
      aggregate: 'SUM',
      field: 'customFields.own',
    }
    await refusedWith(await create(rollup('own', own)), 'rollupConfig', ['account.customFields.own'])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })
})

describe('a rollup that is named', () => {
  it('by a formula or a rule is neither deleted nor made inactive: 409 with what names it', async () => {
    const ids = await defined()
    await settle()
    const conditions = [{ field: 'customFields.latest', operator: 'IS_EMPTY' }]
    const rule = { entityType: 'ACCOUNT', name: 'Never', errorMessage: 'No.', conditions, isActive: false }
    const { body: made } = await owner.rest['validationRuleCreate']!({ body: rule } as never)
    const before = await platform.fingerprint(owner.organizationId)
    const usedBy = ({ body }: { body: { usedBy?: { id: string }[] } }) => (body.usedBy ?? []).map(({ id }) => id)
    const seats = ids['ACCOUNT.seats']!
    const users = ['ACCOUNT.mixed', 'CONTACT.ofAccount'].map((name) => ids[name]!)
    const deleted = await owner.rest['customFieldDelete']!({ id: seats })
    expect([problemsOf(deleted), new Set(usedBy(deleted))]).toEqual(['409 HAS_DEPENDENTS', new Set(users)])
    const inactive = await update(seats, { isActive: false })
    expect(problemsOf(inactive)).toBe('409 HAS_DEPENDENTS')
    expect(usedBy(inactive)).toEqual(expect.arrayContaining(users))
    const latest = await owner.rest['customFieldDelete']!({ id: ids['ACCOUNT.latest']! })
    expect(new Set(usedBy(latest))).toEqual(new Set([ids['ACCOUNT.renewal'], made.id]))
    const toNumber = { childObject: 'OPPORTUNITY', relationField: 'accountId', aggregate: 'MAX', field: 'amount' }
    const ofNumbers = await update(ids['ACCOUNT.latest']!, { rollupConfig: toNumber })
    expect([problemsOf(ofNumbers), usedBy(ofNumbers)]).toEqual(['409 HAS_DEPENDENTS', [ids['ACCOUNT.renewal']]])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    await owner.rest['validationRuleDelete']!({ id: made.id })
    await owner.rest['customFieldDelete']!({ id: ids['ACCOUNT.renewal']! })
    expect((await owner.rest['customFieldDelete']!({ id: ids['ACCOUNT.latest']! })).status).toBe(204)
  })

  it('by a rule has the value of the record that is stored, and 0 or none of a new one', async () => {
    await defined()
    const rule = (name: string, condition: object, more: object = {}) =>
      owner.rest['validationRuleCreate']!({
        body: { entityType: 'ACCOUNT', name, errorMessage: name, conditions: [condition], ...more },
      } as never)
    const refused = (name: string) => ['422 VALIDATION_RULE_FAILED  VALIDATION_RULE_FAILED', name]
    const answered = (answer: { status: number; body: { errors?: { rule: string }[] } }) => [
      problemsOf(answer as never),
      ...(answer.body.errors ?? []).map((error) => error.rule),
    ]
    const { id } = await account(member)
    const many = { field: 'customFields.deals', operator: 'GREATER_THAN', value: 1 }
    expect((await rule('Many', many)).status).toBe(201)
    const high = { field: 'customFields.perDeal', operator: 'GREATER_OR_EQUAL', value: 100 }
    expect((await rule('High', high)).status).toBe(201)
    const change = (body: object) => member.rest['accountUpdate']!({ id, body } as never)
    const first = await deal(id, { amount: 99 })
    expect((await change({ name: 'One' })).status).toBe(200)
    await move(first.id, { amount: 100.5 })
    const before = await platform.fingerprint(owner.organizationId)
    expect(answered(await change({ name: 'High' }))).toEqual(refused('High'))
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const second = await deal(id, { amount: 1 })
    await settle()
    expect(answered(await change({ name: 'Many' }))).toEqual(refused('Many'))
    await member.rest['opportunityDelete']!({ id: second.id })
    await move(first.id, { amount: 1 })
    expect((await change({ name: 'Two' })).status).toBe(200)
    const empty = { field: 'customFields.deals', operator: 'EQUALS', value: 0 }
    expect((await rule('Empty', empty, { appliesTo: 'CREATE' })).status).toBe(201)
    const blank = { field: 'customFields.least', operator: 'IS_NOT_EMPTY' }
    expect((await rule('Blank', blank, { appliesTo: 'CREATE' })).status).toBe(201)
    const made = await member.rest['accountCreate']!({ body: { name: 'New' } } as never)
    expect(answered(made)).toEqual(refused('Empty'))
  })

  it('by a rule is not one that the profile of its author hides', async () => {
    await defined()
    const ctx = systemContext(platform.services, owner.organizationId)
    const restricted = await platform.member({ organizationId: owner.organizationId, role: 'ADMIN' })
    const profile = await createProfile(ctx, { name: 'R', fields: { opportunity: { 'customFields.seats': 'HIDDEN' } } })
    await assignProfile(ctx, restricted.userId, profile.id)
    for (const name of ['seats', 'mixed']) {
      const conditions = [{ field: `customFields.${name}`, operator: 'GREATER_THAN', value: 1 }]
      const body = { entityType: 'ACCOUNT', name, errorMessage: 'No.', conditions }
      expect(problemsOf(await restricted.rest['validationRuleCreate']!({ body } as never))).toBe(
        '400 VALIDATION_FAILED conditions.0.field FIELD_NOT_READABLE',
      )
    }
  })

  it('by a component of a page decides with the record whether it is shown', async () => {
    await defined()
    const { id: recordId } = await account(member)
    const when = (name: string, value: number) => ({
      conditions: [{ field: `customFields.${name}`, operator: 'EQUALS', value }],
    })
    const texts = [
      { type: 'TEXT', text: 'one', visibleWhen: when('deals', 1) },
      { type: 'TEXT', text: 'two', visibleWhen: when('deals', 2) },
      { type: 'TEXT', text: 'seven', visibleWhen: when('perDeal', 7) },
    ]
    await deal(recordId, { amount: 7 })
    const definition = { regions: [{ name: 'main', components: texts }] }
    const body = { objectType: 'ACCOUNT', definition, recordId }
    const headers = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
    const { status, body: page } = await restClient(platform.contract, platform.url, headers)['pageBuilderPreview']!({
      body,
    } as never)
    expect(status, JSON.stringify(page)).toBe(200)
    const shown = page.definition.regions[0].components as { text: string }[]
    expect(shown.map(({ text }) => text)).toEqual(['one', 'seven'])
  })
})
