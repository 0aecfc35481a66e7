import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type Answer } from '../rest-client.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member
/** Headers with a session of the owner. */
let session: Record<string, string>

const signedIn = async (by: Member) => ({ Authorization: `Bearer ${await sessionOf(platform, by)}` })

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  session = await signedIn(owner)
})

const regions = (...components: readonly object[]) => ({ regions: [{ name: 'main', components }] })
const fields = (...names: readonly string[]) => ({
  type: 'FIELDS',
  label: 'Details',
  items: names.map((name) => ({ field: name })),
})

const call = (operation: string, body: object, headers = session) =>
  restClient(platform.contract, platform.url, headers)[operation]!({
    body: { objectType: 'ACCOUNT', ...body },
  } as never)
const validated = (body: object) => call('pageBuilderValidate', body)
const previewed = (body: object, headers?: Record<string, string>) => call('pageBuilderPreview', body, headers)

const written = () =>
  platform.query(
    `select (select count(*) from kernel.event where organization_id = $1) as events,
       (select count(*) from extensions.page where organization_id = $1) as pages,
       (select version from kernel.definition_version where organization_id = $1) as version`,
    [owner.organizationId],
  )

const profile = (name: string, hidden: object) =>
  createProfile(systemContext(platform.services, owner.organizationId), { name, fields: hidden })

async function account(values: object): Promise<string> {
  const { status, body } = await owner.rest['accountCreate']!({ body: { name: 'Halvorsen', ...values } } as never)
  expect(status, JSON.stringify(body)).toBe(201)
  return body['id'] as string
}

interface ShownComponent {
  readonly type: string
  readonly text?: string
  readonly sections?: readonly { readonly items: readonly { readonly field: string }[] }[]
}

/** The types of the components of the first region, each with its text or fields. */
const shown = (body: Answer['body']): [type: string, what: string | string[]][] =>
  (body.definition.regions[0].components as readonly ShownComponent[]).map(({ type, text, sections = [] }) => [
    type,
    text ?? sections.flatMap(({ items }) => items.map(({ field: name }) => name)),
  ])

describe('pageBuilderValidate', () => {
  it('tells what would refuse a page, and stores nothing', async () => {
    const before = await written()
    const valid = await validated({ definition: regions(fields('name')) })
    expect([valid.status, valid.body]).toEqual([200, { isValid: true, problems: [] }])
    const list = { type: 'RELATED_LIST', label: 'A', objectType: 'custom:ship', field: 'x', columns: ['y'] }
    const { status, body } = await validated({ definition: regions(fields('name', 'colour', 'constructor'), list) })
    const at = 'definition.regions.0.components'
    expect([status, body]).toEqual([
      200,
      {
        isValid: false,
        problems: [
          {
            path: `${at}.0.items.1.field`,
            code: 'UNKNOWN_FIELD',
            message: `${at}.0.items.1.field must be a field of the account.`,
          },
          {
            path: `${at}.0.items.2.field`,
            code: 'UNKNOWN_FIELD',
            message: `${at}.0.items.2.field must be a field of the account.`,
          },
          {
            path: `${at}.1.objectType`,
            code: 'UNKNOWN_REFERENCE',
            message: `${at}.1.objectType must be custom: and the name of a custom object of the organization.`,
          },
        ],
      },
    ])
    for (const [objectType, code] of [
      ['TASK', 'NOT_ALLOWED'],
      ['__proto__', 'NOT_ALLOWED'],
      ['custom:ship', 'UNKNOWN_REFERENCE'],
    ])
      expect(problemsOf(await validated({ objectType, definition: regions() }))).toBe(
        `400 VALIDATION_FAILED objectType ${code}`,
      )
    for (const definition of [[], {}, 'x', 7, { regions: [], more: 1 }])
      expect([definition, (await validated({ definition })).body.isValid]).toEqual([definition, false])
    expect(await written()).toEqual(before)
  })
})

describe('pageBuilderPreview', () => {
  const when = (name: string, operator: string, value?: unknown) => ({
    visibleWhen: { conditions: [{ field: name, operator, ...(value !== undefined && { value }) }] },
  })

  it('has the values of the record, and the components whose conditions it meets', async () => {
    await field(owner, { name: 'kind', fieldType: 'PICKLIST', picklistValues: valuesNamed('YARD', 'OWNER') })
    await field(owner, {
      name: 'double',
      fieldType: 'FORMULA',
      formulaConfig: { expression: 'annualRevenue * 2', returnType: 'NUMBER' },
    })
    const recordId = await account({ industry: 'Shipping', annualRevenue: 8, customFields: { kind: 'YARD' } })
    const definition = regions(
      fields('name', 'customFields.kind', 'customFields.double'),
      { type: 'TEXT', text: 'ships', ...when('industry', 'EQUALS', 'Shipping') },
      { type: 'TEXT', text: 'trains', ...when('industry', 'EQUALS', 'Rail') },
      { type: 'TEXT', text: 'large', ...when('customFields.double', 'GREATER_THAN', 15) },
    )
    const before = await written()
    const { status, body } = await previewed({ definition, recordId, recordTypeField: 'customFields.kind' })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ objectType: 'ACCOUNT', profile: null, recordType: 'YARD', warnings: [] })
    expect(body.values).toEqual({ name: 'Halvorsen', 'customFields.kind': 'YARD', 'customFields.double': 16 })
    expect(shown(body)).toEqual([
      ['FIELDS', ['name', 'customFields.kind', 'customFields.double']],
      ['TEXT', 'ships'],
      ['TEXT', 'large'],
    ])
    expect(body.definition.regions[0].components[1].visibleWhen).toBeNull()
    expect(await written()).toEqual(before)

    const without = (await previewed({ definition })).body
    expect([without.values, without.recordType, without.definition.regions[0].components.length]).toEqual([
      null,
      null,
      4,
    ])
    expect(without.definition.regions[0].components[1]).toMatchObject(when('industry', 'EQUALS', 'Shipping'))
  })

  it('has what both the profile and the caller may see', async () => {
    await profile('Sales', { account: { industry: 'HIDDEN' } })
    const { id } = await profile('Restricted admins', { account: { website: 'HIDDEN' } })
    const admin = await platform.member({ organizationId: owner.organizationId, role: 'ADMIN' })
    await assignProfile(systemContext(platform.services, owner.organizationId), admin.userId, id)
    const recordId = await account({ industry: 'Shipping', website: 'https://halvorsen.example', phone: '1' })
    const definition = regions(
      fields('name', 'industry', 'website'),
      { type: 'LAYOUT' },
      { type: 'TEXT', text: 'by industry', ...when('industry', 'IS_NOT_EMPTY') },
      { type: 'TEXT', text: 'by website', ...when('website', 'IS_NOT_EMPTY') },
    )
    const own = (await previewed({ definition, recordId })).body
    expect(shown(own).map(([, what]) => what)).toEqual([
      ['name', 'industry', 'website'],
      expect.arrayContaining(['name', 'industry', 'website', 'phone']),
      'by industry',
      'by website',
    ])
    const sales = (await previewed({ definition, recordId, profile: 'sales' })).body
    expect([sales.profile, sales.values.website, 'industry' in sales.values]).toEqual([
      'sales',
      'https://halvorsen.example',
      false,
    ])
    expect(shown(sales).map(([, what]) => what)).toEqual([
      ['name', 'website'],
      expect.not.arrayContaining(['industry']),
      'by website',
    ])
    const both = (await previewed({ definition, recordId, profile: 'Sales' }, await signedIn(admin))).body
    expect(['industry', 'website'].filter((name) => name in both.values)).toEqual([])
    expect(both.values.name).toBe('Halvorsen')
    expect(shown(both).map(([type]) => type)).toEqual(['FIELDS', 'LAYOUT'])
    expect(JSON.stringify(both)).not.toMatch(/Shipping|halvorsen\.example/)
    // The profile of the caller, where none is named.
    const restricted = (await previewed({ definition, recordId }, await signedIn(admin))).body
    expect([restricted.profile, 'website' in restricted.values, restricted.values.industry]).toEqual([
      'Restricted admins',
      false,
      'Shipping',
    ])
  })

  it('has the layout and the lists of the profile', async () => {
    await profile('Sales', { contact: { phone: 'HIDDEN' } })
    const config = { sections: [{ label: 'Sales', items: [{ field: 'name' }, { slot: 'app/maps:place' }] }] }
    const layout = { objectType: 'ACCOUNT', profile: 'Sales', name: 'Sales', config }
    expect((await owner.rest['layoutCreate']!({ body: layout } as never)).status).toBe(201)
    const list = {
      type: 'RELATED_LIST',
      label: 'A',
      objectType: 'CONTACT',
      field: 'accountId',
      columns: ['name', 'phone'],
    }
    const { body } = await previewed({ profile: 'Sales', definition: regions({ type: 'LAYOUT' }, list) })
    expect(shown(body)[0]).toEqual(['LAYOUT', ['name']])
    expect(body.definition.regions[0].components[1].columns).toEqual(['name'])
    expect(body.warnings).toEqual([{ code: 'APP_NOT_INSTALLED', slot: 'app/maps:place' }])
  })

  it('refuses problems of the definition, unknown profiles and records that the caller does not see', async () => {
    const definition = regions(fields('name'))
    const at = '400 VALIDATION_FAILED'
    expect(problemsOf(await previewed({ definition: regions(fields('colour')) }))).toBe(
      `${at} definition.regions.0.components.0.items.0.field UNKNOWN_FIELD`,
    )
    expect(problemsOf(await previewed({ definition, objectType: 'TASK' }))).toBe(`${at} objectType NOT_ALLOWED`)
    expect(problemsOf(await previewed({ definition, recordTypeField: 'name' }))).toBe(
      `${at} recordTypeField NOT_ALLOWED`,
    )
    expect(problemsOf(await previewed({ definition, profile: 'Nobody' }))).toBe(`${at} profile UNKNOWN_REFERENCE`)
    const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const recordId = await account({})
    expect((await previewed({ definition, recordId })).status).toBe(200)
    const foreign = await previewed({ definition, recordId }, await signedIn(stranger))
    expect([foreign.status, foreign.body.code]).toEqual([404, 'NOT_FOUND'])
    await profile('Mine', {})
    expect(problemsOf(await previewed({ definition, profile: 'Mine' }, await signedIn(stranger)))).toBe(
      `${at} profile UNKNOWN_REFERENCE`,
    )
    const contact = await owner.rest['contactCreate']!({ body: { lastName: 'Berg' } } as never)
    expect((await previewed({ definition, recordId: contact.body['id'] })).status).toBe(404)
  })
})

describe('the page builder', () => {
  const body = { objectType: 'ACCOUNT', definition: regions(fields('name')) }

  it.each(['pageBuilderValidate', 'pageBuilderPreview'])(
    '%s needs a session of an owner or admin',
    async (operation) => {
      const withKey = await owner.rest[operation]!({ body } as never)
      expect([withKey.status, withKey.body.code]).toEqual([403, 'API_KEY_SCOPE_BLOCKED'])
      const graph = await owner.graphql(
        `query ($definition: JSON!) { ${operation}(objectType: "ACCOUNT", definition: $definition) { __typename } }`,
        { definition: body.definition },
      )
      expect(graph.body.errors![0].extensions.code).toBe('API_KEY_SCOPE_BLOCKED')
      const ofMember = await call(operation, body, await signedIn(member))
      expect([ofMember.status, ofMember.body.code]).toEqual([403, 'PERMISSION_DENIED'])
    },
  )
})
