import { beforeAll, describe, expect, it } from 'vitest'
import { account as accountRecord } from '../../subgraphs/crm/account/account.record.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { inTransaction, requestContext, systemContext, type RequestContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const accounts = recordsOf(accountRecord)

let owner: Member
let member: Member

/** Each test has an organization of its own, so that it has only its own rules. */
async function anOrganization(): Promise<void> {
  const organizationId = await platform.organization('Rules')
  owner = await platform.member({ organizationId, role: 'OWNER' })
  member = await platform.member({ organizationId })
}

const create = (body: object, by = owner) => by.rest['validationRuleCreate']!({ body } as never)

async function aRule(rule: object): Promise<{ id: string }> {
  const { status, body } = await create({ name: 'Rule', errorMessage: 'Refused.', ...rule })
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string }
}

interface Refused {
  readonly status: number
  readonly body: { readonly code?: string; readonly errors?: readonly Readonly<Record<string, string>>[] }
}

const problemsOf = ({ status, body }: Refused) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ path, rule, message }) => `${path}|${rule}|${message}`),
]

const negative = { field: 'annualRevenue', operator: 'LESS_THAN', value: 0 }

/** The context of a user, with the extensions that this process has in memory. */
const contextOf = ({ organizationId }: Member, userId: string): RequestContext => {
  const { caller } = systemContext(platform.services, organizationId)
  const acting = { ...caller, kind: 'API_KEY' as const, userId }
  return requestContext({ caller: acting, requestId: 'request', idempotency: null }, platform.services)
}

beforeAll(anOrganization)

describe('a validation rule', () => {
  it('refuses a change with every failing rule, and nothing is changed', async () => {
    await anOrganization()
    await aRule({ entityType: 'ACCOUNT', name: 'Negative', conditions: [negative], errorField: 'annualRevenue' })
    await aRule({
      entityType: 'ACCOUNT',
      name: 'Hot',
      conditions: [{ logic: 'OR', conditions: [{ field: 'rating', operator: 'EQUALS', value: 'HOT' }, negative] }],
      errorMessage: 'Too hot.',
    })
    await aRule({ entityType: 'ACCOUNT', name: 'Off', isActive: false, conditions: [negative] })
    await aRule({
      entityType: 'CONTACT',
      name: 'Of contacts',
      conditions: [{ field: 'name', operator: 'IS_NOT_EMPTY' }],
    })
    const before = await platform.fingerprint(owner.organizationId)
    const refused = await member.rest['accountCreate']!({ body: { name: 'A', annualRevenue: -1 } })
    expect(problemsOf(refused)).toEqual([
      422,
      'VALIDATION_RULE_FAILED',
      'annualRevenue|Negative|Refused.',
      '|Hot|Too hot.',
    ])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
    const { id } = await account(member, { name: 'B' })
    const hot = await member.graphql('mutation ($id: ID!) { accountUpdate(id: $id, input: { rating: HOT }) { id } }', {
      id,
    })
    expect(hot.body.errors).toMatchObject([
      { message: 'Too hot.', extensions: { code: 'VALIDATION_RULE_FAILED', errors: [{ rule: 'Hot' }] } },
    ])
    expect(await platform.eventTypesOf(id)).toEqual(['account.created'])
    expect((await member.rest['accountDelete']!({ id })).status).toBe(204)
  })

  it('compares the record with the record before, on the operations that it names', async () => {
    await anOrganization()
    await aRule({
      entityType: 'ACCOUNT',
      name: 'Raise',
      appliesTo: 'UPDATE',
      conditions: [{ field: 'annualRevenue', operator: 'INCREASED' }],
    })
    await aRule({
      entityType: 'ACCOUNT',
      name: 'Cold',
      appliesTo: 'CREATE',
      conditions: [{ field: 'rating', operator: 'EQUALS', value: 'COLD' }],
    })
    expect(problemsOf(await member.rest['accountCreate']!({ body: { name: 'A', rating: 'COLD' } }))[0]).toBe(422)
    const { id } = await account(member, { annualRevenue: 10 })
    const change = (body: object) => member.rest['accountUpdate']!({ id, body })
    expect((await change({ annualRevenue: 11 })).status).toBe(422)
    expect((await change({ annualRevenue: 9, rating: 'COLD' })).body).toMatchObject({
      annualRevenue: 9,
      rating: 'COLD',
    })
  })

  it('applies from its answer on, changes, and ends with its deletion', async () => {
    await anOrganization()
    const { id } = await aRule({ entityType: 'ACCOUNT', conditions: [negative] })
    const make = async () => (await member.rest['accountCreate']!({ body: { name: 'A', annualRevenue: -1 } })).status
    expect(await make()).toBe(422)
    expect((await owner.rest['validationRuleUpdate']!({ id, body: { isActive: false } })).status).toBe(200)
    expect(await make()).toBe(201)
    expect((await owner.rest['validationRuleUpdate']!({ id, body: { isActive: true } })).status).toBe(200)
    expect(await make()).toBe(422)
    expect((await owner.rest['validationRuleDelete']!({ id })).status).toBe(204)
    expect(await make()).toBe(201)
  })

  it('fails only its own item of a bulk change', async () => {
    await anOrganization()
    await aRule({
      entityType: 'CONTACT',
      conditions: [{ field: 'title', operator: 'EQUALS', value: 'CEO' }],
      errorField: 'title',
    })
    const [one, two] = [await contact(member), await contact(member)]
    const items = [
      { id: one.id, title: 'CEO' },
      { id: two.id, title: 'CTO' },
    ]
    const { body } = await member.rest['contactBulkUpdate']!({ body: { items } })
    expect(body.results.map(({ status, code }: Record<string, string>) => [status, code])).toEqual([
      ['FAILED', 'VALIDATION_RULE_FAILED'],
      ['UPDATED', null],
    ])
    expect(await platform.eventTypesOf(one.id)).toEqual(['contact.created'])
  })

  it('refuses a whole conversion of a lead', async () => {
    await anOrganization()
    await aRule({ entityType: 'OPPORTUNITY', conditions: [{ field: 'name', operator: 'IS_NOT_EMPTY' }] })
    const { id } = await lead(member, { company: 'Converted' })
    const before = await platform.fingerprint(owner.organizationId)
    const refused = await member.rest['leadConvert']!({ id, body: {} })
    expect(problemsOf(refused)).toEqual([422, 'VALIDATION_RULE_FAILED', '|Rule|Refused.'])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('checks fields that are hidden from the caller, and the refusal has no value of them', async () => {
    await anOrganization()
    const made = await account(member, { annualRevenue: 987654 })
    await aRule({
      entityType: 'ACCOUNT',
      conditions: [{ field: 'annualRevenue', operator: 'GREATER_THAN', value: 100000 }],
    })
    const ctx = systemContext(platform.services, owner.organizationId)
    const profile = await createProfile(ctx, { name: 'Hidden', fields: { account: { annualRevenue: 'HIDDEN' } } })
    await assignProfile(ctx, member.userId, profile.id)
    const refused = await member.rest['accountUpdate']!({ id: made.id, body: { name: 'B' } })
    expect(problemsOf(refused)).toEqual([422, 'VALIDATION_RULE_FAILED', '|Rule|Refused.'])
    expect(JSON.stringify(refused.body)).not.toContain('987654')
  })

  it('does not concern changes of the platform itself', async () => {
    await anOrganization()
    await aRule({ entityType: 'ACCOUNT', conditions: [negative] })
    const ctx = systemContext(platform.services, owner.organizationId)
    expect(await accounts.create(ctx, { name: 'A', annualRevenue: -1 })).toMatchObject({ annualRevenue: -1 })
  })
})

describe('a write that was decided without the latest rules', () => {
  it('is decided again, also inside a transaction', async () => {
    await anOrganization()
    const [old, oldInTransaction] = [contextOf(owner, owner.userId), contextOf(owner, owner.userId)]
    expect(old.extensions).toBeNull()
    await aRule({ entityType: 'ACCOUNT', conditions: [negative] })
    await expect(accounts.create(old, { name: 'A', annualRevenue: -1 })).rejects.toMatchObject({
      code: 'VALIDATION_RULE_FAILED',
    })
    const made = await inTransaction(oldInTransaction, async (ctx) => {
      await expect(accounts.create(ctx, { name: 'B', annualRevenue: -1 })).rejects.toMatchObject({
        code: 'VALIDATION_RULE_FAILED',
      })
      return accounts.create(ctx, { name: 'C', annualRevenue: 1 })
    })
    const rows = await platform.query('select name from crm.account where organization_id = $1', [owner.organizationId])
    expect(rows).toEqual([{ name: 'C' }])
    expect(await platform.eventTypesOf(made.id)).toEqual(['account.created'])
  })

  it('commits before the rule is published, or not at all', async () => {
    await anOrganization()
    let publishing!: Promise<unknown>
    await inTransaction(contextOf(owner, owner.userId), async (ctx) => {
      await accounts.create(ctx, { name: 'Before', annualRevenue: -1 })
      publishing = aRule({ entityType: 'ACCOUNT', conditions: [negative] })
      await expect.poll(() => platform.waitingForLocks()).toBe(1)
    })
    await publishing
    expect((await member.rest['accountCreate']!({ body: { name: 'After', annualRevenue: -1 } })).status).toBe(422)
    const rows = await platform.query('select name from crm.account where organization_id = $1', [owner.organizationId])
    expect(rows).toEqual([{ name: 'Before' }])
  })
})

describe('a validation rule with a formula', () => {
  it('compares the record as it would be with the value of the formula', async () => {
    await anOrganization()
    await aRule({
      entityType: 'ACCOUNT',
      name: 'Revenue of employees',
      conditions: [
        {
          field: 'annualRevenue',
          operator: 'GREATER_THAN',
          value: 'BLANKVALUE(numberOfEmployees, 1) * 1000',
          valueType: 'FORMULA',
        },
      ],
      errorField: 'annualRevenue',
    })
    const refused = await member.rest['accountCreate']!({ body: { name: 'A', annualRevenue: 1001 } })
    expect(problemsOf(refused as never)).toEqual([
      422,
      'VALIDATION_RULE_FAILED',
      'annualRevenue|Revenue of employees|Refused.',
    ])
    const body = { name: 'A', annualRevenue: 1001, numberOfEmployees: 2 }
    const made = await member.rest['accountCreate']!({ body })
    expect(made.status).toBe(201)
    const fewer = { id: made.body.id, body: { numberOfEmployees: 1 } }
    expect((await member.rest['accountUpdate']!(fewer)).status).toBe(422)
  })
})

describe('validationRuleCreate', () => {
  it.each<[string, object, string]>([
    ['no condition', { conditions: [] }, 'conditions EMPTY'],
    [
      'an unknown field',
      { conditions: [{ field: 'nothing', operator: 'IS_EMPTY' }] },
      'conditions.0.field UNKNOWN_FIELD',
    ],
    [
      'a formula of another type',
      { conditions: [{ field: 'name', operator: 'EQUALS', value: 'annualRevenue', valueType: 'FORMULA' }] },
      'conditions.0.value FORMULA_TYPE',
    ],
    ['an unknown error field', { errorField: 'nothing' }, 'errorField UNKNOWN_FIELD'],
  ])('refuses %s, and nothing is changed', async (_name, rule, problem) => {
    const before = await platform.fingerprint(owner.organizationId)
    const { status, body } = await create({
      entityType: 'ACCOUNT',
      name: 'Wrong',
      errorMessage: 'X',
      conditions: [negative],
      ...rule,
    })
    expect([status, body.errors.map(({ path, code }: Record<string, string>) => `${path} ${code}`)]).toEqual([
      400,
      [problem],
    ])
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })

  it('refuses the same name twice for a record type, the 101st rule of one, and everybody but administrators', async () => {
    await anOrganization()
    const body = {
      entityType: 'TASK',
      name: 'Same',
      errorMessage: 'X',
      conditions: [{ field: 'subject', operator: 'IS_EMPTY' }],
    }
    const ofCase = { ...body, entityType: 'CASE', conditions: [{ field: 'subject', operator: 'IS_EMPTY' }] }
    expect((await create(ofCase)).status).toBe(201)
    const { id } = await aRule(body)
    const twice = await create(body)
    expect([twice.status, twice.body.code, twice.body.errors[0].conflictingId]).toEqual([409, 'UNIQUE_VIOLATION', id])
    await platform.query(
      `insert into extensions.validation_rule select (r).* from (
         select jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'name', 'N' || n)) as r
         from extensions.validation_rule v, generate_series(1, 99) n where v.organization_id = $1 and v.entity_type = 'TASK') s`,
      [owner.organizationId],
    )
    const before = await platform.fingerprint(owner.organizationId)
    const last = await create({ ...body, name: 'One too many' })
    expect([last.status, last.body.errors[0].code]).toEqual([400, 'TOO_MANY'])
    const byMember = await create({ ...body, name: 'By a member' }, member)
    expect([byMember.status, byMember.body.code]).toEqual([403, 'PERMISSION_DENIED'])
    expect((await member.rest['validationRuleList']!({})).status).toBe(403)
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  })
})
