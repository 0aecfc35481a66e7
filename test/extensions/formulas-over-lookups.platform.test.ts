import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aField, anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'
import { visit } from './custom-objects.fixture.ts'
import { lookup, visitsOfAccounts } from './lookups.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

const formula = (entity: string, name: string, expression: string, returnType = 'TEXT') => ({
  entity,
  name,
  fieldType: 'FORMULA',
  formulaConfig: { expression, returnType },
})
const site = 'custom:site_visit'
const create = (body: object, by = owner) => by.rest['customFieldCreate']!({ body: aField(body) } as never)

/** Accounts name a partner and a last visit, visits name an account and a previous visit, and formulas follow them. */
async function defined(by: Member): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  await visitsOfAccounts(by)
  ids['hours'] = (await field(by, { entity: site, name: 'hours', fieldType: 'NUMBER' })).id
  ids['partner'] = (await lookup(platform, by)).id
  ids['visit'] = (await lookup(platform, by, { name: 'visit', lookupEntity: null, lookupObject: site })).id
  for (const one of [
    formula(site, 'double', 'customFields.hours * 2', 'NUMBER'),
    formula(site, 'of', 'customFields.account.name & "/" & customFields.account.owner.name'),
    formula('ACCOUNT', 'hours', 'customFields.visit.customFields.double', 'NUMBER'),
    formula('ACCOUNT', 'before', 'customFields.visit.customFields.previous.customFields.subject'),
    formula('ACCOUNT', 'visited', 'customFields.visit.customFields.account.name'),
    formula(
      'CONTACT',
      'partner',
      'account.customFields.partner.name & " " & account.customFields.partner.customFields.hours',
    ),
  ])
    ids[`${one.entity}.${one.name}`] = (await field(by, one)).id
  await settleFieldChanges(platform)
  return ids
}

let ids: Record<string, string>
beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  ids = await defined(owner)
})

const valuesOf = async (id: string, by = member) => (await by.rest['account']!({ id })).body.customFields as object

async function records() {
  const { id: own } = await account(member, { name: 'Own' })
  const first = await visit(member, { subject: 'First', hours: 1, account: own })
  const second = await visit(member, { subject: 'Second', hours: 2.5, account: own, previous: first.id })
  const { id } = await account(member, { name: 'Yard', customFields: { visit: second.id, partner: own } })
  return { own, id, first, second }
}

describe('a formula over lookups', () => {
  it('reads what they name, up to three relations, built-in ones and those of custom objects among them', async () => {
    const { own, id, second } = await records()
    expect(await valuesOf(id)).toEqual({
      partner: own,
      visit: second.id,
      hours: 5,
      before: 'First',
      visited: 'Own',
    })
    const read = await member.rest['customRecord']!({ name: 'site_visit', id: second.id } as never)
    expect(read.body.customFields).toMatchObject({ double: 5, of: 'Own/Ann Lee' })
    const made = await contact(member, { lastName: 'Lee', accountId: id })
    expect(made.customFields).toMatchObject({ partner: 'Own ' })
    const found = await member.rest['accountList']!({
      query: { 'customFields[hours]': '5', 'customFields[before]': 'First' },
    } as never)
    expect((found.body.data as { id: string }[]).map((one) => one.id)).toContain(id)
    const changed = await member.rest['accountUpdate']!({ id, body: { customFields: { visit: null } } })
    expect(changed.body.customFields).toEqual({ partner: own })
  })

  it('is blank where the caller does not see the record that is named, or has no scope for it', async () => {
    const { id, second } = await records()
    const { organizationId } = owner
    const scoped = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    expect(await valuesOf(id, scoped)).not.toHaveProperty('hours')
    const both = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS', 'READ_CUSTOM_OBJECTS'] })
    expect(await valuesOf(id, both)).toMatchObject({ hours: 5, before: 'First' })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    await platform.query('update crm.account set owner_id = $1 where id = $2', [own.userId, id])
    expect(await valuesOf(id, own)).not.toHaveProperty('hours')
    await platform.query('update extensions.custom_record set owner_id = $1 where id = $2', [own.userId, second.id])
    const seen = await valuesOf(id, own)
    expect(seen).toMatchObject({ hours: 5 })
    expect(seen).not.toHaveProperty('before')
    expect(seen).not.toHaveProperty('visited')
  })

  it('is hidden with each field that it reads, and with the lookups that it follows', async () => {
    const { id } = await records()
    const ctx = systemContext(platform.services, owner.organizationId)
    for (const [object, name, hidden] of [
      [site, 'customFields.hours', ['hours']],
      [site, 'customFields.previous', ['before']],
      ['account', 'customFields.visit', ['hours', 'before', 'visited']],
      [site, 'customFields.account', ['visited']],
    ] as const) {
      const restricted = await platform.member({ organizationId: owner.organizationId })
      const { id: profileId } = await createProfile(ctx, {
        name: `Without ${object} ${name}`,
        fields: { [object]: { [name]: 'HIDDEN' } },
      })
      await assignProfile(ctx, restricted.userId, profileId)
      const read = await valuesOf(id, restricted)
      for (const key of ['hours', 'before', 'visited'])
        expect([name, key, key in read]).toEqual([name, key, !(hidden as readonly string[]).includes(key)])
    }
  })

  it('keeps the lookups that it follows and the fields behind them', async () => {
    for (const [name, user] of [
      ['visit', 'ACCOUNT.hours'],
      ['hours', `${site}.double`],
      ['partner', 'CONTACT.partner'],
    ] as const) {
      const id = ids[name]!
      for (const refused of [
        await owner.rest['customFieldDelete']!({ id }),
        await owner.rest['customFieldUpdate']!({ id, body: { isActive: false } } as never),
      ]) {
        expect([name, problemsOf(refused)]).toEqual([name, '409 HAS_DEPENDENTS'])
        expect((refused.body.usedBy as { id: string }[]).map((use) => use.id)).toContain(ids[user])
      }
    }
  })

  it('is part of no cycle, through whatever objects', async () => {
    const refused = await owner.rest['customFieldUpdate']!({
      id: ids[`${site}.double`]!,
      body: { formulaConfig: { expression: 'customFields.account.customFields.hours', returnType: 'NUMBER' } },
    } as never)
    expect(refused.body.errors).toMatchObject([
      {
        code: 'FORMULA_CYCLE',
        cycle: [`${site}.customFields.double`, 'account.customFields.hours', `${site}.customFields.double`],
      },
    ])
  })

  it.each([
    ['no lookup', 'customFields.hours.name'],
    ['a field that its target does not have', 'customFields.visit.customFields.none'],
    ['the record itself', 'customFields.visit.customFields'],
    ['a fourth relation', 'customFields.visit.customFields.account.customFields.visit.customFields.account.name'],
  ])('refuses %s', async (_what, expression) => {
    const code = expression.split('customFields.account').length > 2 ? 'FORMULA_TOO_COMPLEX' : 'FORMULA_UNKNOWN_FIELD'
    expect(problemsOf(await create(formula('ACCOUNT', 'wrong', expression)))).toBe(
      `400 VALIDATION_FAILED formulaConfig.expression ${code}`,
    )
  })
})
