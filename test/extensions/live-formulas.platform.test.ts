import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { sessionOf } from '../requests/session.ts'
import { aField, anOrganization, field, problemsOf } from './custom-fields.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

const formula = (entity: string, name: string, expression: string, returnType = 'TEXT') => ({
  entity,
  name,
  fieldType: 'FORMULA',
  formulaConfig: { expression, returnType },
})

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await field(owner, { name: 'tier' })
  await field(owner, { name: 'eager', fieldType: 'CHECKBOX', defaultValue: 'true' })
  await field(owner, formula('ACCOUNT', 'code', 'UPPER(name) & "-" & customFields.tier'))
  await field(owner, formula('CONTACT', 'accountName', 'account.name'))
  await field(owner, formula('CONTACT', 'accountCode', 'account.customFields.code & "/" & account.owner.name'))
  await field(owner, formula('CONTACT', 'isEager', 'account.customFields.eager', 'CHECKBOX'))
  await field(owner, formula('CONTACT', 'parentName', 'reportsTo.account.parent.name'))
})

const values = async (id: string, by = member) => (await by.rest['contact']!({ id })).body.customFields
const create = (body: object, by = owner) => by.rest['customFieldCreate']!({ body: aField(body) } as never)

async function anAccount(more: object = {}, by = member) {
  return account(by, { name: 'Nordwind', customFields: { tier: 'gold' }, ...more })
}

describe('a formula over other records', () => {
  it('is read with the record, in answers of writes, lists, filters and orders, and is neither stored nor sent', async () => {
    const { id: accountId } = await anAccount()
    const made = await contact(member, { lastName: 'Lee', accountId })
    const expected = { accountName: 'Nordwind', accountCode: 'NORDWIND-gold/Ann Lee', isEager: true }
    expect([made.customFields, await values(made.id)]).toEqual([expected, expected])
    const [row] = await platform.query('select custom_fields from crm.contact where id = $1', [made.id])
    expect(row!['custom_fields']).toEqual({})
    const [created] = await platform.eventsOf(made.id)
    expect(created!.data.record).toMatchObject({ customFields: {} })
    const listed = await member.rest['contactList']!({
      query: { 'customFields[accountName]': 'Nordwind', sortByCustomField: 'accountName', sortOrder: 'asc' },
    } as never)
    expect((listed.body.data as { id: string }[]).map(({ id }) => id)).toEqual([made.id])
    await member.rest['accountUpdate']!({ id: accountId, body: { name: 'Südwind' } })
    expect(await values(made.id)).toMatchObject({ accountName: 'Südwind' })
    await member.rest['accountDelete']!({ id: accountId })
    expect(await values(made.id)).toEqual({ accountCode: '/', isEager: false })
  })

  it('follows three relations', async () => {
    const { id: parent } = await anAccount({ name: 'Parent' })
    const { id: accountId } = await anAccount({ parentAccountId: parent })
    const { id: reportsToId } = await contact(member, { lastName: 'Chief', accountId })
    const { id } = await contact(member, { lastName: 'Lee', reportsToId })
    expect(await values(id)).toMatchObject({ parentName: 'Parent' })
  })

  it('is blank where the caller does not see the other record, and where its credential lacks the scope', async () => {
    const { organizationId } = owner
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id: accountId } = await anAccount({ name: 'Unseen' })
    const { id } = await contact(own, { lastName: 'Lee' })
    await platform.query('update crm.contact set account_id = $1 where id = $2', [accountId, id])
    expect(await values(id)).toMatchObject({ accountName: 'Unseen' })
    expect((await values(id, own))['accountName']).toBeUndefined()
    const found = await own.rest['contactList']!({ query: { 'customFields[accountName]': 'Unseen' } } as never)
    expect(found.body.total).toBe(0)
    const reader = await platform.member({ organizationId, scopes: ['READ_CONTACTS'] })
    expect((await values(id, reader))['accountName']).toBeUndefined()
    const both = await platform.member({ organizationId, scopes: ['READ_CONTACTS', 'READ_ACCOUNTS'] })
    expect(await values(id, both)).toMatchObject({ accountName: 'Unseen' })
  })

  it('is read by signed-in users, and by credentials whose scope implies that of the other record', async () => {
    const { id: accountId } = await anAccount({ name: 'Seen' })
    const { id } = await contact(member, { lastName: 'Lee', accountId })
    const { organizationId } = owner
    const writer = await platform.member({ organizationId, scopes: ['READ_CONTACTS', 'WRITE_ACCOUNTS'] })
    expect(await values(id, writer)).toMatchObject({ accountName: 'Seen' })
    const headers = { Authorization: `Bearer ${await sessionOf(platform, member)}` }
    const get = async (path: string) => (await fetch(`${platform.url}/v1${path}`, { headers })).json()
    expect(await get(`/contacts/${id}`)).toMatchObject({ customFields: { accountName: 'Seen' } })
    const found = await get(`/contacts?customFields[accountName]=Seen`)
    expect(found).toMatchObject({ total: 1, data: [{ id }] })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    await platform.query('update crm.contact set owner_id = $1 where id = $2', [own.userId, id])
    const restricted = { Authorization: `Bearer ${await sessionOf(platform, own)}` }
    const unseen = await fetch(`${platform.url}/v1/contacts/${id}`, { headers: restricted })
    expect([unseen.status, ((await unseen.json()) as { customFields: object }).customFields]).toEqual([
      200,
      { isEager: false, accountCode: '/' },
    ])
  })

  it('is hidden with each field that it reads, and with the columns by which it reaches them', async () => {
    const { id: accountId } = await anAccount()
    const { id } = await contact(member, { lastName: 'Lee', accountId })
    const ctx = systemContext(platform.services, owner.organizationId)
    for (const [object, name, hidden] of [
      ['account', 'customFields.tier', ['accountCode']],
      ['account', 'customFields.eager', ['isEager']],
      ['contact', 'accountId', ['accountName', 'accountCode', 'isEager']],
    ] as const) {
      const restricted = await platform.member({ organizationId: owner.organizationId })
      const fields = { [object]: { [name]: 'HIDDEN' } } as const
      const { id: profileId } = await createProfile(ctx, { name: `Without ${name}`, fields })
      await assignProfile(ctx, restricted.userId, profileId)
      const read = await values(id, restricted)
      for (const key of ['accountName', 'accountCode', 'isEager'])
        expect([name, key, key in read]).toEqual([name, key, !(hidden as readonly string[]).includes(key)])
      const filtered = await restricted.rest['contactList']!({
        query: { [`customFields[${hidden[0]}]`]: 'true' },
      } as never)
      expect(problemsOf(filtered)).toContain('403 FIELD_NOT_READABLE')
    }
  })

  it('may be sent unchanged with what a read returned, and cannot be given', async () => {
    const { id: accountId } = await anAccount()
    const { id } = await contact(member, { lastName: 'Lee', accountId })
    const whole = (await member.rest['contact']!({ id })).body
    const sent = await member.rest['contactUpdate']!({ id, body: { ...whole, lastName: 'Li' } })
    expect([sent.status, sent.body.customFields]).toEqual([200, whole.customFields])
    const refused = await member.rest['contactUpdate']!({ id, body: { customFields: { accountName: 'x' } } })
    expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED customFields.accountName COMPUTED')
  })

  it('is part of no cycle, over whatever record types', async () => {
    const { owner: other } = await anOrganization(platform)
    await field(other, formula('ACCOUNT', 'a', 'name'))
    await field(other, formula('CONTACT', 'b', 'account.customFields.a & reportsTo.lastName'))
    const self = await create(formula('CONTACT', 'c', 'reportsTo.customFields.c'), other)
    expect(self.body.errors).toMatchObject([
      {
        path: 'formulaConfig.expression',
        code: 'FORMULA_CYCLE',
        cycle: ['contact.customFields.c', 'contact.customFields.c'],
      },
    ])
    const unknown = await create(formula('CONTACT', 'c', 'account.customFields.z'), other)
    expect(problemsOf(unknown)).toBe('400 VALIDATION_FAILED formulaConfig.expression FORMULA_UNKNOWN_FIELD')
  })

  it('reads other records in at most 200 places of the formulas of a record type, those that it reads included', async () => {
    const { owner: other } = await anOrganization(platform)
    const many = (path: string, count: number) => Array.from({ length: count }, () => path).join(' & ')
    await field(other, formula('ACCOUNT', 'parents', many('parent.name', 9)))
    await field(other, formula('CONTACT', 'ten', 'account.customFields.parents'))
    await field(other, formula('CONTACT', 'hundred', many('customFields.ten', 10)))
    const refused = await create(formula('CONTACT', 'more', many('account.name', 91)), other)
    expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED formulaConfig.expression FORMULA_TOO_COMPLEX')
    const { id } = await field(other, formula('CONTACT', 'more', many('account.name', 90)))
    expect((await create(formula('ACCOUNT', 'free', 'parent.name'), other)).status).toBe(201)
    const { body } = await other.rest['customFieldList']!({ query: { search: 'parents' } } as never)
    const [{ id: parents }] = body.data as [{ id: string }]
    const formulaConfig = { expression: many('parent.name', 10), returnType: 'TEXT' }
    const grown = await other.rest['customFieldUpdate']!({ id: parents, body: { formulaConfig } } as never)
    expect(problemsOf(grown)).toBe('400 VALIDATION_FAILED formulaConfig.expression FORMULA_TOO_COMPLEX')
    expect((await other.rest['customFieldDelete']!({ id })).status).toBe(204)
    const fitting = await other.rest['customFieldUpdate']!({ id: parents, body: { formulaConfig } } as never)
    expect(fitting.status).toBe(200)
  })

  it('may be in a page layout, also one that becomes such a formula there', async () => {
    const { owner: other } = await anOrganization(platform)
    const { id } = await field(other, formula('CONTACT', 'shown', 'lastName'))
    const config = { sections: [{ label: 'Details', items: [{ field: 'customFields.shown' }] }] }
    const layout = await other.rest['layoutCreate']!({
      body: { objectType: 'CONTACT', name: 'Contacts', config },
    } as never)
    expect(layout.status, JSON.stringify(layout.body)).toBe(201)
    const formulaConfig = { expression: 'account.name', returnType: 'TEXT' }
    const changed = await other.rest['customFieldUpdate']!({ id, body: { formulaConfig } } as never)
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  })

  it('keeps the fields that it reads', async () => {
    const { owner: other } = await anOrganization(platform)
    const { id } = await field(other, { name: 'tier' })
    const { id: reading } = await field(other, formula('CONTACT', 'tier', 'account.customFields.tier'))
    const refused = await other.rest['customFieldDelete']!({ id })
    expect(problemsOf(refused)).toBe('409 HAS_DEPENDENTS')
    expect(refused.body.usedBy).toMatchObject([{ object: 'custom_field', id: reading }])
    const off = await other.rest['customFieldUpdate']!({ id, body: { isActive: false } } as never)
    expect(problemsOf(off)).toBe('409 HAS_DEPENDENTS')
  })

  it('is evaluated by customFieldCheckFormula for a record', async () => {
    const { id: accountId } = await anAccount()
    const { id } = await contact(member, { lastName: 'Lee', accountId })
    const body = {
      entity: 'CONTACT',
      formulaConfig: { expression: 'account.name & TEXT(TODAY())', returnType: 'TEXT' },
      recordId: id,
    }
    const { body: check } = await owner.rest['customFieldCheckFormula']!({ body } as never)
    const today = platform.now.toISOString().slice(0, 10)
    expect(check).toMatchObject({ isValid: true, reads: ['account.name'], value: `Nordwind${today}` })
  })
})

describe('a formula over the time', () => {
  it('is that of the moment of the operation, in the time zone of the organization', async () => {
    await field(owner, formula('LEAD', 'now', 'NOW()', 'DATETIME'))
    await field(owner, formula('LEAD', 'today', 'TODAY()', 'DATE'))
    await field(owner, formula('LEAD', 'tomorrow', 'ADDDAYS(customFields.today, 1)', 'DATE'))
    const now = platform.now
    platform.now = new Date('2027-03-01T02:30:00.125Z')
    const { body: made } = await member.rest['leadCreate']!({ body: { lastName: 'Lee', company: 'A' } } as never)
    const expected = { now: '2027-03-01T02:30:00.125Z', today: '2027-03-01', tomorrow: '2027-03-02' }
    expect(made.customFields).toEqual(expected)
    await platform.query(
      `update identity.organization set settings = settings || '{"timezone": "America/New_York"}' where id = $1`,
      [owner.organizationId],
    )
    expect((await member.rest['lead']!({ id: made.id as string })).body.customFields).toEqual({
      ...expected,
      today: '2027-02-28',
      tomorrow: '2027-03-01',
    })
    platform.now = now
  })

  it('is known to validation rules, with the record as it would be after the change, by one statement', async () => {
    const { owner: other, member: writer } = await anOrganization(platform)
    await field(other, formula('CONTACT', 'accountName', 'account.name'))
    await field(other, formula('CONTACT', 'day', 'TODAY()', 'DATE'))
    const rule = (name: string, condition: object, more: object = {}) =>
      other.rest['validationRuleCreate']!({
        body: { name, entityType: 'CONTACT', conditions: [condition], errorMessage: name, ...more },
      } as never)
    const closed = { field: 'customFields.accountName', operator: 'EQUALS', value: 'Closed' }
    expect((await rule('Closed', closed)).status).toBe(201)
    const moved = { field: 'customFields.accountName', operator: 'CHANGED_FROM', value: 'Kept' }
    expect((await rule('Kept', moved, { appliesTo: 'UPDATE' })).status).toBe(201)
    const now = platform.now
    const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
    const late = { field: 'customFields.day', operator: 'AFTER', value: inDays(1).toISOString().slice(0, 10) }
    expect((await rule('Late', late)).status).toBe(201)
    const [open, shut, kept] = [
      await account(writer, { name: 'Open' }),
      await account(writer, { name: 'Closed' }),
      await account(writer, { name: 'Kept' }),
    ]
    const create = (accountId: string) =>
      writer.rest['contactCreate']!({ body: { lastName: 'Lee', accountId } } as never)
    const before = await platform.fingerprint(other.organizationId)
    expect(problemsOf(await create(shut.id))).toBe('422 VALIDATION_RULE_FAILED  VALIDATION_RULE_FAILED')
    expect(await platform.fingerprint(other.organizationId)).toBe(before)
    let id = ''
    const statements = await statementsOf(
      platform,
      async () => {
        const { status, body } = await create(open.id)
        expect([status, (body.customFields as { accountName: string }).accountName]).toEqual([201, 'Open'])
        id = body.id as string
      },
      /jsonb_populate_record\(null::/,
      { inTransactions: true },
    )
    expect(statements).toHaveLength(1)
    const change = async (body: object) => problemsOf(await writer.rest['contactUpdate']!({ id, body } as never))
    expect(await change({ accountId: shut.id })).toBe('422 VALIDATION_RULE_FAILED  VALIDATION_RULE_FAILED')
    expect(await change({ accountId: kept.id })).toBe('200 ')
    expect(await change({ accountId: open.id })).toBe('422 VALIDATION_RULE_FAILED  VALIDATION_RULE_FAILED')
    platform.now = inDays(3)
    expect(await change({ lastName: 'Li' })).toBe('422 VALIDATION_RULE_FAILED  VALIDATION_RULE_FAILED')
    platform.now = now
    // What the caller does not see has no value in it.
    const own = await platform.member({ organizationId: other.organizationId, visibility: 'OWN' })
    await platform.query('update crm.account set name = $1 where id = $2', ['Closed', kept.id])
    await platform.query('update crm.contact set owner_id = $1 where id = $2', [own.userId, id])
    expect(problemsOf(await own.rest['contactUpdate']!({ id, body: { lastName: 'Lo' } } as never))).toBe('200 ')
  })

  it('cannot be named by other conditions, nor become one that they name', async () => {
    const source = 'export default () => ({})'
    const run = { apiName: 'run', name: 'Run', language: 'javascript', source }
    expect((await owner.rest['serverlessFunctionCreate']!({ body: run } as never)).status).toBe(201)
    const trigger = (name: string) => {
      const conditions = [{ field: `customFields.${name}`, operator: 'EQUALS', value: 'x' }]
      const body = { objectType: 'CONTACT', name, operations: ['CREATE'], function: 'run', conditions }
      return owner.rest['afterSaveTriggerCreate']!({ body } as never)
    }
    expect(problemsOf(await trigger('accountName'))).toContain('conditions.0.field UNKNOWN_FIELD')
    const { id } = await field(owner, formula('CONTACT', 'local', 'lastName'))
    const made = await trigger('local')
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const formulaConfig = { expression: 'account.name', returnType: 'TEXT' }
    const refused = await owner.rest['customFieldUpdate']!({ id, body: { formulaConfig } } as never)
    expect(problemsOf(refused)).toBe('409 HAS_DEPENDENTS')
  })

  it('is not searchable, nor becomes what is searchable such a formula', async () => {
    const { owner: other } = await anOrganization(platform)
    const live = { expression: 'account.name', returnType: 'TEXT' }
    const searchable = (name: string, expression: string) => ({
      ...formula('CONTACT', name, expression),
      isSearchable: true,
    })
    const notAllowed = '400 VALIDATION_FAILED isSearchable NOT_ALLOWED'
    expect(problemsOf(await create(searchable('live', 'account.name'), other))).toBe(notAllowed)
    const inner = await field(other, formula('CONTACT', 'inner', 'lastName'))
    const outer = await field(other, searchable('outer', 'customFields.inner & "!"'))
    const change = (id: string, body: object) => other.rest['customFieldUpdate']!({ id, body } as never)
    expect(problemsOf(await change(outer.id, { formulaConfig: live }))).toBe(notAllowed)
    const refused = await change(inner.id, { formulaConfig: live })
    expect(problemsOf(refused)).toBe('409 HAS_DEPENDENTS')
    expect(refused.body['usedBy']).toEqual([{ object: 'custom_field', id: outer.id, name: 'outer' }])
    expect((await change(outer.id, { isSearchable: false, formulaConfig: live })).status).toBe(200)
    expect(problemsOf(await change(outer.id, { isSearchable: true }))).toBe(notAllowed)
  })
})
