import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { graphqlClient } from '../rest-client.ts'
import { statementsOf } from '../statements.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member
let fieldId: string
beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  ;({ id: fieldId } = await field(owner, { name: 'tier' }))
})

const today = () => platform.now.toISOString().slice(0, 10)
const usageOf = (id: string, by = owner) => by.rest['customFieldUsage']!({ id } as never)
const filtered = (by: Member) => by.rest['accountList']!({ query: { 'customFields[tier]': 'GOLD' } } as never)
const noted = () => platform.services.extensions.fieldUsage.flush()

async function rule() {
  const body = {
    name: 'Gold only',
    entityType: 'ACCOUNT',
    conditions: [{ field: 'customFields.tier', operator: 'EQUALS', value: 'GOLD' }],
    errorMessage: 'No.',
  }
  const created = await owner.rest['validationRuleCreate']!({ body } as never)
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  return created.body as { id: string }
}

describe('the usage of a custom field', () => {
  it('names what uses it and who has named it, in REST and GraphQL, as the refusal of its deletion does', async () => {
    expect((await usageOf(fieldId)).body).toEqual({ usedBy: [], recentUsers: [] })
    const { id } = await rule()
    const signedIn = graphqlClient(platform.url, { Authorization: `Bearer ${await sessionOf(platform, owner)}` })
    const document = 'query Gold { accountList(filter: { customFields: { tier: { eq: "GOLD" } } }) { total } }'
    expect((await signedIn(document)).body).toEqual({ data: { accountList: { total: 0 } } })
    await filtered(member)
    const elsewhere = await anOrganization(platform)
    await field(elsewhere.owner, { name: 'tier' })
    await filtered(elsewhere.member)
    await noted()
    const use = { object: 'validation_rule', id, name: 'Gold only' }
    const usage = {
      usedBy: [use],
      recentUsers: [
        { object: 'api_key', id: member.keyId, name: 'test', lastUsedOn: today(), queries: ['accountList'] },
        { object: 'session', id: null, name: 'Signed-in users', lastUsedOn: today(), queries: ['Gold'] },
      ],
    }
    const { status, body } = await usageOf(fieldId)
    expect([status, body]).toEqual([200, usage])
    const parts = 'usedBy { object id name } recentUsers { object id name lastUsedOn queries }'
    const read = await owner.graphql(`{ customField(id: "${fieldId}") { label usage { ${parts} } } }`)
    expect(read.body).toEqual({ data: { customField: { label: 'Code', usage } } })
    expect((await owner.rest['customFieldDelete']!({ id: fieldId })).body.usedBy).toEqual([use])
  })

  it('is for owners and admins: others read the field without it', async () => {
    expect(problemsOf(await usageOf(fieldId, member))).toBe('403 PERMISSION_DENIED')
    const { body } = await member.graphql(`{ customField(id: "${fieldId}") { label usage { usedBy { id } } } }`)
    expect([body.data, body.errors[0].extensions.code]).toEqual([
      { customField: { label: 'Code', usage: null } },
      'PERMISSION_DENIED',
    ])
    const { organizationId } = owner
    const admin = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_CUSTOM_FIELDS'] })
    expect((await usageOf(fieldId, admin)).status).toBe(200)
    const narrow = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_ACCOUNTS'] })
    expect(problemsOf(await usageOf(fieldId, narrow))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    const elsewhere = await anOrganization(platform)
    expect(problemsOf(await usageOf(fieldId, elsewhere.owner))).toBe('404 NOT_FOUND')
    expect(problemsOf(await usageOf(newId()))).toBe('404 NOT_FOUND')
  })

  it('is read on demand only, and of at most ten fields in one request', async () => {
    for (let n = 0; n < 11; n++) await field(owner, { name: `more${n}` })
    const list = (selection: string) => owner.graphql(`{ customFieldList(limit: 20) { data { name ${selection} } } }`)
    const unasked = await statementsOf(
      platform,
      async () => {
        await list('')
        await owner.rest['customField']!({ id: fieldId })
      },
      /field_usage|validation_rule/,
    )
    expect(unasked).toEqual([])
    const { body } = await list('usage { usedBy { id } }')
    const found = body.data.customFieldList.data as { usage: object | null }[]
    expect(found.map(({ usage }) => usage !== null)).toEqual([...Array<boolean>(10).fill(true), false, false])
    const [error, ...others] = body.errors as { extensions: { code: string; errors: object[] } }[]
    expect([error!.extensions.code, error!.extensions.errors, others.length]).toMatchObject([
      'VALIDATION_FAILED',
      [{ path: 'usage', code: 'NOT_ALLOWED' }],
      1,
    ])
  })
})
