import { beforeEach, describe, expect, it, vi } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { fieldChangeQueue } from '../../subgraphs/extensions/field-change/field-change.queue.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aProduct, contact, lead, opportunity, product, quote, supportCase, task } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { aField, anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { visit } from './custom-objects.fixture.ts'
import { copiesOf, settleFieldChanges } from './field-changes.fixture.ts'
import { lookup, settleClearings, visitsOfAccounts } from './lookups.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const aLookup = (values: object = {}) =>
  aField({ name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT', ...values })
const define = (values: object) => owner.rest['customFieldCreate']!({ body: aLookup(values) } as never)
const named = (partner: string | null, more: object = {}) =>
  account(member, { name: 'Naming', customFields: { partner }, ...more })
const read = async (id: string, by = member) => (await by.rest['account']!({ id })).body as { customFields: object }
const valuesOf = async (id: string) => (await read(id)).customFields
const update = (id: string, customFields: object, by = member) =>
  by.rest['accountUpdate']!({ id, body: { customFields } } as never)
const remove = (id: string, by = member) => by.rest['accountDelete']!({ id })
const aUser = (options: object = {}) => platform.member({ organizationId: owner.organizationId, ...options })
const unknown = (key = 'partner') => `400 VALIDATION_FAILED customFields.${key} UNKNOWN_REFERENCE`

/** The events of a record that changed a custom field, as the values before and after. */
const changesOf = async (id: string, key = 'partner') =>
  (await platform.eventsOf(id))
    .filter(({ data }) => (data['changedFields'] as string[] | undefined)?.includes(`customFields.${key}`))
    .map(({ actorId, data }) => ({
      actorId,
      value: ((data['record'] as { customFields: Record<string, unknown> }).customFields[key] ?? null) as unknown,
    }))

describe('a LOOKUP', () => {
  it('is always indexed, clears references unless it restricts deletions, and is described with its record type', async () => {
    const created = await lookup(platform, owner, { isIndexed: false })
    expect(created).toMatchObject({
      fieldType: 'LOOKUP',
      lookupEntity: 'ACCOUNT',
      lookupObject: null,
      lookupDeleteBehavior: 'CLEAR',
      isIndexed: true,
    })
    const { body } = await member.graphql(`{ recordType(object: "account") { fields { name kind references } } }`)
    const fields = body.data.recordType.fields as { name: string }[]
    expect(fields.find(({ name }) => name === 'customFields.partner')).toEqual({
      name: 'customFields.partner',
      kind: 'ID',
      references: 'account',
    })
  })

  it.each<[string, object, string]>([
    ['without a record type', { lookupEntity: null }, 'lookupEntity REQUIRED'],
    ['with two record types', { lookupObject: 'custom:site_visit' }, 'lookupObject NOT_TOGETHER'],
    ['of a record type that cannot be named', { lookupEntity: 'INVOICE' }, 'lookupEntity NOT_ALLOWED'],
    ['of a custom object as a record type of the platform', { lookupEntity: 'custom:x' }, 'lookupEntity NOT_ALLOWED'],
    ['of what is no custom object', { lookupEntity: null, lookupObject: 'site' }, 'lookupObject WRONG_FORMAT'],
    [
      'of a custom object that does not exist',
      { lookupEntity: null, lookupObject: 'custom:nothing' },
      'lookupObject UNKNOWN_REFERENCE',
    ],
    ['with a default', { defaultValue: newId() }, 'defaultValue NOT_ALLOWED'],
    ['that is unique', { isUnique: true }, 'isUnique NOT_ALLOWED'],
    ['that is required and cleared', { isRequired: true }, 'lookupDeleteBehavior NOT_ALLOWED'],
    ['that is a text', { fieldType: 'TEXT' }, 'lookupEntity NOT_ALLOWED'],
  ])('is not defined %s', async (_what, values, problem) => {
    expect(problemsOf(await define(values))).toBe(`400 VALIDATION_FAILED ${problem}`)
    expect(
      await platform.query('select from extensions.field_definition where organization_id = $1', [
        owner.organizationId,
      ]),
    ).toEqual([])
  })

  it('keeps its type and its record type, and changes what a deletion does', async () => {
    const { id } = await lookup(platform, owner)
    const change = (body: object) => owner.rest['customFieldUpdate']!({ id, body } as never)
    expect((await change({ lookupEntity: 'CONTACT' })).status).toBe(400)
    expect((await change({ lookupObject: 'custom:x' })).status).toBe(400)
    expect(problemsOf(await change({ fieldType: 'TEXT' }))).toMatch(/^400 VALIDATION_FAILED fieldType NOT_ALLOWED/)
    expect((await change({ lookupDeleteBehavior: 'RESTRICT' })).body).toMatchObject({
      lookupDeleteBehavior: 'RESTRICT',
    })
    expect((await change({ lookupDeleteBehavior: null })).body).toMatchObject({ lookupDeleteBehavior: 'CLEAR' })
  })

  it('is one of at most 40 of its record type, which do not count as indexed fields', async () => {
    for (let n = 0; n < 40; n++) expect((await define({ name: `lookup${n}` })).status).toBe(201)
    const refused = await define({ name: 'oneMore' })
    expect([problemsOf(refused), refused.body.limit]).toEqual(['409 LIMIT_REACHED', 40])
    await field(owner, { isIndexed: true })
    expect((await define({ name: 'other', entity: 'CONTACT' })).status).toBe(201)
  })

  it('keeps the custom object that it names from being deleted, but not one that names itself', async () => {
    const { id } = await visitsOfAccounts(owner)
    const created = await lookup(platform, owner, { lookupEntity: null, lookupObject: 'custom:site_visit' })
    const refused = await owner.rest['customObjectDelete']!({ id })
    expect([problemsOf(refused), refused.body.usedBy]).toEqual([
      '409 HAS_DEPENDENTS',
      [{ object: 'custom_field', id: created.id, name: 'partner' }],
    ])
    await owner.rest['customFieldDelete']!({ id: created.id })
    expect((await owner.rest['customObjectDelete']!({ id })).status).toBe(204)
    expect(problemsOf(await owner.rest['customFieldRestore']!({ id: created.id }))).toBe(
      '400 VALIDATION_FAILED lookupObject UNKNOWN_REFERENCE',
    )
  })
})

describe('a value of a LOOKUP', () => {
  it('is the id of a record of its type, in lower case, and null clears it', async () => {
    await lookup(platform, owner)
    const target = await account(member)
    const { id } = await named(target.id.toUpperCase())
    expect(await valuesOf(id)).toEqual({ partner: target.id })
    expect((await update(id, { partner: null })).status).toBe(200)
    expect(await valuesOf(id)).toEqual({})
    expect(await changesOf(id)).toEqual([{ actorId: member.userId, value: null }])
  })

  it('can be given to each record type with custom fields, and name each record type that can be named', async () => {
    await visitsOfAccounts(owner)
    const targets = {
      LEAD: (await lead(member)).id,
      ACCOUNT: (await account(member)).id,
      TASK: (await task(member, { subject: 'Call' })).id,
      CASE: (await supportCase(member)).id,
    }
    for (const [lookupEntity, id] of Object.entries(targets)) {
      await field(owner, { entity: 'LEAD', name: `to${lookupEntity}`, fieldType: 'LOOKUP', lookupEntity })
      const created = await lead(member, { customFields: { [`to${lookupEntity}`]: id } })
      expect(created).toMatchObject({ customFields: { [`to${lookupEntity}`]: id } })
    }
    const first = await visit(member, { account: targets.ACCOUNT })
    const second = await visit(member, { previous: first.id })
    expect(second).toMatchObject({ customFields: { previous: first.id } })
    for (const entity of ['CONTACT', 'OPPORTUNITY', 'PRODUCT', 'QUOTE'])
      await field(owner, { entity, name: 'visit', fieldType: 'LOOKUP', lookupObject: 'custom:site_visit' })
    const { body } = await member.rest['productCreate']!({
      body: { ...aProduct(), customFields: { visit: first.id } },
    } as never)
    expect(body).toMatchObject({ customFields: { visit: first.id } })
  })

  it('must be a record that the caller sees; otherwise nothing changes', async () => {
    await lookup(platform, owner)
    const { id } = await named(null)
    const [deleted, kept] = [await account(member), await account(member)]
    await remove(deleted.id)
    const foreign = await account((await anOrganization(platform)).owner)
    const ofOtherType = await lead(member)
    for (const partner of [newId(), deleted.id, foreign.id, ofOtherType.id])
      expect(problemsOf(await update(id, { partner }))).toBe(unknown())
    for (const partner of ['not an id', 7, [kept.id], { id: kept.id }])
      expect(problemsOf(await update(id, { partner }))).toBe('400 VALIDATION_FAILED customFields.partner WRONG_TYPE')
    const restricted = await aUser({ visibility: 'OWN' })
    const own = await account(restricted)
    expect(problemsOf(await update(own.id, { partner: kept.id }, restricted))).toBe(unknown())
    expect(
      problemsOf(
        await restricted.rest['accountCreate']!({ body: { name: 'N', customFields: { partner: kept.id } } } as never),
      ),
    ).toBe(unknown())
    expect((await update(own.id, { partner: own.id }, restricted)).status).toBe(200)
    expect([await read(id), await platform.eventTypesOf(id)]).toMatchObject([
      { version: 1, customFields: {} },
      ['account.created'],
    ])
  })

  it('stays while the record is changed otherwise by somebody who does not see what it names', async () => {
    await lookup(platform, owner)
    const target = await account(owner)
    const restricted = await aUser({ visibility: 'OWN' })
    const { id } = await named(target.id, { ownerId: restricted.userId })
    const changed = await restricted.rest['accountUpdate']!({
      id,
      body: { name: 'Other', customFields: { partner: target.id } },
    } as never)
    expect([changed.status, changed.body.customFields]).toEqual([200, { partner: target.id }])
  })

  it('may be required; then it is neither missing nor cleared', async () => {
    await lookup(platform, owner, { isRequired: true, lookupDeleteBehavior: 'RESTRICT' })
    expect(problemsOf(await member.rest['accountCreate']!({ body: { name: 'N' } } as never))).toBe(
      '400 VALIDATION_FAILED customFields.partner REQUIRED',
    )
  })

  it('is checked in bulk with one statement for all records, each for itself', async () => {
    await lookup(platform, owner)
    const target = await account(member)
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await named(null)).id))
    const items = ids.map((id, n) => ({ id, customFields: { partner: n === 2 ? newId() : target.id } }))
    // An account has no bulk operation, so leads have the field.
    await field(owner, { entity: 'LEAD', name: 'partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' })
    const leads = await Promise.all(items.map(() => lead(member)))
    const changes = items.map(({ customFields }, n) => ({ id: leads[n]!.id, customFields }))
    let body: { results?: { status: string; errors?: { path: string }[] }[] } = {}
    const statements = await statementsOf(
      platform,
      async () => ({ body } = await member.rest['leadBulkUpdate']!({ body: { items: changes } } as never)),
      /for key share/,
      { inTransactions: true },
    )
    expect(body.results!.map(({ status }) => status)).toEqual(['UPDATED', 'UPDATED', 'FAILED', 'UPDATED'])
    expect(body.results![2]!.errors![0]!.path).toBe('customFields.partner')
    // One for all, and one for the record that it has not found.
    expect(statements).toHaveLength(2)
  })

  it('is taken over by the conversion of a lead where both fields name the same record type', async () => {
    const target = await account(owner)
    const byEntity = { LEAD: 'ACCOUNT', ACCOUNT: 'ACCOUNT', CONTACT: 'LEAD' }
    for (const [entity, lookupEntity] of Object.entries(byEntity))
      await field(owner, { entity, name: 'partner', fieldType: 'LOOKUP', lookupEntity })
    const { id } = await lead(owner, { company: 'Nordwind', customFields: { partner: target.id } })
    const { status, body } = await owner.rest['leadConvert']!({ id, body: { createOpportunity: false } } as never)
    expect(status, JSON.stringify(body)).toBe(200)
    expect([body.account.customFields, body.contact.customFields]).toEqual([{ partner: target.id }, {}])
  })
})

describe('the deletion of a record that lookups name', () => {
  it('clears the references, each with its version and its event, in the transaction', async () => {
    await lookup(platform, owner)
    await visitsOfAccounts(owner)
    const target = await account(owner)
    const [one, other] = [await named(target.id), await named(target.id)]
    const visited = await visit(member, { subject: 'Pump', account: target.id })
    expect((await remove(target.id)).status).toBe(204)
    for (const { id } of [one, other]) {
      expect(await read(id)).toMatchObject({ version: 2, customFields: {} })
      expect(await changesOf(id)).toEqual([{ actorId: member.userId, value: null }])
    }
    const { body } = await member.rest['customRecord']!({ name: 'site_visit', id: visited.id } as never)
    expect(body).toMatchObject({ version: 2, customFields: { subject: 'Pump' } })
    expect((await platform.eventTypesOf(visited.id)).at(-1)).toBe('custom_object.site_visit.updated')
    expect((await member.rest['accountRestore']!({ id: target.id })).status).toBe(200)
    expect(await valuesOf(one.id)).toEqual({})
  })

  it.each<[string, (by: Member) => Promise<{ id: string }>]>([
    ['lead', lead],
    ['contact', contact],
    ['opportunity', opportunity],
    ['product', product],
    ['quote', quote],
    ['task', (by) => task(by, { subject: 'Call' })],
    ['case', supportCase],
  ])('of the type %s clears the references, or is refused where a lookup restricts it', async (type, create) => {
    const lookupEntity = type.toUpperCase()
    const about = await lookup(platform, owner, { name: 'about', lookupEntity, lookupDeleteBehavior: 'RESTRICT' })
    const target = await create(member)
    const { id } = await account(member, { customFields: { about: target.id } })
    const removed = () => member.rest[`${type}Delete`]!({ id: target.id })
    const refused = await removed()
    expect([problemsOf(refused), refused.body.count, refused.body.dependents]).toEqual([
      '409 HAS_DEPENDENTS',
      1,
      [{ object: 'account', id, field: 'customFields.about' }],
    ])
    expect((await member.rest[type]!({ id: target.id })).status).toBe(200)
    expect(await platform.eventTypesOf(target.id)).not.toContain(`${type}.deleted`)
    expect(await read(id)).toMatchObject({ version: 1, customFields: { about: target.id } })
    const cleared = { id: about.id, body: { lookupDeleteBehavior: 'CLEAR' } }
    expect((await owner.rest['customFieldUpdate']!(cleared as never)).status).toBe(200)
    await settleFieldChanges(platform)
    expect((await removed()).status).toBe(204)
    expect(await read(id)).toMatchObject({ version: 2, customFields: {} })
    expect(await changesOf(id, 'about')).toEqual([{ actorId: member.userId, value: null }])
  })

  it('clears references that the caller neither sees nor may write', async () => {
    await lookup(platform, owner)
    const restricted = await aUser({ visibility: 'OWN' })
    const target = await account(restricted)
    const { id } = await account(owner, { customFields: { partner: target.id } })
    expect((await remove(target.id, restricted)).status).toBe(204)
    expect(await valuesOf(id)).toEqual({})
  })

  it('clears many references afterwards, and none twice', async () => {
    await lookup(platform, owner)
    const target = await account(owner)
    const { id } = await named(target.id)
    await copiesOf(platform, member, id, 600)
    await platform.query(
      `insert into kernel.record_value (organization_id, object, field, record_id, created_at, kind, id_value)
       select organization_id, 'account', 'partner', id, created_at, 'id', $2 from crm.account where organization_id = $1 and name like 'n%'`,
      [owner.organizationId, target.id],
    )
    expect((await remove(target.id)).status).toBe(204)
    const left = () =>
      platform.query(`select from crm.account where organization_id = $1 and custom_fields ? 'partner'`, [
        owner.organizationId,
      ])
    expect(await left()).toHaveLength(601)
    await settleClearings(platform)
    expect(await left()).toEqual([])
    const versions = await platform.query(
      `select version, count(*)::int as n from crm.account where organization_id = $1 and deleted_at is null group by version`,
      [owner.organizationId],
    )
    expect(versions).toEqual([{ version: 2, n: 601 }])
    expect(await changesOf(id)).toEqual([{ actorId: member.userId, value: null }])
  })

  it('that is restored before its references are cleared keeps them', async () => {
    await lookup(platform, owner)
    const target = await account(owner)
    const { id } = await named(target.id)
    await platform.query(
      `insert into extensions.lookup_clearing (organization_id, id, object, record_id) values ($1, $2, 'account', $3)`,
      [owner.organizationId, newId(), target.id],
    )
    await settleClearings(platform)
    expect(await valuesOf(id)).toEqual({ partner: target.id })
  })

  it('is refused where a lookup restricts it, with the number of records and those that the caller sees', async () => {
    await lookup(platform, owner, { lookupDeleteBehavior: 'RESTRICT' })
    const restricted = await aUser({ visibility: 'OWN' })
    const target = await account(restricted)
    const hidden = await account(owner, { customFields: { partner: target.id } })
    const seen = await account(restricted, { customFields: { partner: target.id } })
    const refused = await remove(target.id, restricted)
    expect([problemsOf(refused), refused.body.count, refused.body.dependents]).toEqual([
      '409 HAS_DEPENDENTS',
      2,
      [{ object: 'account', id: seen.id, field: 'customFields.partner' }],
    ])
    expect(await platform.eventTypesOf(target.id)).toEqual(['account.created'])
    await update(hidden.id, { partner: null }, owner)
    await remove(seen.id, restricted)
    expect((await remove(target.id, restricted)).status).toBe(204)
  })

  it('names at most ten of the records that restrict it, and none without the scope or the field', async () => {
    await visitsOfAccounts(owner, { lookupDeleteBehavior: 'RESTRICT' })
    await settleFieldChanges(platform)
    const target = await account(owner)
    for (let n = 0; n < 12; n++) await visit(member, { account: target.id })
    const refused = await remove(target.id)
    expect([refused.body.count, refused.body.dependents.length]).toEqual([12, 10])
    const key = await aUser({ scopes: ['WRITE_ACCOUNTS', 'READ_ACCOUNTS'] })
    const other = await remove(target.id, key)
    expect([other.status, other.body.count, other.body.dependents]).toEqual([409, 12, []])
  })

  it('is refused in bulk for those records alone', async () => {
    await field(owner, { name: 'source', fieldType: 'LOOKUP', lookupEntity: 'LEAD', lookupDeleteBehavior: 'RESTRICT' })
    await field(owner, { name: 'origin', fieldType: 'LOOKUP', lookupEntity: 'LEAD' })
    await settleFieldChanges(platform)
    const [held, free, cleared] = [await lead(member), await lead(member), await lead(member)]
    const { id } = await account(member, { customFields: { source: held.id, origin: cleared.id } })
    const { body } = await member.rest['leadBulkDelete']!({ body: { ids: [held.id, free.id, cleared.id] } } as never)
    const results = body.results as { id: string; status: string; code: string | null }[]
    expect(results.map(({ status, code }) => [status, code])).toEqual([
      ['FAILED', 'HAS_DEPENDENTS'],
      ['DELETED', null],
      ['DELETED', null],
    ])
    expect(await valuesOf(id)).toEqual({ source: held.id })
  })

  it('is not restricted by the record itself, nor by deleted records, which are restored without the reference', async () => {
    await lookup(platform, owner, { lookupDeleteBehavior: 'RESTRICT' })
    const target = await account(member)
    await update(target.id, { partner: target.id })
    const { id } = await named(target.id)
    await remove(id)
    expect((await remove(target.id)).status).toBe(204)
    expect((await member.rest['accountRestore']!({ id })).body).toMatchObject({ customFields: {} })
    expect((await platform.eventTypesOf(id)).at(-1)).toBe('account.restored')
  })

  it('keeps the reference of the record to itself when it is restored', async () => {
    await lookup(platform, owner)
    const target = await account(member)
    await update(target.id, { partner: target.id })
    expect((await remove(target.id)).status).toBe(204)
    const restored = await member.rest['accountRestore']!({ id: target.id })
    expect(restored.body).toMatchObject({ customFields: { partner: target.id } })
  })

  it('is refused while the index of a lookup that restricts it is built', async () => {
    const created = await lookup(platform, owner, { lookupDeleteBehavior: 'RESTRICT' })
    const change = (body: object) => owner.rest['customFieldUpdate']!({ id: created.id, body } as never)
    const [target, free] = [await account(owner), await account(owner)]
    await named(target.id)
    await change({ isActive: false })
    await settleFieldChanges(platform)
    expect((await change({ isActive: true })).status).toBe(200)
    const refused = await remove(target.id)
    expect([problemsOf(refused), refused.body['state']]).toEqual(['409 INVALID_STATE', 'BUILDING'])
    await settleFieldChanges(platform)
    expect(problemsOf(await remove(target.id))).toBe('409 HAS_DEPENDENTS')
    expect((await remove(free.id)).status).toBe(204)
  })

  it('and a write that names it do not miss each other', async () => {
    await lookup(platform, owner)
    for (let round = 0; round < 10; round++) {
      const target = await account(member)
      const { id } = await named(null)
      const [written] = await Promise.all([update(id, { partner: target.id }), remove(target.id)])
      const isNamed = 'partner' in (await valuesOf(id))
      expect([written.status === 200 || problemsOf(written) === unknown(), isNamed]).toEqual([true, false])
    }
  })

  it('waits for a write that names it, and then clears what that has written', async () => {
    await lookup(platform, owner)
    const target = await account(member)
    const { id } = await named(null)
    let deletion: Promise<{ status: number }> | undefined
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('select from crm.account where id = $1 for key share', [target.id])
      deletion = remove(target.id)
      await vi.waitFor(async () => expect(await platform.waitingForLocks()).toBe(1), { timeout: 10_000 })
      expect((await update(id, { partner: null })).status).toBe(200)
    })
    expect((await deletion!).status).toBe(204)
  })

  it('while a field was not in use is made up for when the field is used again', async () => {
    const created = await lookup(platform, owner)
    const [target, kept] = [await account(owner), await account(owner)]
    const [{ id }, other] = [await named(target.id), await named(kept.id)]
    const change = (body: object) => owner.rest['customFieldUpdate']!({ id: created.id, body } as never)
    await change({ isActive: false })
    await settleFieldChanges(platform)
    await remove(target.id)
    expect(await valuesOf(id)).toEqual({ partner: target.id })
    expect((await change({ isActive: true })).status).toBe(200)
    await settleFieldChanges(platform)
    expect([await valuesOf(id), await valuesOf(other.id)]).toEqual([{}, { partner: kept.id }])
  })
})

describe('an index of a LOOKUP that is built after a time in which it was not in use', () => {
  it('clears no reference that is written meanwhile', async () => {
    const created = await lookup(platform, owner)
    const [before, after] = [await account(owner), await account(owner)]
    const { id } = await named(before.id)
    const change = (body: object) => owner.rest['customFieldUpdate']!({ id: created.id, body } as never)
    await change({ isActive: false })
    await settleFieldChanges(platform)
    expect((await change({ isActive: true })).status).toBe(200)
    let building: Promise<void> | undefined
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query(
        `update crm.account set custom_fields = jsonb_build_object('partner', $2::text), version = version + 1 where id = $1`,
        [id, after.id],
      )
      building = settleFieldChanges(platform)
      await vi.waitFor(async () => expect(await platform.waitingForLocks()).toBe(1), { timeout: 10_000 })
    })
    await building
    expect(await valuesOf(id)).toEqual({ partner: after.id })
  })

  it('is built with fewer records at a time after failures, and is queued again after many of them', async () => {
    const { id } = await lookup(platform, owner, { lookupDeleteBehavior: 'RESTRICT' })
    const change = (body: object) => owner.rest['customFieldUpdate']!({ id, body } as never)
    const target = await account(owner)
    let last = target
    for (let n = 0; n < 12; n++) last = await named(target.id)
    await change({ isActive: false })
    await settleFieldChanges(platform)
    expect((await change({ isActive: true })).status).toBe(200)
    const row = `where organization_id = $1 and field_id = $2 and state = 'QUEUED'`
    const token = newId()
    const attempt = async (attempts: number) => {
      const [item] = await platform.query<{ id: string }>(
        `update extensions.field_change set lease_token = $3, attempts = $4 ${row} returning id`,
        [owner.organizationId, id, token, attempts],
      )
      const leased = { id: item!.id, fieldId: id, attempts, organization: owner.organizationId, token, lostToken: null }
      return fieldChangeQueue.attempt(platform.services, leased, new AbortController().signal)
    }
    await platform.query(
      `alter table kernel.record_value add constraint fails check (record_id <> '${last.id}') not valid`,
    )
    try {
      await expect(attempt(4)).rejects.toThrow('fails')
      const [stored] = await platform.query(`select processed from extensions.field_change ${row}`, [
        owner.organizationId,
        id,
      ])
      expect(stored).toEqual({ processed: 10 })
      expect(await attempt(12)).toMatchObject({ isWait: true, afterMs: 900_000 })
    } finally {
      await platform.query('alter table kernel.record_value drop constraint fails')
    }
    expect((await owner.rest['customField']!({ id })).body).toMatchObject({ state: 'BUILDING' })
    await platform.query(`update extensions.field_change set lease_token = null ${row}`, [owner.organizationId, id])
    await settleFieldChanges(platform)
    expect((await owner.rest['customField']!({ id })).body).toMatchObject({ state: 'READY' })
    const refused = await remove(target.id)
    expect([problemsOf(refused), refused.body['count']]).toEqual(['409 HAS_DEPENDENTS', 12])
  })
})

describe('a deleted custom object with lookups', () => {
  it('is restored without what its records name of records that were deleted meanwhile', async () => {
    const { id } = await visitsOfAccounts(owner)
    const [target, kept] = [await account(owner), await account(owner)]
    const [lost, other] = [await visit(member, { account: target.id }), await visit(member, { account: kept.id })]
    await settleFieldChanges(platform)
    expect((await owner.rest['customObjectDelete']!({ id })).status).toBe(204)
    expect((await remove(target.id)).status).toBe(204)
    expect((await owner.rest['customObjectRestore']!({ id })).status).toBe(200)
    await settleFieldChanges(platform)
    const found = async (one: string) =>
      (await member.rest['customRecord']!({ name: 'site_visit', id: one } as never)).body as { customFields: object }
    expect([(await found(lost.id)).customFields, (await found(other.id)).customFields]).toEqual([
      {},
      { account: kept.id },
    ])
    expect((await remove(kept.id)).status).toBe(204)
    expect((await found(other.id)).customFields).toEqual({})
  })
})

describe('the record that a LOOKUP names', () => {
  const related = (id: string, by = member, selection = 'object id name record', key = 'partner') =>
    by.graphql(`{ account(id: "${id}") { customFields related(field: "${key}") { ${selection} } } }`)

  it('is beside the id, with its properties', async () => {
    await lookup(platform, owner)
    const target = await account(member, { name: 'Target', industry: 'Rail' })
    const { id } = await named(target.id)
    const { body } = await related(id)
    expect(body.data.account).toMatchObject({
      customFields: { partner: target.id },
      related: {
        object: 'account',
        id: target.id,
        name: 'Target',
        record: { id: target.id, name: 'Target', industry: 'Rail', version: 1, customFields: {} },
      },
    })
    const without = await named(null)
    expect((await related(without.id)).body.data.account.related).toBeNull()
  })

  it('may be of a custom object, whose records also have it', async () => {
    await visitsOfAccounts(owner)
    const target = await account(member, { name: 'Target' })
    const first = await visit(member, { subject: 'First', account: target.id })
    const { id } = await visit(member, { subject: 'Second', previous: first.id, account: target.id })
    const { body } = await member.graphql(
      `{ customRecord(object: "site_visit", id: "${id}") {
         previous: related(field: "previous") { object id record }
         account: related(field: "account") { object name } } }`,
    )
    expect(body.data.customRecord).toMatchObject({
      previous: {
        object: 'custom:site_visit',
        id: first.id,
        record: { object: 'site_visit', customFields: { subject: 'First' } },
      },
      account: { object: 'account', name: 'Target' },
    })
  })

  it('is null for a caller who does not see it, and hidden fields of it are empty', async () => {
    await lookup(platform, owner)
    const target = await account(owner, { name: 'Target', industry: 'Rail' })
    const restricted = await aUser({ visibility: 'OWN' })
    const { id } = await named(target.id, { ownerId: restricted.userId })
    expect((await related(id, restricted)).body.data.account).toEqual({
      customFields: { partner: target.id },
      related: null,
    })
    await platform.services.shapes.load(owner.organizationId)
    const ctx = systemContext(platform.services, owner.organizationId)
    const agent = await aUser()
    const profile = await createProfile(ctx, { name: 'Agents', fields: { account: { industry: 'HIDDEN' } } })
    await assignProfile(ctx, agent.userId, profile.id)
    const { record } = (await related(id, agent)).body.data.account.related
    expect([record.name, 'industry' in record]).toEqual(['Target', false])
    const blind = await aUser()
    const other = await createProfile(ctx, { name: 'Blind', fields: { account: { 'customFields.partner': 'HIDDEN' } } })
    await assignProfile(ctx, blind.userId, other.id)
    expect((await related(id, blind)).body.data.account).toEqual({ customFields: {}, related: null })
  })

  it('needs the scope of its type', async () => {
    await lookup(platform, owner, { lookupEntity: 'LEAD' })
    const target = await lead(member)
    const { id } = await named(target.id)
    const key = await aUser({ scopes: ['READ_ACCOUNTS'] })
    const { body } = await related(id, key)
    expect([body.data.account.related, body.errors[0].extensions]).toMatchObject([
      null,
      { code: 'API_KEY_SCOPE_INSUFFICIENT', missingScopes: ['READ_LEADS'] },
    ])
  })

  it.each(['nothing', 'code', '__proto__', "x' or true"])(
    'is refused for a field that is no LOOKUP: %s',
    async (key) => {
      await lookup(platform, owner)
      await field(owner)
      const { id } = await named(null)
      const { body } = await related(id, member, 'id', key)
      expect(body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ path: `customFields.${key}`, code: 'NOT_ALLOWED' }],
      })
    },
  )

  it('is read with one statement for all records of a page', async () => {
    await lookup(platform, owner)
    for (let n = 0; n < 5; n++) await named((await account(owner, { name: `Target ${n}` })).id)
    let names: string[] = []
    const list = (limit: number) =>
      statementsOf(platform, async () => {
        const { body } = await member.graphql(
          `{ accountList(page: 1, limit: ${limit}, filter: { name: { eq: "Naming" } }) { data { related(field: "partner") { name } } } }`,
        )
        names = (body.data.accountList.data as { related: { name: string } }[]).map((one) => one.related.name)
      })
    const [few, many] = [await list(1), await list(5)]
    expect([few.length, many.length]).toEqual([many.length, few.length])
    expect(names.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'Target 0',
      'Target 1',
      'Target 2',
      'Target 3',
      'Target 4',
    ])
  })
})

describe('expand', () => {
  const expanded = (id: string, by = member, expand = 'customFields.partner', more = {}) =>
    by.rest['account']!({ id, query: { expand, ...more } })

  it('adds the records that lookups name to reads and lists, by the names of the fields', async () => {
    await lookup(platform, owner)
    await field(owner, { name: 'source', fieldType: 'LOOKUP', lookupEntity: 'LEAD' })
    const target = await account(member, { name: 'Target' })
    const { id } = await named(target.id)
    const { status, body } = await expanded(id, member, 'owner,customFields.source,customFields.partner')
    expect([status, body.owner.id, body.customFields]).toEqual([200, member.userId, { partner: target.id }])
    expect(body.related).toMatchObject({
      partner: { object: 'account', id: target.id, name: 'Target', record: { id: target.id, name: 'Target' } },
      source: null,
    })
    const list = await member.rest['accountList']!({
      query: { expand: 'customFields.partner', fields: 'name', sortBy: 'createdAt', sortOrder: 'asc' },
    })
    expect(list.body.data).toEqual([
      { id: target.id, name: 'Target', related: { partner: null } },
      { id, name: 'Naming', related: { partner: body.related.partner } },
    ])
    expect((await member.rest['account']!({ id })).body).not.toHaveProperty('related')
  })

  it('changes the ETag when the named record changes, and is sent back with PATCH', async () => {
    await lookup(platform, owner)
    const target = await account(member, { name: 'Target' })
    const { id } = await named(target.id)
    const before = await expanded(id)
    await member.rest['accountUpdate']!({ id: target.id, body: { name: 'Renamed' } } as never)
    const after = await expanded(id)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect((await member.rest['accountUpdate']!({ id, body: before.body } as never)).status).toBe(200)
    for (const related of [
      { partner: { id } },
      { partner: null },
      { nothing: { id } },
      { 'x") { id } #': null },
      5,
      [1],
    ]) {
      const { status, body } = await member.rest['accountUpdate']!({ id, body: { related } } as never)
      expect([status, body.code], JSON.stringify(related)).toEqual([400, 'VALIDATION_FAILED'])
    }
  })

  it.each([
    ['customFields.nothing', 'customFields.nothing NOT_ALLOWED'],
    ['customFields.x") { id } #', 'expand.0 NOT_ALLOWED'],
    ['customFields.', 'expand.0 NOT_ALLOWED'],
    ['partner', 'expand.0 NOT_ALLOWED'],
    ['related', 'expand.0 NOT_ALLOWED'],
  ])('refuses %s', async (expand, problem) => {
    await lookup(platform, owner)
    const { id } = await named(null)
    expect(problemsOf(await expanded(id, member, expand))).toBe(`400 VALIDATION_FAILED ${problem}`)
  })

  it('needs the scope of the type, and shows no record that the caller does not see', async () => {
    await lookup(platform, owner, { lookupEntity: 'LEAD' })
    const { id } = await named((await lead(owner)).id)
    const key = await aUser({ scopes: ['READ_ACCOUNTS'] })
    expect(problemsOf(await expanded(id, key))).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    const restricted = await aUser({ visibility: 'OWN' })
    await member.rest['accountUpdate']!({ id, body: { ownerId: restricted.userId } } as never)
    expect((await expanded(id, restricted)).body.related).toEqual({ partner: null })
  })
})

describe('lists', () => {
  it('are filtered and sorted by a LOOKUP through its index, and find the records that refer to one', async () => {
    await visitsOfAccounts(owner)
    const [one, other] = [await account(member), await account(member)]
    await visit(member, { subject: 'A', account: one.id })
    await visit(member, { subject: 'B', account: other.id })
    await visit(member, { subject: 'C' })
    await settleFieldChanges(platform)
    const find = async (filter: string): Promise<unknown[]> => {
      const { body } = await member.graphql(
        `{ customRecordList(object: "site_visit", filter: { customFields: { account: { ${filter} } } }) { data { customFields } } }`,
      )
      expect(body.errors, JSON.stringify(body.errors)).toBeUndefined()
      return (body.data.customRecordList.data as { customFields: { subject: string } }[])
        .map(({ customFields }) => customFields.subject)
        .toSorted()
    }
    expect(await find(`eq: "${one.id}"`)).toEqual(['A'])
    expect(await find(`eq: "${one.id.toUpperCase()}"`)).toEqual(['A'])
    expect(await find(`in: ["${one.id}", "${other.id}"]`)).toEqual(['A', 'B'])
    expect(await find('isNull: true')).toEqual(['C'])
    const statements = await statementsOf(platform, () => find(`eq: "${one.id}"`), /record_value/)
    expect(statements.length).toBeGreaterThan(0)
    const { body } = await member.rest['customRecordList']!({
      name: 'site_visit',
      query: { 'customFields[account]': one.id, sortByCustomField: 'account' },
    } as never)
    expect([body.total, body.data[0].customFields.subject]).toEqual([1, 'A'])
    const refused = await member.rest['customRecordList']!({
      name: 'site_visit',
      query: { 'customFields[account]': 'x' },
    } as never)
    expect(refused.status).toBe(400)
  })
})
