import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'
import { object } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const fields = (...names: readonly string[]) => ({
  type: 'FIELDS',
  label: 'Details',
  items: names.map((name) => ({ field: name })),
})
const regions = (...components: readonly object[]) => ({ regions: [{ name: 'main', components }] })
const many = (count: number, component: object) => Array.from({ length: count }, () => component)
const everyone = { profile: null, recordType: null }

const aPage = (values: object = {}) => ({
  apiName: 'account_overview',
  label: 'Account overview',
  objectType: 'ACCOUNT',
  assignments: [everyone],
  definition: regions(fields('name', 'industry')),
  ...values,
})

const create = (values: object = {}, by: Member = owner) => by.rest['pageCreate']!({ body: aPage(values) } as never)

async function created(values: object = {}): Promise<{ readonly id: string; readonly version: number }> {
  const { status, body } = await create(values)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string; version: number }
}

const resolved = async (query: object = {}, by: Member = member) => {
  const { status, body } = await by.rest['pageResolved']!({ query: { objectType: 'ACCOUNT', ...query } } as never)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const pages = () =>
  platform.query(
    'select api_name, version from extensions.page where organization_id = $1 and deleted_at is null order by api_name',
    [owner.organizationId],
  )
const eventsOf = async (id: string): Promise<string[]> =>
  (await platform.query<{ type: string }>('select type from kernel.event where record_id = $1 order by id', [id])).map(
    ({ type }) => type,
  )

async function profileOf({ userId, organizationId }: Member, name: string, hidden: object = {}): Promise<void> {
  const ctx = systemContext(platform.services, organizationId)
  const { id } = await createProfile(ctx, { name, fields: hidden })
  await assignProfile(ctx, userId, id)
}

describe('the page of the caller', () => {
  it('is that for profile and record type, else for the profile, else for the record type, else for everyone, else the layout', async () => {
    await field(owner, { name: 'kind', fieldType: 'PICKLIST', picklistValues: valuesNamed('YARD', 'OWNER') })
    const none = await resolved()
    expect(none).toMatchObject({ pageId: null, apiName: null, label: null, recordTypeFields: [], warnings: [] })
    expect(none.definition.regions).toMatchObject([{ name: 'main', width: 12, components: [{ type: 'LAYOUT' }] }])
    expect(none.definition.regions[0].components[0].sections[0].items).toContainEqual({
      field: 'name',
      isReadOnly: false,
      isRequired: true,
    })

    await profileOf(member, 'Sales')
    const recordTypeField = 'customFields.kind'
    const sales = { profile: 'SALES' }
    await created({ apiName: 'p_everyone' })
    await created({ apiName: 'p_yards', recordTypeField, assignments: [{ profile: null, recordType: 'YARD' }] })
    await created({ apiName: 'p_sales', assignments: [{ ...sales, recordType: null }] })
    const { id } = await created({
      apiName: 'p_sales_yards',
      recordTypeField,
      assignments: [{ ...sales, recordType: 'YARD', position: 1 }],
    })
    const named = async (query: object, by: Member) => (await resolved(query, by)).apiName as string
    await expect.poll(() => named({}, member)).toBe('p_sales')
    expect(await named({ recordType: 'YARD' }, member)).toBe('p_sales_yards')
    expect(await named({ recordType: 'OWNER' }, member)).toBe('p_sales')
    expect(await named({ recordType: 'YARD' }, owner)).toBe('p_yards')
    expect(await named({ recordType: 'OWNER' }, owner)).toBe('p_everyone')
    expect(await named({ recordType: 'nothing' }, owner)).toBe('p_everyone')
    expect(await named({ objectType: 'CONTACT' }, owner)).toBeNull()
    expect((await resolved()).recordTypeFields).toEqual(['customFields.kind'])

    // Of several pages for the same users and records, the position decides, then the name.
    await created({ apiName: 'p_first', recordTypeField, assignments: [{ ...sales, recordType: 'YARD', position: 0 }] })
    expect(await named({ recordType: 'YARD' }, member)).toBe('p_first')
    const change = { assignments: [{ ...sales, recordType: 'YARD', position: 0 }] }
    expect((await owner.rest['pageUpdate']!({ id, body: change } as never)).status).toBe(200)
    expect(await named({ recordType: 'YARD' }, member)).toBe('p_first')
    expect((await owner.rest['pageDelete']!({ id } as never)).status).toBe(204)

    const { body } = await member.graphql(
      '{ pageResolved(objectType: "ACCOUNT", recordType: "YARD") { objectType recordType pageId apiName label recordTypeFields definition warnings { code slot } } }',
    )
    expect(body.data.pageResolved).toEqual(await resolved({ recordType: 'YARD' }))
    expect(body.data.pageResolved.definition).toEqual({
      regions: [
        {
          name: 'main',
          width: 12,
          components: [
            {
              type: 'FIELDS',
              sections: [
                {
                  label: 'Details',
                  columns: 2,
                  isCollapsed: false,
                  items: [
                    { field: 'name', isReadOnly: false, isRequired: true },
                    { field: 'industry', isReadOnly: false, isRequired: false },
                  ],
                },
              ],
              visibleWhen: null,
            },
          ],
        },
      ],
    })
  })

  it('has every component, without places of apps that are not installed, which are told', async () => {
    await object(owner, {
      fields: [
        { name: 'subject', label: 'Subject', fieldType: 'TEXT' },
        { name: 'yard', label: 'Yard', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' },
      ],
    })
    const visibleWhen = { conditions: [{ field: 'industry', operator: 'EQUALS', value: 'Shipping' }] }
    const visits = { label: 'Visits', objectType: 'custom:site_visit', field: 'customFields.yard' }
    await created({
      definition: {
        regions: [
          {
            name: 'main',
            width: 8,
            components: [
              { type: 'LAYOUT', visibleWhen },
              { type: 'RELATED_LIST', ...visits, columns: ['customFields.subject'], limit: 5 },
              { type: 'RELATED_LIST', label: 'People', objectType: 'CONTACT', field: 'accountId', columns: ['name'] },
              { type: 'RELATED_LIST', label: 'Tasks', objectType: 'TASK', field: 'relatedToId', columns: ['subject'] },
            ],
          },
          {
            name: 'side',
            width: 4,
            components: [
              { type: 'TEXT', text: '**Call** before a visit, 1 < 2.' },
              { type: 'TIMELINE', label: 'History' },
              { type: 'APP_SLOT', slot: 'app/maps:place' },
            ],
          },
        ],
      },
    })
    const { definition, warnings } = await resolved()
    const [main, side] = definition.regions
    expect(main.components.map(({ type }: { type: string }) => type)).toEqual([
      'LAYOUT',
      'RELATED_LIST',
      'RELATED_LIST',
      'RELATED_LIST',
    ])
    expect(main.components[0].visibleWhen).toEqual(visibleWhen)
    expect(main.components.slice(1)).toEqual([
      { type: 'RELATED_LIST', ...visits, kind: null, columns: ['customFields.subject'], limit: 5, visibleWhen: null },
      expect.objectContaining({ objectType: 'CONTACT', field: 'accountId', kind: null, columns: ['name'], limit: 10 }),
      expect.objectContaining({ field: 'relatedToId', kind: { field: 'relatedToType', value: 'ACCOUNT' } }),
    ])
    expect(side).toEqual({
      name: 'side',
      width: 4,
      components: [
        { type: 'TEXT', text: '**Call** before a visit, 1 < 2.', visibleWhen: null },
        { type: 'TIMELINE', label: 'History', limit: 10, visibleWhen: null },
      ],
    })
    expect(warnings).toEqual([{ code: 'APP_NOT_INSTALLED', slot: 'app/maps:place' }])
  })

  it('leaves out what the profile hides: fields, columns, components without anything left, and those with a condition on it', async () => {
    await field(owner, { name: 'kind', fieldType: 'PICKLIST', picklistValues: valuesNamed('YARD') })
    const contacts = { type: 'RELATED_LIST', label: 'People', objectType: 'CONTACT' }
    const hiddenCondition = { conditions: [{ field: 'industry', operator: 'IS_EMPTY' }] }
    const compared = { field: 'website', operator: 'EQUALS', value: 'industry', valueType: 'FIELD' }
    await created({
      recordTypeField: 'customFields.kind',
      definition: regions(
        fields('name', 'industry'),
        fields('industry'),
        { ...contacts, field: 'accountId', columns: ['name', 'phone'] },
        { ...contacts, field: 'accountId', columns: ['phone'] },
        { type: 'TEXT', text: 'hidden', visibleWhen: hiddenCondition },
        { type: 'TEXT', text: 'hidden', visibleWhen: { conditions: [{ logic: 'OR', conditions: [compared] }] } },
      ),
    })
    const lists = { account: { industry: 'HIDDEN', 'customFields.kind': 'HIDDEN' }, contact: { phone: 'HIDDEN' } }
    await profileOf(member, 'Restricted', lists)
    await expect.poll(async () => (await resolved()).recordTypeFields).toEqual([])
    const [{ components }] = (await resolved()).definition.regions
    expect(components).toEqual([
      expect.objectContaining({ type: 'FIELDS' }),
      expect.objectContaining({ type: 'RELATED_LIST', columns: ['name'] }),
    ])
    expect(components[0].sections[0].items).toEqual([{ field: 'name', isReadOnly: false, isRequired: true }])
    expect((await resolved({}, owner)).definition.regions[0].components).toHaveLength(6)
  })

  it('leaves out a list whose relation the profile hides', async () => {
    const list = { type: 'RELATED_LIST', label: 'People', objectType: 'CONTACT', field: 'accountId', columns: ['name'] }
    await created({ definition: regions(list, fields('name')) })
    await profileOf(member, 'Restricted', { contact: { accountId: 'HIDDEN' } })
    await expect
      .poll(async () => (await resolved()).definition.regions[0].components)
      .toEqual([expect.objectContaining({ type: 'FIELDS' })])
  })
})

describe('what a page names', () => {
  it('is kept as long as a page names it: objects, and fields in lists, conditions and record types', async () => {
    const siteVisit = await object(owner, {
      fields: [
        { name: 'subject', label: 'Subject', fieldType: 'TEXT' },
        { name: 'yard', label: 'Yard', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' },
      ],
    })
    const kind = await field(owner, { name: 'kind', fieldType: 'PICKLIST', picklistValues: valuesNamed('YARD') })
    const code = await field(owner)
    const free = await field(owner, { name: 'code2' })
    const condition = { field: 'customFields.code', operator: 'EQUALS', value: 'x' }
    const { id } = await created({
      recordTypeField: 'customFields.kind',
      definition: regions(
        { type: 'TEXT', text: 'x', visibleWhen: { conditions: [condition] } },
        {
          type: 'RELATED_LIST',
          label: 'Visits',
          objectType: 'custom:site_visit',
          field: 'customFields.yard',
          columns: ['customFields.subject'],
        },
      ),
    })
    await settleFieldChanges(platform)
    const usedBy = [{ object: 'page', id, name: 'Account overview' }]
    const ofObject = (
      await owner.rest['customFieldList']!({ query: { entity: 'custom:site_visit' } } as never)
    ).body.data.map(({ id: fieldId }: { id: string }) => fieldId)
    expect(ofObject).toHaveLength(2)
    for (const fieldId of [kind.id, code.id, ...ofObject]) {
      const { status, body } = await owner.rest['customFieldDelete']!({ id: fieldId } as never)
      expect([status, body.code, body.usedBy]).toEqual([409, 'HAS_DEPENDENTS', expect.arrayContaining(usedBy)])
    }
    expect((await owner.rest['customFieldDelete']!({ id: free.id } as never)).status).toBe(204)
    const refused = await owner.rest['customObjectDelete']!({ id: siteVisit.id } as never)
    expect([refused.status, refused.body.code, refused.body.usedBy]).toEqual([409, 'HAS_DEPENDENTS', usedBy])

    const change = { recordTypeField: null, definition: regions(fields('name')) }
    expect((await owner.rest['pageUpdate']!({ id, body: change } as never)).status).toBe(200)
    for (const fieldId of [kind.id, code.id])
      expect((await owner.rest['customFieldDelete']!({ id: fieldId } as never)).status).toBe(204)
    expect((await owner.rest['customObjectDelete']!({ id: siteVisit.id } as never)).status).toBe(204)
  })
})

/** A group of conditions in so many others. */
const nested = (depth: number): object =>
  depth === 0 ? { field: 'name', operator: 'IS_NOT_EMPTY' } : { logic: 'AND', conditions: [nested(depth - 1)] }

describe('a page', () => {
  const list = (values: object) => ({
    type: 'RELATED_LIST',
    label: 'A',
    objectType: 'CONTACT',
    field: 'accountId',
    columns: ['name'],
    ...values,
  })
  const at = 'definition.regions.0.components.0'
  const of = (component: object) => ({ definition: regions(component) })
  const when = (...conditions: readonly object[]) => of({ type: 'LAYOUT', visibleWhen: { conditions } })

  const visible = (count: number, operator = 'EQUALS') => ({
    type: 'LAYOUT',
    visibleWhen: { conditions: many(count, { field: 'name', operator, value: 'a' }) },
  })

  it.each<[string, object, string]>([
    ['a name in another form', { apiName: 'Overview' }, 'apiName WRONG_FORMAT'],
    ['a name of one letter', { apiName: 'a' }, 'apiName WRONG_FORMAT'],
    ['a type without pages', { objectType: 'TASK' }, 'objectType NOT_ALLOWED'],
    ['an inherited name as type', { objectType: 'constructor' }, 'objectType NOT_ALLOWED'],
    ['an object that does not exist', { objectType: 'custom:ship' }, 'objectType UNKNOWN_REFERENCE'],
    [
      'a profile that does not exist',
      { assignments: [{ profile: 'Nobody' }] },
      'assignments.0.profile UNKNOWN_REFERENCE',
    ],
    ['an assignment twice', { assignments: [everyone, everyone] }, 'assignments.1 NOT_UNIQUE'],
    ['a record type without its field', { assignments: [{ recordType: 'A' }] }, 'recordTypeField REQUIRED'],
    [
      'a record type that is no value of the field',
      { recordTypeField: 'type', assignments: [{ recordType: 'constructor' }] },
      'assignments.0.recordType NOT_ALLOWED',
    ],
    ['a field of record types without given values', { recordTypeField: 'name' }, 'recordTypeField NOT_ALLOWED'],
    ['an unknown field of record types', { recordTypeField: '__proto__' }, 'recordTypeField UNKNOWN_FIELD'],
    ['no regions', { definition: {} }, 'definition.regions REQUIRED'],
    ['a list in place of a definition', { definition: [] }, 'definition WRONG_TYPE'],
    ['unknown properties', { definition: { ...regions(), tabs: [] } }, 'definition.tabs UNKNOWN_FIELD'],
    [
      'a region twice',
      { definition: { regions: [1, 2].map(() => ({ name: 'main', components: [] })) } },
      'definition.regions.1.name NOT_UNIQUE',
    ],
    [
      'too wide a region',
      { definition: { regions: [{ name: 'main', width: 13, components: [] }] } },
      'definition.regions.0.width WRONG_VALUE',
    ],
    [
      'seven regions',
      { definition: { regions: [1, 2, 3, 4, 5, 6, 7].map((n) => ({ name: `r${n}`, components: [] })) } },
      'definition.regions WRONG_VALUE',
    ],
    [
      '51 components in a region',
      { definition: regions(...many(51, { type: 'LAYOUT' })) },
      'definition.regions.0.components WRONG_VALUE',
    ],
    [
      '101 components',
      {
        definition: {
          regions: [50, 50, 1].map((count, n) => ({
            name: `r${n}`,
            components: many(count, { type: 'LAYOUT' }),
          })),
        },
      },
      'definition.regions TOO_MANY',
    ],
    [
      'too many bytes',
      { definition: regions(...many(14, { type: 'TEXT', text: 'å'.repeat(2_500) })) },
      'definition TOO_LONG',
    ],
    ['a component without a type', of({}), `${at}.type REQUIRED`],
    ['a component of an unknown type', of({ type: 'constructor' }), `${at}.type NOT_ALLOWED`],
    ['a setting of another type', of({ type: 'LAYOUT', text: 'x' }), `${at}.text UNKNOWN_FIELD`],
    ['an unknown field', of(fields('name', 'colour')), `${at}.items.1.field UNKNOWN_FIELD`],
    ['an inherited name as field', of(fields('constructor')), `${at}.items.0.field UNKNOWN_FIELD`],
    ['an internal field', of(fields('searchText')), `${at}.items.0.field UNKNOWN_FIELD`],
    ['a field twice', of(fields('name', 'name')), `${at}.items.1.field NOT_UNIQUE`],
    ['a custom field that is not defined', of(fields('customFields.colour')), `${at}.items.0.field UNKNOWN_FIELD`],
    ['an app slot of no app', of({ type: 'APP_SLOT', slot: 'maps' }), `${at}.slot WRONG_VALUE`],
    ['HTML', of({ type: 'TEXT', text: 'a <script>' }), `${at}.text WRONG_FORMAT`],
    ['a list of an unknown type', of(list({ objectType: 'toString' })), `${at}.objectType NOT_ALLOWED`],
    [
      'a list of an object that does not exist',
      of(list({ objectType: 'custom:ship' })),
      `${at}.objectType UNKNOWN_REFERENCE`,
    ],
    ['a list by a field that names other records', of(list({ field: 'reportsToId' })), `${at}.field UNKNOWN_FIELD`],
    ['a list with an unknown column', of(list({ columns: ['name', 'colour'] })), `${at}.columns.1 UNKNOWN_FIELD`],
    ['a list with a column twice', of(list({ columns: ['name', 'name'] })), `${at}.columns.1 NOT_UNIQUE`],
    ['too long a list', of(list({ limit: 51 })), `${at}.limit WRONG_VALUE`],
    [
      'a condition on an unknown field',
      when({ field: 'colour', operator: 'IS_EMPTY' }),
      `${at}.visibleWhen.conditions.0.field UNKNOWN_FIELD`,
    ],
    [
      'a condition on a custom field that is not defined',
      when({ field: 'customFields.colour', operator: 'IS_EMPTY' }),
      `${at}.visibleWhen.conditions UNKNOWN_FIELD`,
    ],
    [
      'a condition on a change',
      when({ field: 'name', operator: 'CHANGED' }),
      `${at}.visibleWhen.conditions NOT_ALLOWED`,
    ],
    [
      '201 conditions',
      {
        definition: regions(...many(4, visible(50)), visible(1)),
      },
      'definition.regions TOO_MANY',
    ],
    ['11 patterns', { definition: regions(...many(11, visible(1, 'MATCHES'))) }, 'definition.regions TOO_MANY'],
    ['no condition', when(), `${at}.visibleWhen.conditions WRONG_VALUE`],
    [
      'conditions in too many levels',
      when(nested(5)),
      `${at}.visibleWhen.conditions.0.conditions.0.conditions.0.conditions.0.conditions.0 TOO_DEEP`,
    ],
  ])('is refused with %s', async (_, values, expected) => {
    expect(problemsOf(await create(values))).toBe(`400 VALIDATION_FAILED ${expected}`)
    expect(await pages()).toEqual([])
  })

  it('is refused in JSON that no definition can be: too deep, and __proto__ as a key', async () => {
    const deep = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown
    const proto = JSON.parse('{"regions": [], "__proto__": {}}') as unknown
    for (const definition of [deep, proto]) expect((await create({ definition })).status).toBe(400)
    expect(await pages()).toEqual([])
  })

  it('tells at most 20 problems', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `f${index}`)
    const { status, body } = await create({ definition: regions(fields(...names)) })
    expect([status, body.errors!.length]).toEqual([400, 20])
  })

  it('has a name that no other page has, also of requests at the same time', async () => {
    const { id } = await created()
    const second = await create({ label: 'Other' })
    expect(problemsOf(second)).toBe('409 UNIQUE_VIOLATION apiName NOT_UNIQUE')
    expect(second.body.errors![0]).toMatchObject({ conflictingId: id })
    const both = await Promise.all([1, 2].map(() => create({ apiName: 'other' })))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect(await pages()).toHaveLength(2)
  })

  it('is one of 500 of its organization', async () => {
    const { id } = await created()
    await platform.query(
      `insert into extensions.page select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'api_name', 'p_' || n))).*
       from extensions.page p, generate_series(1, 498) n where p.id = $1`,
      [id],
    )
    await created({ apiName: 'last' })
    expect(problemsOf(await create({ apiName: 'more' }))).toBe('400 VALIDATION_FAILED apiName TOO_MANY')
    expect((await owner.rest['pageDelete']!({ id } as never)).status).toBe(204)
    await created({ apiName: 'more' })
  })

  it('keeps record types that the field no longer has, and refuses new ones', async () => {
    const kind = await field(owner, { name: 'kind', fieldType: 'PICKLIST', picklistValues: valuesNamed('YARD', 'OLD') })
    const { id } = await created({ recordTypeField: 'customFields.kind', assignments: [{ recordType: 'OLD' }] })
    const change = { picklistValues: valuesNamed('YARD') }
    expect((await owner.rest['customFieldUpdate']!({ id: kind.id, body: change } as never)).status).toBe(200)
    const kept = { label: 'Kept', assignments: [{ recordType: 'OLD', position: 1 }, { recordType: 'YARD' }] }
    expect((await owner.rest['pageUpdate']!({ id, body: kept } as never)).status).toBe(200)
    const refused = await owner.rest['pageUpdate']!({ id, body: { assignments: [{ recordType: 'NEW' }] } } as never)
    expect(problemsOf(refused)).toBe('400 VALIDATION_FAILED assignments.0.recordType NOT_ALLOWED')
  })

  it('is changed and read by owners and admins of its organization only, and every change has an event', async () => {
    const { id } = await created()
    expect(problemsOf(await create({ apiName: 'mine' }, member))).toBe('403 PERMISSION_DENIED')
    expect((await member.rest['pageList']!({})).status).toBe(403)
    const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    for (const operation of ['page', 'pageDelete'])
      expect((await stranger.rest[operation]!({ id } as never)).status, operation).toBe(404)
    expect((await stranger.rest['pageUpdate']!({ id, body: { label: 'Mine' } } as never)).status).toBe(404)
    expect((await resolved({}, stranger)).pageId).toBeNull()
    expect(await pages()).toEqual([{ api_name: 'account_overview', version: 1 }])

    const stale = { 'If-Match': '"7"' }
    expect((await owner.rest['pageUpdate']!({ id, body: { label: 'New' }, headers: stale } as never)).status).toBe(409)
    expect((await owner.rest['pageUpdate']!({ id, body: { label: 'New' } } as never)).status).toBe(200)
    expect((await owner.rest['pageDelete']!({ id } as never)).status).toBe(204)
    expect(await eventsOf(id)).toEqual(['page.created', 'page.updated', 'page.deleted'])
    expect(await pages()).toEqual([])
  })

  it('needs the scopes of pages', async () => {
    const { id } = await created()
    const reader = await platform.member({
      organizationId: owner.organizationId,
      role: 'OWNER',
      scopes: ['READ_PAGES'],
    } as never)
    expect((await reader.rest['page']!({ id } as never)).status).toBe(200)
    expect((await reader.rest['pageUpdate']!({ id, body: { label: 'New' } } as never)).status).toBe(403)
    const other = await platform.member({
      organizationId: owner.organizationId,
      role: 'OWNER',
      scopes: ['WRITE_LAYOUTS'],
    } as never)
    for (const operation of ['page', 'pageList', 'pageResolved'])
      expect((await other.rest[operation]!({ id, query: { objectType: 'ACCOUNT' } } as never)).status, operation).toBe(
        403,
      )
  })
})
