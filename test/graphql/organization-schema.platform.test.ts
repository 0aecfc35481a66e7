import { buildSchema, isEnumType, isObjectType, type GraphQLSchema } from 'graphql'
import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { anOrganization, field, valuesNamed } from '../extensions/custom-fields.fixture.ts'
import { object } from '../extensions/custom-objects.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { answerOf } from '../rest-client.ts'

const platform = usePlatform()
const open = usePlatform({ INTROSPECTION: 'open' })
let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const get = (headers: Record<string, string> = {}, url = platform.url) => fetch(`${url}/v1/graphql/schema`, { headers })
const schemaOf = async (by: Member): Promise<GraphQLSchema> => {
  const response = await get(by.headers)
  expect(response.status).toBe(200)
  return buildSchema(await response.text())
}
const own = (schema: GraphQLSchema): string[] =>
  Object.keys(schema.getTypeMap()).filter((name) => isObjectType(schema.getType(name)) && !name.startsWith('__'))
const fieldsOf = (schema: GraphQLSchema, name: string): Record<string, string> => {
  const type = schema.getType(name)
  if (!isObjectType(type)) throw new Error(`There is no type ${name}.`)
  return Object.fromEntries(Object.values(type.getFields()).map((one) => [one.name, String(one.type)]))
}

describe('GET /v1/graphql/schema', () => {
  it('has the custom objects, and the custom fields of built-in types, with their types', async () => {
    await object(owner)
    for (const values of [
      { name: 'tier', fieldType: 'PICKLIST', picklistValues: valuesNamed('GOLD', 'SILVER') },
      { name: 'answer', fieldType: 'PICKLIST', picklistValues: valuesNamed('24h', '8h') },
      { name: 'colors', fieldType: 'MULTI_PICKLIST', picklistValues: valuesNamed('RED', 'BLUE') },
      { name: 'budget', fieldType: 'CURRENCY' },
      { name: 'since', fieldType: 'DATE' },
      { name: 'seenAt', fieldType: 'DATETIME' },
      { name: 'isKey', fieldType: 'CHECKBOX' },
      { name: 'note', description: 'Says """why""".' },
    ])
      await field(owner, values)
    const schema = await schemaOf(member)
    expect(own(schema).toSorted()).toEqual(['Account', 'AccountCustomFields', 'SiteVisit', 'SiteVisitCustomFields'])
    expect(fieldsOf(schema, 'AccountCustomFields')).toEqual({
      tier: 'AccountCustomFields_tier',
      answer: 'String',
      colors: '[AccountCustomFields_colors!]',
      budget: 'Decimal',
      since: 'String',
      seenAt: 'DateTime',
      isKey: 'Boolean',
      note: 'String',
    })
    expect(fieldsOf(schema, 'Account')).toMatchObject({
      id: 'ID!',
      name: 'String!',
      customFields: 'AccountCustomFields!',
    })
    expect(fieldsOf(schema, 'SiteVisit')).toMatchObject({
      id: 'ID!',
      object: 'String!',
      name: 'String',
      version: 'Int!',
      customFields: 'SiteVisitCustomFields!',
    })
    expect(fieldsOf(schema, 'SiteVisitCustomFields')).toEqual({
      subject: 'String',
      hours: 'Decimal',
      outcome: 'SiteVisitCustomFields_outcome',
    })
    const tier = schema.getType('AccountCustomFields_tier')
    expect(isEnumType(tier) && tier.getValues().map(({ name }) => name)).toEqual(['GOLD', 'SILVER'])
    const values = schema.getType('AccountCustomFields')
    expect(isObjectType(values) && values.getFields()['note']!.description).toBe('Code\n\nSays """why""".')
  })

  it.each([
    ['site_visit', 'SiteVisit'],
    ['x1_y', 'X1Y'],
    ['query', 'CustomObject_query'],
    ['task', 'CustomObject_task'],
    ['date_time', 'CustomObject_date_time'],
    ['custom_object', 'CustomObject_custom_object'],
    ['account_custom_fields', 'CustomObject_account_custom_fields'],
    ['site__visit', 'CustomObject_site__visit'],
    ['visit_', 'CustomObject_visit_'],
    ['x_1', 'CustomObject_x_1'],
  ])('names the type of the object %s %s, which no other object or type has', async (name, type) => {
    await object(owner, { name })
    await field(owner)
    await object(owner, { name: 'sitevisit' })
    const schema = await schemaOf(member)
    const types = [type, `${type}CustomFields`, 'Account', 'AccountCustomFields', 'Sitevisit', 'SitevisitCustomFields']
    expect(own(schema).toSorted()).toEqual(types.toSorted())
    expect(fieldsOf(schema, type)).toMatchObject({ id: 'ID!', customFields: `${type}CustomFields!` })
    expect(schema.getType(type)!.description).toContain(`custom object ${name}.`)
  })

  it('shows nothing of other organizations, and nothing without definitions', async () => {
    await object(owner)
    await field(owner)
    const other = await anOrganization(platform)
    const response = await get(other.member.headers)
    const text = await response.text()
    expect(own(buildSchema(text))).toEqual([])
    expect(response.headers.get('etag')).toMatch(/^(?:W\/)?"0\./)
  })

  it('has only what the caller may read: by profile, and by scope', async () => {
    await object(owner)
    await field(owner)
    await field(owner, { name: 'secret' })
    const { organizationId } = owner
    await platform.services.shapes.load(organizationId)
    const restricted = await platform.member({ organizationId })
    const ctx = systemContext(platform.services, organizationId)
    const fields = {
      account: { 'customFields.secret': 'HIDDEN', annualRevenue: 'HIDDEN' },
      'custom:site_visit': { customFields: 'HIDDEN' },
    } as const
    const profile = await createProfile(ctx, { name: 'Less', fields })
    await assignProfile(ctx, restricted.userId, profile.id)
    const schema = await schemaOf(restricted)
    expect(fieldsOf(schema, 'AccountCustomFields')).toEqual({ code: 'String' })
    expect(fieldsOf(schema, 'Account')).not.toHaveProperty('annualRevenue')
    expect(fieldsOf(schema, 'SiteVisit')).not.toHaveProperty('customFields')
    expect(await (await get(restricted.headers)).text()).not.toMatch(/secret|hours/)

    const ofObjects = await platform.member({ organizationId, scopes: ['READ_CUSTOM_OBJECTS'] })
    expect(own(await schemaOf(ofObjects)).toSorted()).toEqual(['SiteVisit', 'SiteVisitCustomFields'])
    const ofAccounts = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    expect(own(await schemaOf(ofAccounts)).toSorted()).toEqual(['Account', 'AccountCustomFields'])
  })

  it('answers 304 until a definition changes, and to nobody whose rights differ', async () => {
    await object(owner)
    const first = await get(member.headers)
    const etag = first.headers.get('etag')!
    expect(etag).toMatch(/^(?:W\/)?"[1-9]\d*\./)
    const known = (by: Member) => get({ ...by.headers, 'if-none-match': etag })
    const again = await known(member)
    expect([again.status, await again.text()]).toEqual([304, ''])
    const remaining = ({ headers }: Response) => Number(headers.get('ratelimit-remaining'))
    expect(remaining(again)).toBe(remaining(first) - 1)
    const { organizationId } = owner
    const other = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    expect((await known(other)).status).toBe(200)
    await field(owner)
    const changed = await known(member)
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
    expect(own(buildSchema(await changed.text()))).toContain('AccountCustomFields')
  })

  it('is refused with 401 without a credential, unless introspection is open, and with 405 for other methods', async () => {
    const refused = await answerOf(await get())
    expect([refused.status, refused.body.code]).toEqual([401, 'UNAUTHENTICATED'])
    expect((await get({ 'x-api-key': 'wrong' })).status).toBe(401)
    const anonymous = await get({}, open.url)
    expect([anonymous.status, own(buildSchema(await anonymous.text()))]).toEqual([200, []])
    const posted = await fetch(`${platform.url}/v1/graphql/schema`, {
      method: 'POST',
      headers: { ...member.headers, 'content-type': 'application/json' },
      body: '{"query":"{ me { id } }"}',
    })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
  })
})
