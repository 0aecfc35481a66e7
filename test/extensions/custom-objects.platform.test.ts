import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'
import { anObject, object, visit } from './custom-objects.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const create = (values: object, by = owner) => by.rest['customObjectCreate']!({ body: anObject(values) } as never)
const update = (id: string, body: object, by = owner) => by.rest['customObjectUpdate']!({ id, body } as never)
const remove = (id: string, by = owner) => by.rest['customObjectDelete']!({ id })
const restore = (id: string, by = owner) => by.rest['customObjectRestore']!({ id })
const names = async (by = owner, entity = 'custom:site_visit') => {
  const { body } = await by.rest['customFieldList']!({ query: { entity, sortBy: 'createdAt', sortOrder: 'asc' } })
  return (body.data as { name: string }[]).map(({ name }) => name)
}
const textField = (name: string) => ({ name, label: name, fieldType: 'TEXT' })
const countOf = async (table: string) => {
  const [row] = await platform.query<{ count: number }>(`select count(*)::int as count from ${table}`)
  return row!.count
}

describe('customObjectCreate', () => {
  it('does not wait for ever where fields of other record types are created meanwhile', async () => {
    const results = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        n % 2 === 0
          ? owner.rest['customObjectCreate']!({ body: anObject({ name: `object_${n}` }) } as never)
          : owner.rest['customFieldCreate']!({
              body: { entity: 'ACCOUNT', name: `field${n}`, label: 'Field', fieldType: 'TEXT' },
            } as never),
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(Array(16).fill(201))
  })

  it('defines an object with its fields, announces it, and its records can be written at once', async () => {
    const { status, body } = await create({})
    expect([status, body]).toMatchObject([
      201,
      { name: 'site_visit', label: 'Site visit', pluralLabel: 'Site visits', description: null, nameField: 'subject' },
    ])
    expect(await platform.eventTypesOf(body.id)).toEqual(['custom_object.created'])
    expect(await names()).toEqual(['subject', 'hours', 'outcome'])
    expect(await visit(member, { subject: 'Pump 4', hours: 1.5 })).toMatchObject({
      object: 'site_visit',
      name: 'Pump 4',
    })
  })

  it.each<[string, object, string]>([
    ['a name with upper case', { name: 'SiteVisit' }, 'name WRONG_FORMAT'],
    ['a name that begins with a digit', { name: '1st' }, 'name WRONG_FORMAT'],
    ['a name that ends a text of SQL', { name: "x'; drop table crm.account; --" }, 'name WRONG_FORMAT'],
    ['an empty label', { label: ' ' }, 'label WRONG_FORMAT'],
    ['a name field that is no field', { nameField: 'other' }, 'nameField UNKNOWN_REFERENCE'],
    ['a name field that is no text', { nameField: 'hours' }, 'nameField UNKNOWN_REFERENCE'],
    ['a name field without fields', { fields: [] }, 'nameField UNKNOWN_REFERENCE'],
    [
      'a field that is not valid',
      {
        fields: [
          { name: 'subject', label: 'S', fieldType: 'TEXT' },
          { name: '1st', label: 'A', fieldType: 'TEXT' },
        ],
      },
      'fields.1.name WRONG_FORMAT',
    ],
  ])('refuses %s and changes nothing', async (_what, values, problem) => {
    const before = [await countOf('extensions.custom_object'), await countOf('extensions.field_definition')]
    expect(problemsOf(await create(values))).toBe(`400 VALIDATION_FAILED ${problem}`)
    expect([await countOf('extensions.custom_object'), await countOf('extensions.field_definition')]).toEqual(before)
  })

  it('refuses a name that another object has, also a deleted one; other organizations do not matter', async () => {
    const { id } = await object(owner)
    expect(problemsOf(await create({}))).toBe('409 UNIQUE_VIOLATION name NOT_UNIQUE')
    await remove(id)
    expect(problemsOf(await create({}))).toBe('409 UNIQUE_VIOLATION name NOT_UNIQUE')
    const other = await anOrganization(platform)
    expect((await create({}, other.owner)).status).toBe(201)
  })

  it('is for owners and admins with the scope', async () => {
    expect(problemsOf(await create({}, member))).toBe('403 PERMISSION_DENIED')
    const { organizationId } = owner
    const reader = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_CUSTOM_OBJECTS'] })
    expect(problemsOf(await create({}, reader))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect(await countOf(`extensions.custom_object where organization_id = '${organizationId}'`)).toBe(0)
  })

  it('refuses the 201st object with 409', async () => {
    await platform.query(
      `insert into extensions.custom_object (organization_id, id, custom_fields, version, created_at, updated_at, name, label)
       select $1, gen_random_uuid(), '{}', 1, now(), now(), 'o' || n, 'O' from generate_series(1, 200) n`,
      [owner.organizationId],
    )
    expect(problemsOf(await create({}))).toBe('409 LIMIT_REACHED')
  })
})

describe('fields of a custom object', () => {
  it('are custom fields of its entity, with all their rules', async () => {
    await object(owner)
    await field(owner, { entity: 'custom:site_visit', name: 'engineer' })
    expect(await names()).toEqual(['subject', 'hours', 'outcome', 'engineer'])
    const by = (customFields: object) =>
      member.rest['customRecordCreate']!({ name: 'site_visit', body: { customFields } } as never)
    expect(problemsOf(await by({}))).toBe('400 VALIDATION_FAILED customFields.subject REQUIRED')
    expect(problemsOf(await by({ subject: 'A', hours: 1.25 }))).toBe(
      '400 VALIDATION_FAILED customFields.hours TOO_PRECISE',
    )
    expect(problemsOf(await by({ subject: 'A', outcome: 'LOST' }))).toBe(
      '400 VALIDATION_FAILED customFields.outcome NOT_ALLOWED',
    )
    expect(problemsOf(await by({ subject: 'A', other: 1 }))).toBe('400 UNKNOWN_FIELD customFields.other UNKNOWN_FIELD')
  })

  it('need an object that exists, and a name field is not deleted', async () => {
    const add = (entity: string, by = owner) =>
      by.rest['customFieldCreate']!({ body: { entity, name: 'a', label: 'A', fieldType: 'TEXT' } } as never)
    expect(problemsOf(await add('custom:site_visit'))).toBe('400 VALIDATION_FAILED entity UNKNOWN_REFERENCE')
    expect(problemsOf(await add('custom:Site'))).toBe('400 VALIDATION_FAILED entity NOT_ALLOWED')
    expect(problemsOf(await add('TASK'))).toBe('400 VALIDATION_FAILED entity NOT_ALLOWED')
    const { id } = await object(owner)
    const other = await anOrganization(platform)
    expect(problemsOf(await add('custom:site_visit', other.owner))).toBe(
      '400 VALIDATION_FAILED entity UNKNOWN_REFERENCE',
    )
    const { body } = await owner.rest['customFieldList']!({ query: { entity: 'custom:site_visit' } })
    const subject = (body.data as { id: string; name: string }[]).find(({ name }) => name === 'subject')!
    const refused = await owner.rest['customFieldDelete']!({ id: subject.id })
    expect([problemsOf(refused), refused.body.usedBy]).toEqual([
      '409 HAS_DEPENDENTS',
      [{ object: 'custom_object', id, name: 'site_visit' }],
    ])
    const hours = (body.data as { id: string; name: string }[]).find(({ name }) => name === 'hours')!
    expect((await owner.rest['customFieldDelete']!({ id: hours.id })).status).toBe(204)
    expect((await remove(id)).status).toBe(204)
    // A deleted object can be restored, so it keeps its name field.
    expect(problemsOf(await owner.rest['customFieldDelete']!({ id: subject.id }))).toBe('409 HAS_DEPENDENTS')
    const restoreField = () => owner.rest['customFieldRestore']!({ id: hours.id })
    expect(problemsOf(await restoreField())).toBe('400 VALIDATION_FAILED entity UNKNOWN_REFERENCE')
    expect((await restore(id)).body).toMatchObject({ nameField: 'subject' })
    expect((await restoreField()).status).toBe(200)
  })

  it('keep a type of names while they are the name field', async () => {
    const { id } = await object(owner)
    const { body } = await owner.rest['customFieldList']!({ query: { entity: 'custom:site_visit' } })
    const subject = (body.data as { id: string; name: string }[]).find(({ name }) => name === 'subject')!
    const change = (values: object) => owner.rest['customFieldUpdate']!({ id: subject.id, body: values } as never)
    expect(problemsOf(await change({ fieldType: 'TEXTAREA' }))).toBe('400 VALIDATION_FAILED fieldType NOT_ALLOWED')
    expect(problemsOf(await change({ fieldType: 'URL' }))).toBe('400 VALIDATION_FAILED fieldType NOT_ALLOWED')
    expect((await update(id, { nameField: null })).status).toBe(200)
    // Values are checked first, so the field keeps its type for a moment.
    expect((await change({ fieldType: 'TEXTAREA', maxLength: 1_000 })).body).toMatchObject({ pendingType: 'TEXTAREA' })
    expect(problemsOf(await update(id, { nameField: 'subject' }))).toBe(
      '400 VALIDATION_FAILED nameField UNKNOWN_REFERENCE',
    )
  })

  it('keep values that records have', async () => {
    await object(owner)
    await visit(member, { subject: 'A', outcome: 'DONE' })
    const { body } = await owner.rest['customFieldList']!({ query: { entity: 'custom:site_visit' } })
    const { id } = (body.data as { id: string; name: string }[]).find(({ name }) => name === 'outcome')!
    const change = (...values: string[]) =>
      owner.rest['customFieldUpdate']!({ id, body: { picklistValues: values.map((value) => ({ value })) } } as never)
    expect(problemsOf(await change('OPEN'))).toBe('409 HAS_DEPENDENTS')
    expect((await change('DONE')).status).toBe(200)
  })
})

describe('customObjectUpdate', () => {
  it('changes labels; another name field changes the names of all records, each with its event', async () => {
    const { id } = await object(owner)
    const one = await visit(member, { subject: 'Pump', hours: 1 })
    await field(owner, { entity: 'custom:site_visit', name: 'code' })
    const two = await visit(member, { subject: 'Tank', code: 'T-1' })
    expect((await update(id, { label: 'Visit', nameField: 'code' })).body).toMatchObject({
      label: 'Visit',
      nameField: 'code',
    })
    const read = async (record: string) =>
      (await member.rest['customRecord']!({ name: 'site_visit', id: record } as never)).body as {
        name: unknown
        version: number
      }
    expect(await read(one.id)).toMatchObject({ name: null, version: 2 })
    expect(await read(two.id)).toMatchObject({ name: 'T-1', version: 2 })
    expect(await platform.eventTypesOf(two.id)).toEqual([
      'custom_object.site_visit.created',
      'custom_object.site_visit.updated',
    ])
    expect((await update(id, { name: 'other' })).status).toBe(400)
  })

  it('leaves names hidden from those who may not read the fields that they came from', async () => {
    const { id } = await object(owner, { fields: ['subject', 'code', 'note'].map(textField) })
    await platform.services.shapes.load(owner.organizationId)
    const ctx = systemContext(platform.services, owner.organizationId)
    const agents: Member[] = []
    for (const fields of [{ 'customFields.subject': 'HIDDEN' }, { customFields: 'HIDDEN' }] as const) {
      const agent = await platform.member({ organizationId: owner.organizationId })
      const profile = await createProfile(ctx, {
        name: Object.keys(fields)[0]!,
        fields: { 'custom:site_visit': fields },
      })
      await assignProfile(ctx, agent.userId, profile.id)
      agents.push(agent)
    }
    const { id: record } = await visit(member, { subject: 'Secret', code: 'T-1' })
    const change = { name: 'site_visit', id: record }
    expect((await owner.rest['customRecordDelete']!(change as never)).status).toBe(204)
    for (const nameField of ['code', 'note', 'subject', null])
      expect((await update(id, { nameField })).body).toMatchObject({ nameField })
    const deleted = async (by: Member) =>
      ((await by.rest['customRecordListDeleted']!({ name: 'site_visit' } as never)).body as object[])[0]!
    expect(await deleted(member)).toMatchObject({ name: 'Secret' })
    for (const agent of agents) expect(await deleted(agent)).not.toHaveProperty('name')
    const [stored] = await platform.query('select former_name_fields from extensions.custom_object where id = $1', [id])
    expect(stored!['former_name_fields']).toEqual(['subject', 'code', 'note'])
  })

  it('refuses the 101st name field', async () => {
    const { id } = await object(owner)
    await field(owner, { entity: 'custom:site_visit', name: 'code' })
    await platform.query('update extensions.custom_object set former_name_fields = $2 where id = $1', [
      id,
      Array.from({ length: 99 }, (_, index) => `f${index}`),
    ])
    expect(problemsOf(await update(id, { nameField: 'code' }))).toBe('400 VALIDATION_FAILED nameField TOO_MANY')
    expect((await update(id, { nameField: null })).status).toBe(200)
    expect((await update(id, { nameField: 'subject' })).status).toBe(200)
  })

  it('refuses another name field with 409 when there are more than 1,000 records', async () => {
    const { id } = await object(owner)
    await platform.query(
      `insert into extensions.custom_record (organization_id, id, custom_fields, version, created_at, updated_at, object)
       select $1, gen_random_uuid(), '{}', 1, now(), now(), 'site_visit' from generate_series(1, 1001)`,
      [owner.organizationId],
    )
    expect(problemsOf(await update(id, { nameField: null }))).toBe('409 LIMIT_REACHED')
  })
})

describe('customObjectDelete', () => {
  it('takes the records out of sight until the object is restored', async () => {
    const { id } = await object(owner)
    const { id: record } = await visit(member, { subject: 'Pump' })
    expect((await remove(id)).status).toBe(204)
    const read = () => member.rest['customRecord']!({ name: 'site_visit', id: record } as never)
    expect(problemsOf(await read())).toBe('404 NOT_FOUND')
    const change = { name: 'site_visit', id: record, body: { customFields: { subject: 'B' } } }
    expect(problemsOf(await member.rest['customRecordUpdate']!(change as never))).toBe('404 NOT_FOUND')
    expect(problemsOf(await member.rest['customRecordCreate']!({ name: 'site_visit', body: {} } as never))).toBe(
      '404 NOT_FOUND',
    )
    expect((await restore(id)).status).toBe(200)
    expect((await read()).body).toMatchObject({ id: record, name: 'Pump', version: 1 })
    expect(await platform.eventTypesOf(id)).toEqual([
      'custom_object.created',
      'custom_object.deleted',
      'custom_object.restored',
    ])
  })

  it('is refused while a change of one of its fields is under way', async () => {
    const { id } = await object(owner)
    await visit(member, { subject: 'Pump' })
    await field(owner, { entity: 'custom:site_visit', name: 'code', isIndexed: true })
    expect(problemsOf(await remove(id))).toBe('409 INVALID_STATE')
    await settleFieldChanges(platform)
    expect((await remove(id)).status).toBe(204)
  })
})
