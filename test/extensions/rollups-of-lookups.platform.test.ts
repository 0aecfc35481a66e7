import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { mergeRollups } from '../../subgraphs/kernel/record/rollup/merge-rollups.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, opportunity } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { genericPlanOf, statementsOf } from '../statements.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { object, visit } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'
import { rollup } from './rollups.fixture.ts'

const platform = usePlatform()
const visits = 'custom:site_visit'

let owner: Member
let member: Member

/** Visits name an account, deals a visit: a visit is the child of an account and the parent of deals. */
beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await object(owner)
  await field(owner, { entity: visits, name: 'customer', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' })
  await field(owner, { entity: 'OPPORTUNITY', name: 'foundAt', fieldType: 'LOOKUP', lookupObject: visits })
  await settle()
})

const settle = () => settleFieldChanges(platform)
const merge = () => mergeRollups(platform.services.database)
const ofVisits = (name: string, config: object) =>
  rollup(name, { childObject: visits, relationField: 'customFields.customer', ...config })
const ofDeals = (name: string, config: object) =>
  rollup(name, { relationField: 'customFields.foundAt', ...config }, { entity: visits })
const accountValues = async (id: string) => (await member.rest['account']!({ id })).body.customFields as object
const visitValues = async (id: string) =>
  (await member.rest['customRecord']!({ name: 'site_visit', id } as never)).body.customFields as object
const changeVisit = async (id: string, customFields: object) => {
  const body = { customFields }
  const { status } = await member.rest['customRecordUpdate']!({ name: 'site_visit', id, body } as never)
  expect(status).toBe(200)
}

describe('rollups of records of a custom object', () => {
  it('follow the records that name the parent in a lookup, also when the parent of a record is cleared', async () => {
    await field(owner, ofVisits('visits', { aggregate: 'COUNT' }))
    await field(owner, ofVisits('hours', { aggregate: 'SUM', field: 'customFields.hours' }))
    const conditions = [{ field: 'customFields.outcome', operator: 'EQUALS', value: 'DONE' }]
    await field(owner, ofVisits('longest', { aggregate: 'MAX', field: 'customFields.hours', conditions }))
    const [one, other] = [await account(member), await account(member)]
    const values = { subject: 'First', hours: 2.5, outcome: 'DONE', customer: one.id }
    const first = await visit(member, values)
    const second = await visit(member, { ...values, hours: 4, outcome: 'OPEN' })
    const expected = { visits: 2, hours: 6.5, longest: 2.5 }
    expect(await accountValues(one.id)).toEqual(expected)
    await settle()
    expect(await accountValues(one.id)).toEqual(expected)
    await merge()
    await changeVisit(second.id, { customer: other.id, outcome: 'DONE' })
    expect(await accountValues(one.id)).toEqual({ visits: 1, hours: 2.5, longest: 2.5 })
    expect(await accountValues(other.id)).toEqual({ visits: 1, hours: 4, longest: 4 })
    await member.rest['customRecordDelete']!({ name: 'site_visit', id: first.id } as never)
    expect(await accountValues(one.id)).toEqual({ visits: 0, hours: 0 })
    await member.rest['customRecordRestore']!({ name: 'site_visit', id: first.id } as never)
    expect(await accountValues(one.id)).toEqual({ visits: 1, hours: 2.5, longest: 2.5 })
    expect((await member.rest['accountDelete']!({ id: one.id })).status).toBe(204)
    expect((await member.rest['accountRestore']!({ id: one.id })).status).toBe(200)
    expect(await accountValues(one.id)).toEqual({ visits: 0, hours: 0 })
  })

  it('are fields of custom objects, too, and find the children by the index of the lookup until they are built', async () => {
    await field(owner, ofDeals('deals', { aggregate: 'COUNT' }))
    await field(owner, ofDeals('amount', { aggregate: 'SUM', field: 'amount' }))
    await field(owner, ofDeals('least', { aggregate: 'MIN', field: 'amount' }))
    const { id } = await visit(member, { subject: 'First' })
    for (const amount of [10, 5]) await opportunity(member, { amount, customFields: { foundAt: id } })
    const expected = { subject: 'First', deals: 2, amount: 15, least: 5 }
    const statements = await statementsOf(
      platform,
      async () => expect(await visitValues(id)).toEqual(expected),
      /rolled_up/,
    )
    expect(statements.length).toBeGreaterThan(0)
    const plan = await genericPlanOf(platform.databaseUrl, statements[0]!, ['seqscan', 'bitmapscan'])
    expect(plan.join('\n')).toMatch(/Index.*record_value_id/)
    await settle()
    expect(await visitValues(id)).toEqual(expected)
    const query = { 'customFields[deals]': '2' }
    const list = await member.rest['customRecordList']!({ name: 'site_visit', query } as never)
    expect(list.body.data).toMatchObject([{ id, customFields: expected }])
  })

  it('keep the object, the lookup and the fields that they read: 409 with the rollup', async () => {
    await field(owner, ofVisits('hours', { aggregate: 'SUM', field: 'customFields.hours' }))
    await settle()
    const { body } = await owner.rest['customFieldList']!({ query: { entity: visits } } as never)
    const fields = body.data as { id: string; name: string }[]
    const { data } = (await owner.rest['customObjectList']!({ query: {} } as never)).body as { data: { id: string }[] }
    const before = await platform.fingerprint(owner.organizationId)
    const refused = [
      await owner.rest['customObjectDelete']!({ id: data[0]!.id } as never),
      ...(await Promise.all(
        ['customer', 'hours'].map((name) =>
          owner.rest['customFieldDelete']!({ id: fields.find((one) => one.name === name)!.id }),
        ),
      )),
    ]
    for (const { status, body: problem } of refused) {
      expect([status, problem.code]).toEqual([409, 'HAS_DEPENDENTS'])
      expect(problem.usedBy).toContainEqual(expect.objectContaining({ object: 'custom_field', name: 'hours' }))
    }
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it.each<[string, object, string]>([
    ['an unknown object', { childObject: 'custom:none' }, 'rollupConfig.childObject NOT_ALLOWED'],
    ['an object without a lookup to the record type', {}, 'rollupConfig.childObject NOT_ALLOWED'],
  ])('are refused for %s', async (_what, config, problem) => {
    const body = { label: 'L', ...ofVisits('r', { aggregate: 'COUNT', ...config }), entity: 'CONTACT' }
    expect(problemsOf(await owner.rest['customFieldCreate']!({ body } as never))).toBe(
      `400 VALIDATION_FAILED ${problem}`,
    )
  })

  it('are hidden with the field that names a record, if they read its name by a formula', async () => {
    const formulaConfig = { expression: 'LEN(name)', returnType: 'NUMBER' }
    await field(owner, { entity: visits, name: 'length', fieldType: 'FORMULA', formulaConfig })
    await field(owner, ofVisits('lengths', { aggregate: 'SUM', field: 'customFields.length' }))
    await field(owner, ofVisits('visits', { aggregate: 'COUNT' }))
    await settle()
    const { id } = await account(member)
    await visit(member, { subject: 'First', customer: id })
    expect(await accountValues(id)).toEqual({ lengths: 5, visits: 1 })
    const restricted = await platform.member({ organizationId: owner.organizationId })
    const ctx = systemContext(platform.services, owner.organizationId)
    const fields = { [visits]: { 'customFields.subject': 'HIDDEN' } } as never
    const profile = await createProfile(ctx, { name: 'Without subjects', fields })
    await assignProfile(ctx, restricted.userId, profile.id)
    expect((await restricted.rest['account']!({ id })).body.customFields).toEqual({ visits: 1 })
    const filtered = await restricted.rest['accountList']!({ query: { 'customFields[lengths]': '5' } } as never)
    expect(problemsOf(filtered)).toContain('403 FIELD_NOT_READABLE')
  })

  it('are refused while the index of the lookup is built', async () => {
    await account(member)
    await field(owner, { entity: 'OPPORTUNITY', name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' })
    const body = {
      entity: 'ACCOUNT',
      label: 'L',
      ...rollup('r', { relationField: 'customFields.partner', aggregate: 'COUNT' }),
    }
    const create = () => owner.rest['customFieldCreate']!({ body } as never)
    const answer = await create()
    expect([answer.status, answer.body.code]).toEqual([409, 'INVALID_STATE'])
    await settle()
    expect((await create()).status).toBe(201)
  })
})
