import { beforeAll, describe, expect, it } from 'vitest'
import { fieldChangeQueue } from '../../subgraphs/extensions/field-change/field-change.queue.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf, valuesNamed } from './custom-fields.fixture.ts'
import { copiesOf, settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member

beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

let fields = 0
/** A field of its own, and an account with a value of it. */
async function withValue(values: object, value: unknown) {
  const name = `f${++fields}`
  const { id } = await field(owner, { name, ...values })
  const { id: accountId } = await account(member, { customFields: { [name]: value } })
  const change = (body: object) => owner.rest['customFieldUpdate']!({ id, body } as never)
  const read = async () => (await owner.rest['customField']!({ id })).body
  const write = (written: unknown, to = accountId as string) =>
    member.rest['accountUpdate']!({ id: to, body: { customFields: { [name]: written } } } as never)
  const stored = async (of = accountId as string) =>
    (await member.rest['account']!({ id: of })).body.customFields[name] as unknown
  return { id, name, accountId: accountId as string, change, read, write, stored }
}
const settle = () => settleFieldChanges(platform)
const failures = async (id: string, by = owner) => by.rest['customFieldFailures']!({ id } as never)

describe('a change of the type', () => {
  it.each([
    ['TEXT', {}, 'TEXTAREA', {}, 'x'],
    ['EMAIL', {}, 'TEXT', {}, 'a@example.com'],
    ['NUMBER', { precision: 2 }, 'CURRENCY', {}, 1.25],
    ['CURRENCY', {}, 'NUMBER', {}, 7],
    ['PICKLIST', { picklistValues: valuesNamed('A') }, 'TEXT', {}, 'A'],
  ])('from %s to a type that has all its values is immediate', async (fieldType, more, to, changes, value) => {
    const { change, stored, accountId } = await withValue({ fieldType, ...more }, value)
    const { status, body } = await change({ fieldType: to, ...changes })
    expect([status, body.fieldType, body.state, body.picklistValues]).toEqual([200, to, 'READY', []])
    expect(await stored()).toBe(value)
    expect(await platform.eventTypesOf(accountId)).toEqual(['account.created'])
  })

  it.each([
    ['TEXT', 'URL', {}, 'https://example.com'],
    ['TEXT', 'PHONE', {}, '+49 30 1234'],
    ['TEXTAREA', 'TEXT', {}, 'short'],
    ['TEXT', 'PICKLIST', { picklistValues: valuesNamed('LOW', 'HIGH') }, 'LOW'],
  ])('from %s to %s checks the values of all records first', async (fieldType, to, more, value) => {
    const { id, change, read, stored, accountId } = await withValue({ fieldType }, value)
    const { body } = await change({ fieldType: to, ...more })
    expect(body).toMatchObject({ fieldType, pendingType: to, state: 'BUILDING', picklistValues: [] })
    expect(body.progress).toMatchObject({ change: 'CHECK_VALUES', failures: 0, message: null })
    await settle()
    expect(await read()).toMatchObject({ fieldType: to, pendingType: null, state: 'READY', progress: null, ...more })
    expect(await stored()).toBe(value)
    expect(await platform.eventTypesOf(accountId)).toEqual(['account.created'])
    expect(await platform.eventTypesOf(id)).toEqual([
      'custom_field.created',
      'custom_field.updated',
      'custom_field.updated',
    ])
    expect((await platform.eventsOf(id)).at(-1)!.data.changedFields).toEqual(
      expect.arrayContaining(['fieldType', 'pendingType', 'state']),
    )
  })

  it('is refused while the field is indexed, but for numbers, and allowed when it is no longer', async () => {
    const { change, read, stored } = await withValue({ isIndexed: true }, 'https://example.com')
    await settle()
    for (const fieldType of ['TEXTAREA', 'URL']) {
      const { status, body } = await change({ fieldType })
      expect(problemsOf({ status, body })).toBe('400 VALIDATION_FAILED fieldType NOT_ALLOWED')
    }
    expect(await read()).toMatchObject({ fieldType: 'TEXT', isIndexed: true, state: 'READY' })
    expect((await change({ isIndexed: false })).status).toBe(200)
    await settle()
    expect((await change({ fieldType: 'URL' })).status).toBe(200)
    await settle()
    expect([(await read()).fieldType, await stored()]).toEqual(['URL', 'https://example.com'])

    const both = await withValue({}, 'a@example.com')
    for (const index of [{ isUnique: true }, { isIndexed: true }])
      expect(problemsOf(await both.change({ fieldType: 'EMAIL', ...index }))).toBe(
        '400 VALIDATION_FAILED fieldType NOT_ALLOWED',
      )
    expect(await both.read()).toMatchObject({ fieldType: 'TEXT', isUnique: false, state: 'READY', version: 1 })

    const number = await withValue({ fieldType: 'NUMBER', isUnique: true }, 1.25)
    await settle()
    expect((await number.change({ fieldType: 'CURRENCY' })).body).toMatchObject({ isUnique: true, state: 'READY' })
  })

  it('leaves the field as it was where a value does not fit, and lists the values', async () => {
    const { id, name, change, read, stored, accountId } = await withValue({}, 'not an address')
    const { id: other } = await account(member, { customFields: { [name]: 'A@example.com' } })
    expect((await change({ fieldType: 'EMAIL' })).status).toBe(200)
    await settle()
    const after = await read()
    expect(after).toMatchObject({ fieldType: 'TEXT', pendingType: null, state: 'READY' })
    expect(after.progress).toMatchObject({ failures: 1, message: 'Values of records do not allow the change.' })
    expect((await failures(id)).body).toEqual([
      {
        recordId: accountId,
        value: 'not an address',
        code: 'NOT_AN_EMAIL',
        message: `customFields.${name} must be an email address.`,
        conflictingId: null,
      },
    ])
    expect([await stored(), await stored(other as string)]).toEqual(['not an address', 'A@example.com'])
    expect(problemsOf(await failures(id, member))).toBe('403 PERMISSION_DENIED')
  })

  it('refuses values that fit only one of both types, until all have been checked', async () => {
    const { name, change, write, stored } = await withValue({ maxLength: 30 }, 'https://example.com')
    await change({ fieldType: 'URL', maxLength: null })
    expect(problemsOf(await write('no address'))).toBe(`400 VALIDATION_FAILED customFields.${name} NOT_A_URL`)
    expect(problemsOf(await write(`https://example.com/${'x'.repeat(20)}`))).toContain('TOO_LONG')
    expect((await write('https://example.org')).status).toBe(200)
    await settle()
    expect(await stored()).toBe('https://example.org')
    expect((await write(`https://example.com/${'x'.repeat(20)}`)).status).toBe(200)
  })

  it('rewrites addresses in their stored form, with a version and an event in the name of who changed the field', async () => {
    const { id, name, accountId, change, stored } = await withValue({}, ' Ann@Example.COM ')
    await change({ fieldType: 'EMAIL' })
    await settle()
    expect(await stored()).toBe('ann@example.com')
    const [, updated] = await platform.eventsOf(accountId)
    expect(updated).toMatchObject({ type: 'account.updated', actorId: owner.userId })
    expect(updated!.data.changedFields).toEqual(['customFields', `customFields.${name}`])
    expect((await owner.rest['customField']!({ id })).body.state).toBe('READY')
  })

  it('makes lists of the values of a picklist, in deleted records too, and reads them as lists meanwhile', async () => {
    const { name, accountId, change, write, stored } = await withValue(
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A', 'B') },
      'A',
    )
    const { id: deletedId } = await account(member, { customFields: { [name]: 'B' } })
    await member.rest['accountDelete']!({ id: deletedId })
    const { body } = await change({ fieldType: 'MULTI_PICKLIST' })
    expect([body.fieldType, body.state, body.progress.change]).toEqual(['MULTI_PICKLIST', 'BUILDING', 'CONVERT_VALUES'])
    const query = `query ($f: AccountFilter) { accountList(filter: $f) { data { id } } }`
    const found = async () =>
      (await member.graphql(query, { f: { customFields: { [name]: { hasAll: ['A'] } } } })).body.data.accountList.data
    expect(await found()).toEqual([{ id: accountId }])
    expect(problemsOf(await write('B'))).toBe(`400 VALIDATION_FAILED customFields.${name} WRONG_TYPE`)
    await settle()
    expect(await stored()).toEqual(['A'])
    expect(await found()).toEqual([{ id: accountId }])
    const restored = await member.rest['accountRestore']!({ id: deletedId })
    expect([restored.status, restored.body.customFields[name]]).toEqual([200, ['B']])
    expect((await write(['A', 'B'])).status).toBe(200)
  })

  it('is refused while another change is under way, and so are all changes of the field', async () => {
    const { id, change } = await withValue({}, 'https://example.com')
    await change({ fieldType: 'URL' })
    expect(problemsOf(await change({ label: 'Other' }))).toBe('409 INVALID_STATE')
    expect(problemsOf(await owner.rest['customFieldDelete']!({ id }))).toBe('409 INVALID_STATE')
    await settle()
    expect((await change({ label: 'Other' })).status).toBe(200)
  })

  it.each([
    ['TEXT', 'NUMBER', 'can become TEXTAREA, EMAIL, PHONE, URL, PICKLIST'],
    ['NUMBER', 'TEXT', 'can become CURRENCY'],
    ['DATE', 'DATETIME', 'keeps its type'],
    ['CHECKBOX', 'PICKLIST', 'keeps its type'],
  ])('from %s to %s is 400 and says what to do', async (fieldType, to, allowed) => {
    const { id } = await field(owner, { name: `f${++fields}`, fieldType })
    const { status, body } = await owner.rest['customFieldUpdate']!({ id, body: { fieldType: to } } as never)
    expect(status).toBe(400)
    expect(body.errors).toEqual([
      {
        path: 'fieldType',
        code: 'NOT_ALLOWED',
        message: `A ${fieldType} ${allowed}; for ${to}, add another field and write the values into it.`,
      },
    ])
    expect((await owner.rest['customField']!({ id })).body).toMatchObject({ fieldType, version: 1 })
  })

  it('checks what the definition would become before it begins', async () => {
    const { change, read } = await withValue({}, 'x')
    expect(problemsOf(await change({ fieldType: 'PICKLIST' }))).toBe('400 VALIDATION_FAILED picklistValues EMPTY')
    expect(problemsOf(await change({ fieldType: 'PHONE', maxLength: 200 }))).toBe(
      '400 VALIDATION_FAILED maxLength OUT_OF_RANGE',
    )
    expect(await read()).toMatchObject({ fieldType: 'TEXT', state: 'READY', version: 1 })
  })

  it('ends, whatever was changed meanwhile', async () => {
    const { name } = await withValue({ fieldType: 'PICKLIST', picklistValues: valuesNamed('A', 'B') }, 'B')
    const dependent = { controllingField: name, dependentValues: { A: ['X'] }, picklistValues: valuesNamed('X') }
    const { id, read } = await withValue({ fieldType: 'PICKLIST', ...dependent, isIndexed: true }, undefined)
    expect((await read()).state).toBe('BUILDING')
    // A definition of before values that others name were kept.
    await platform.query(
      `update extensions.field_definition set picklist_values = (select jsonb_agg(v) from jsonb_array_elements(picklist_values) v where v ->> 'value' <> 'A')
       where organization_id = $1 and name = $2`,
      [owner.organizationId, name],
    )
    await settle()
    expect(await read()).toMatchObject({ state: 'READY', isIndexed: true, progress: null })
    expect((await owner.rest['customFieldUpdate']!({ id, body: { label: 'Other' } } as never)).status).toBe(200)
  })

  it('keeps values that dependentValues of another field name', async () => {
    const { name, change, read } = await withValue(
      { fieldType: 'PICKLIST', picklistValues: valuesNamed('A', 'B', 'C') },
      'B',
    )
    const dependent = { controllingField: name, dependentValues: { A: ['X'] }, picklistValues: valuesNamed('X') }
    const { id } = await field(owner, { name: `f${++fields}`, fieldType: 'PICKLIST', ...dependent })
    const refused = await change({ picklistValues: valuesNamed('B') })
    expect(problemsOf(refused)).toBe('409 HAS_DEPENDENTS')
    expect(refused.body.usedBy).toMatchObject([{ object: 'custom_field', id }])
    expect((await change({ picklistValues: valuesNamed('A', 'B') })).status).toBe(200)
    expect((await read()).picklistValues).toHaveLength(2)
  })

  it('to another form is refused while something uses the field', async () => {
    const { name, change } = await withValue({ fieldType: 'PICKLIST', picklistValues: valuesNamed('A') }, 'A')
    await field(owner, {
      name: `f${++fields}`,
      fieldType: 'PICKLIST',
      picklistValues: valuesNamed('X'),
      controllingField: name,
      dependentValues: { A: ['X'] },
    })
    expect(problemsOf(await change({ fieldType: 'TEXT' }))).toBe('409 HAS_DEPENDENTS')
  })
})

describe('replacing a value of a picklist', () => {
  const picklist = (fieldType = 'PICKLIST') => ({ fieldType, picklistValues: valuesNamed('GOLD', 'SILVER', 'TOP') })
  const replace = (id: string, from: string, to: string | null) =>
    owner.rest['customFieldReplaceValue']!({ id, body: { from, to } } as never)

  it('changes all records with events, and makes the former value inactive', async () => {
    const { id, name, accountId, stored, read } = await withValue(picklist(), 'GOLD')
    const { id: other } = await account(member, { customFields: { [name]: 'SILVER' } })
    const { status, body } = await replace(id, 'GOLD', 'TOP')
    expect([status, body.state, body.progress.change]).toEqual([202, 'BUILDING', 'REPLACE_VALUE'])
    await settle()
    expect([await stored(), await stored(other as string)]).toEqual(['TOP', 'SILVER'])
    const [, updated] = await platform.eventsOf(accountId)
    expect(updated).toMatchObject({ type: 'account.updated', actorId: owner.userId })
    expect(await platform.eventTypesOf(other as string)).toEqual(['account.created'])
    const after = await read()
    expect(after).toMatchObject({ state: 'READY', progress: null, aliases: [{ from: 'GOLD', to: 'TOP' }] })
    expect(after.picklistValues[0]).toMatchObject({ value: 'GOLD', isActive: false })
  })

  it('takes the former value in writes as the new one for 30 days', async () => {
    const { removeAliases } = await import('../../subgraphs/extensions/field-change/replace-value.ts')
    const { id, name, write, stored, read } = await withValue(picklist(), 'SILVER')
    await replace(id, 'GOLD', 'TOP')
    expect((await write('GOLD')).status).toBe(200)
    expect(await stored()).toBe('TOP')
    await settle()
    const created = await account(member, { customFields: { [name]: 'GOLD' } })
    expect(created.customFields[name]).toBe('TOP')
    platform.advanceClock(31 * 86_400_000)
    await removeAliases.run(platform.services)
    expect((await read()).aliases).toEqual([])
    expect(problemsOf(await write('GOLD'))).toBe(`400 VALIDATION_FAILED customFields.${name} NOT_ALLOWED`)
  })

  it('replaces it as the default of new records', async () => {
    const { id, name, read } = await withValue({ ...picklist(), defaultValue: 'GOLD' }, 'SILVER')
    expect((await replace(id, 'GOLD', 'TOP')).status).toBe(202)
    await settle()
    expect(await read()).toMatchObject({ state: 'READY', defaultValue: 'TOP' })
    expect((await account(member, {})).customFields[name]).toBe('TOP')
    await replace(id, 'TOP', null)
    await settle()
    expect(await read()).toMatchObject({ state: 'READY', defaultValue: null })

    const values = [{ value: 'GOLD', isDefault: true }, { value: 'TOP' }]
    const marked = await withValue({ fieldType: 'PICKLIST', picklistValues: values }, 'TOP')
    await replace(marked.id, 'GOLD', 'TOP')
    await settle()
    expect((await marked.read()).picklistValues).toMatchObject([
      { isDefault: false },
      { value: 'TOP', isDefault: true },
    ])
  })

  it('means nothing more when the field has become a text', async () => {
    const { id, change, read, write, stored } = await withValue(picklist(), 'SILVER')
    await replace(id, 'GOLD', 'TOP')
    await settle()
    expect((await change({ fieldType: 'TEXT' })).body).toMatchObject({ fieldType: 'TEXT', aliases: [] })
    expect((await write('GOLD')).status).toBe(200)
    expect([await stored(), (await read()).aliases]).toEqual(['GOLD', []])
  })

  it('replaces it in lists, each value once', async () => {
    const { id, stored, write } = await withValue(picklist('MULTI_PICKLIST'), ['GOLD', 'TOP', 'SILVER'])
    await replace(id, 'GOLD', 'TOP')
    await settle()
    expect(await stored()).toEqual(['TOP', 'SILVER'])
    expect((await write(['GOLD', 'SILVER'])).status).toBe(200)
    expect(await stored()).toEqual(['TOP', 'SILVER'])
  })

  it('by nothing removes it, and refuses it from then on', async () => {
    const { id, name, stored, write, read } = await withValue(picklist(), 'GOLD')
    await replace(id, 'GOLD', null)
    await settle()
    expect([await stored(), (await read()).aliases]).toEqual([undefined, []])
    expect(problemsOf(await write('GOLD'))).toBe(`400 VALIDATION_FAILED customFields.${name} NOT_ALLOWED`)
  })

  it.each([
    ['GOLD', 'GOLD', 'to NOT_ALLOWED'],
    ['GOLD', 'BRONZE', 'to NOT_ALLOWED'],
  ])('of %s by %s is refused', async (from, to, problem) => {
    const { id, read } = await withValue(picklist(), 'GOLD')
    expect(problemsOf(await replace(id, from, to))).toBe(`400 VALIDATION_FAILED ${problem}`)
    expect(await read()).toMatchObject({ state: 'READY', version: 1 })
  })

  it('is for picklists, and for owners and admins', async () => {
    const { id } = await withValue({}, 'x')
    expect(problemsOf(await replace(id, 'x', null))).toBe('400 VALIDATION_FAILED from NOT_ALLOWED')
    const answer = await member.rest['customFieldReplaceValue']!({ id, body: { from: 'x', to: null } } as never)
    expect(problemsOf(answer)).toBe('403 PERMISSION_DENIED')
  })
})

describe('failures of a change', () => {
  it('are hidden with the field, and with the records that the caller does not see', async () => {
    const admin = await platform.member({ organizationId: owner.organizationId, role: 'ADMIN' })
    const { id, name, change } = await withValue({}, 'not an address')
    await change({ fieldType: 'EMAIL' })
    await settle()
    expect((await failures(id, admin)).body).toHaveLength(1)
    const ctx = systemContext(platform.services, owner.organizationId)
    const fields = { account: { [`customFields.${name}`]: 'HIDDEN' } } as const
    const { id: profileId } = await createProfile(ctx, { name: 'Restricted', fields })
    await assignProfile(ctx, admin.userId, profileId)
    expect(problemsOf(await failures(id, admin))).toContain('403 FIELD_NOT_READABLE')
  })

  it('need the READ scope of the record type', async () => {
    const { id, change } = await withValue({}, 'not an address')
    await change({ fieldType: 'EMAIL' })
    await settle()
    const { organizationId } = owner
    const keys = ['READ_CUSTOM_FIELDS', 'READ_CUSTOM_FIELDS,READ_ACCOUNTS'].map((scopes) =>
      platform.member({ organizationId, role: 'ADMIN', scopes: scopes.split(',') }),
    )
    const [without, withScope] = await Promise.all(keys)
    expect(problemsOf(await failures(id, without!))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect((await failures(id, withScope!)).body).toMatchObject([{ value: 'not an address' }])
  })

  it('are those of the change that has failed, not of one that was begun with it', async () => {
    const { id, change, read } = await withValue({}, 'not an address')
    await change({ fieldType: 'EMAIL' })
    await platform.query(
      `insert into extensions.field_change (organization_id, id, field_id, kind, parameters)
       select organization_id, gen_random_uuid(), field_id, 'CONVERT_VALUES', '{}' from extensions.field_change where field_id = $1`,
      [id],
    )
    // Ids of changes are in the order of their creation.
    await platform.query(
      `update extensions.field_change set id = 'ffffffff-0000-7000-8000-000000000000' where field_id = $1 and kind = 'CONVERT_VALUES'`,
      [id],
    )
    await settle()
    expect(await read()).toMatchObject({ state: 'READY', fieldType: 'TEXT' })
    expect((await failures(id)).body).toMatchObject([{ value: 'not an address' }])
  })

  it('end it at the latest with 100 of them', async () => {
    const { id, accountId, change, read } = await withValue({}, 'not an address')
    await copiesOf(platform, member, accountId, 2_500)
    await change({ fieldType: 'EMAIL' })
    await settle()
    expect((await read()).progress).toMatchObject({ failures: 100 })
    expect((await failures(id)).body).toHaveLength(100)
  })
})

describe('a worker whose lease was lost', () => {
  it('changes nothing more', async () => {
    const { id, change, read } = await withValue({}, 'https://example.com')
    await change({ fieldType: 'URL' })
    const [item] = await platform.query<{ id: string }>(
      `select id from extensions.field_change where field_id = $1 and state = 'QUEUED'`,
      [id],
    )
    const lost = { id: item!.id, fieldId: id, attempts: 1, organization: owner.organizationId }
    const token = '00000000-0000-7000-8000-000000000000'
    const outcome = await fieldChangeQueue.attempt(
      platform.services,
      { ...lost, token, lostToken: null },
      new AbortController().signal,
    )
    expect(outcome).toEqual({ end: 'RECORDED' })
    expect(await read()).toMatchObject({ state: 'BUILDING', fieldType: 'TEXT' })
    await settle()
    expect(await read()).toMatchObject({ state: 'READY', fieldType: 'URL' })
  })
})
