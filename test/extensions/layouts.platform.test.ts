import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { object } from './custom-objects.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const section = (...items: readonly object[]) => ({ sections: [{ label: 'Details', items }] })

const aLayout = (values: object = {}) => ({
  objectType: 'ACCOUNT',
  name: 'Accounts',
  config: section({ field: 'name' }, { field: 'industry' }, { slot: 'app/maps:place' }),
  ...values,
})

const create = (values: object = {}, by: Member = owner) => by.rest['layoutCreate']!({ body: aLayout(values) } as never)

async function created(values: object = {}): Promise<{ readonly id: string; readonly version: number }> {
  const { status, body } = await create(values)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as { id: string; version: number }
}

const resolved = async (objectType: string, by: Member = member) => {
  const { status, body } = await by.rest['layoutResolved']!({ query: { objectType } } as never)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const layouts = () =>
  platform.query('select version, name from extensions.layout where organization_id = $1 and deleted_at is null', [
    owner.organizationId,
  ])

async function profileOf({ userId, organizationId }: Member, name: string, fields: object = {}): Promise<void> {
  const ctx = systemContext(platform.services, organizationId)
  const { id } = await createProfile(ctx, { name, fields })
  await assignProfile(ctx, userId, id)
}

describe('the layout of the caller', () => {
  it('is that of the profile, else the default of the organization, else all fields; slots of missing apps are told', async () => {
    await field(owner, { isRequired: true })
    const standard = await resolved('ACCOUNT')
    expect(standard).toMatchObject({ layoutId: null, name: null, profile: null, warnings: [] })
    expect(standard.config.sections).toHaveLength(1)
    expect(standard.config.sections[0]).toMatchObject({ label: 'Details', columns: 2, isCollapsed: false })
    expect(standard.config.sections[0].items).toEqual(
      expect.arrayContaining([
        { field: 'name', isReadOnly: false, isRequired: true },
        { field: 'industry', isReadOnly: false, isRequired: false },
        { field: 'customFields.code', isReadOnly: false, isRequired: true },
      ]),
    )

    const { id } = await created()
    const warnings = [{ code: 'APP_NOT_INSTALLED', slot: 'app/maps:place' }]
    const items = [
      { field: 'name', isReadOnly: false, isRequired: true },
      { field: 'industry', isReadOnly: false, isRequired: false },
    ]
    const config = { sections: [{ label: 'Details', columns: 2, isCollapsed: false, items }] }
    const expected = { objectType: 'ACCOUNT', layoutId: id, name: 'Accounts', profile: null, config, warnings }
    expect(await resolved('ACCOUNT')).toEqual(expected)

    await profileOf(member, 'Sales')
    const own = await created({ profile: 'SALES', name: 'Sales', config: section({ field: 'website' }) })
    await expect.poll(() => resolved('ACCOUNT')).toMatchObject({ layoutId: own.id, name: 'Sales', profile: 'SALES' })
    expect(await resolved('ACCOUNT', owner)).toEqual(expected)
    expect(await resolved('CONTACT')).toMatchObject({ layoutId: null })

    expect((await owner.rest['layoutDelete']!({ id: own.id } as never)).status).toBe(204)
    expect(await resolved('ACCOUNT')).toEqual(expected)
    const { body } = await member.graphql(
      '{ layoutResolved(objectType: "ACCOUNT") { objectType layoutId name profile config warnings { code slot } } }',
    )
    expect(body.data.layoutResolved).toEqual(expected)
  })

  it('is the same for all values of the field of record types', async () => {
    await created()
    const query = { objectType: 'ACCOUNT', recordType: 'CUSTOMER' }
    const { status, body } = await member.rest['layoutResolved']!({ query } as never)
    expect([status, body]).toEqual([200, await resolved('ACCOUNT')])
    const long = { objectType: 'ACCOUNT', recordType: 'x'.repeat(256) }
    expect(problemsOf(await member.rest['layoutResolved']!({ query: long } as never))).toBe(
      '400 VALIDATION_FAILED recordType TOO_LONG',
    )
  })

  it('leaves out what the profile hides, and says what it does not let them change', async () => {
    await created({
      config: section(
        { field: 'name', isReadOnly: true },
        { field: 'industry' },
        { field: 'website', isRequired: true },
      ),
    })
    await profileOf(member, 'Restricted', { account: { industry: 'HIDDEN', website: 'READ' } })
    await expect
      .poll(async () => (await resolved('ACCOUNT')).config.sections[0].items)
      .toEqual([
        { field: 'name', isReadOnly: true, isRequired: true },
        { field: 'website', isReadOnly: true, isRequired: true },
      ])
  })

  it('is there for custom objects, whose fields and names are kept as long as a layout uses them', async () => {
    const { id: objectId } = await object(owner)
    const { id } = await created({
      objectType: 'custom:site_visit',
      name: 'Visits',
      config: section({ field: 'customFields.hours' }, { field: 'customFields.subject' }),
    })
    expect((await resolved('custom:site_visit')).config.sections[0].items).toEqual([
      { field: 'customFields.hours', isReadOnly: false, isRequired: false },
      { field: 'customFields.subject', isReadOnly: false, isRequired: true },
    ])
    const list = (
      await owner.rest['customFieldList']!({ query: { entity: 'custom:site_visit', name: 'hours' } } as never)
    ).body
    const usedBy = [{ object: 'layout', id, name: 'Visits' }]
    const ofField = await owner.rest['customFieldDelete']!({ id: list.data[0].id } as never)
    expect([ofField.status, ofField.body.code, ofField.body.usedBy]).toEqual([409, 'HAS_DEPENDENTS', usedBy])
    const ofObject = await owner.rest['customObjectDelete']!({ id: objectId } as never)
    expect([ofObject.status, ofObject.body.code, ofObject.body.usedBy]).toEqual([409, 'HAS_DEPENDENTS', usedBy])
    await owner.rest['layoutDelete']!({ id } as never)
    expect((await owner.rest['customFieldDelete']!({ id: list.data[0].id } as never)).status).toBe(204)
  })
})

describe('a layout', () => {
  it.each<[string, object, string]>([
    ['a type without layouts', { objectType: 'TASK' }, '400 VALIDATION_FAILED objectType NOT_ALLOWED'],
    [
      'an object that does not exist',
      { objectType: 'custom:ship' },
      '400 VALIDATION_FAILED objectType UNKNOWN_REFERENCE',
    ],
    ['a profile that does not exist', { profile: 'Nobody' }, '400 VALIDATION_FAILED profile UNKNOWN_REFERENCE'],
    ['no sections', { config: {} }, '400 VALIDATION_FAILED config.sections REQUIRED'],
    ['unknown properties', { config: { ...section(), tabs: [] } }, '400 VALIDATION_FAILED config.tabs UNKNOWN_FIELD'],
    [
      'too many columns',
      { config: { sections: [{ label: 'A', columns: 5, items: [] }] } },
      '400 VALIDATION_FAILED config.sections.0.columns WRONG_VALUE',
    ],
    [
      'an unknown field, an internal one and one twice',
      { config: section({ field: 'colour' }, { field: 'searchText' }, { field: 'name' }, { field: 'name' }) },
      '400 VALIDATION_FAILED config.sections.0.items.0.field UNKNOWN_FIELD config.sections.0.items.1.field UNKNOWN_FIELD config.sections.0.items.3 NOT_UNIQUE',
    ],
    [
      'a custom field that is not defined',
      { config: section({ field: 'customFields.colour' }) },
      '400 VALIDATION_FAILED config.sections.0.items.0.field UNKNOWN_FIELD',
    ],
    [
      'a slot that is read-only',
      { config: section({ slot: 'app/maps:place', isReadOnly: true }) },
      '400 VALIDATION_FAILED config.sections.0.items.0 WRONG_VALUE',
    ],
    [
      'a slot of no app',
      { config: section({ slot: 'maps' }) },
      '400 VALIDATION_FAILED config.sections.0.items.0.slot WRONG_VALUE',
    ],
  ])('is refused with %s', async (_, values, expected) => {
    expect(problemsOf(await create(values))).toBe(expected)
    expect(await layouts()).toEqual([])
  })

  it('is one for each profile and record type, also of requests at the same time', async () => {
    const { id } = await created()
    const second = await create({ name: 'Others' })
    expect(problemsOf(second)).toBe('409 UNIQUE_VIOLATION profile NOT_UNIQUE')
    expect(second.body.errors![0]).toMatchObject({ conflictingId: id })
    const both = await Promise.all(
      [1, 2].map(() => create({ objectType: 'LEAD', config: section({ field: 'company' }) })),
    )
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect(await layouts()).toHaveLength(2)
  })

  it('is changed and read by owners and admins of its organization only', async () => {
    const { id } = await created()
    expect(problemsOf(await create({ objectType: 'LEAD' }, member))).toBe('403 PERMISSION_DENIED')
    expect((await member.rest['layoutList']!({})).status).toBe(403)
    const stranger = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    for (const operation of ['layout', 'layoutDelete'])
      expect((await stranger.rest[operation]!({ id } as never)).status, operation).toBe(404)
    expect((await stranger.rest['layoutUpdate']!({ id, body: { name: 'Mine' } } as never)).status).toBe(404)
    expect((await resolved('ACCOUNT', stranger)).layoutId).toBeNull()
    expect(await layouts()).toEqual([{ version: 1, name: 'Accounts' }])
  })
})
