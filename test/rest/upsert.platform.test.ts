import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, lead } from '../builders.ts'
import { refusedInputs, unchanged } from '../expectations.ts'
import { anOrganization, field } from '../extensions/custom-fields.fixture.ts'
import { object } from '../extensions/custom-objects.fixture.ts'
import { settleFieldChanges } from '../extensions/field-changes.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()
let owner: Member
let member: Member
beforeAll(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await field(owner, { name: 'serial', fieldType: 'TEXT', isUnique: true })
  await field(owner, { name: 'place', fieldType: 'NUMBER', isUnique: true })
  await field(owner, { name: 'free', fieldType: 'TEXT' })
  await settleFieldChanges(platform)
})

let value: string
beforeEach(() => {
  value = newId()
})

interface Given {
  readonly field?: string
  readonly value?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

const put = (given: Given = {}, by = member) =>
  by.rest['accountUpsert']!({ field: 'externalId', value, body: { name: 'Alder' }, ...given })
const get = (given: Given = {}, by = member) => by.rest['accountByKey']!({ field: 'externalId', value, ...given })

/** Two live records with the same external id, as they may be from before external ids were unique. */
async function twins(externalId: string): Promise<string[]> {
  const ids: string[] = [(await account(member, { externalId })).id, (await account(member)).id]
  await platform.query('update crm.account set external_id = $2, shares_external_id = true where id = $1', [
    ids[1],
    externalId,
  ])
  return ids.toSorted()
}

describe('PUT …/by/{field}/{value}', () => {
  it('creates a record with the key, 201, then changes it, 200, and changes nothing when it is repeated', async () => {
    const created = await put({ body: { name: 'Alder', industry: 'Mining' } })
    const { id } = created.body as { id: string }
    expect([created.status, created.body.version, created.body.externalId]).toEqual([201, 1, value])
    const { headers } = created
    expect([headers.get('etag'), headers.get('location')]).toEqual(['"1"', `/v1/accounts/${id}`])
    const changed = await put({ body: { name: 'Birch' } })
    expect([changed.status, changed.headers.get('etag'), changed.headers.get('location')]).toEqual([200, '"2"', null])
    expect(changed.body).toMatchObject({ id, name: 'Birch', industry: 'Mining', version: 2 })
    const again = await unchanged(platform, () => put({ body: { name: 'Birch' } }))
    expect([again.status, again.body]).toEqual([200, changed.body])
    expect(await platform.eventTypesOf(id)).toEqual(['account.created', 'account.updated'])
    expect((await get()).body).toEqual(changed.body)
  })

  it('finds records by a unique custom field, in the form in which it is unique', async () => {
    const made = await put({ field: 'serial', value: ' Größe  7', body: { name: 'A', customFields: { free: 'x' } } })
    expect([made.status, made.body.customFields]).toEqual([201, { free: 'x', serial: 'Größe  7' }])
    const found = await put({ field: 'customFields.serial', value: 'GRÖSSE 7'.replace('SS', 'ß'), body: { name: 'B' } })
    expect([found.status, found.body.id, found.body.customFields.serial]).toEqual([200, made.body.id, 'Größe  7'])
    const numbered = await put({ field: 'place', value: '7.50', body: { name: 'N' } })
    expect([numbered.status, numbered.body.customFields.place]).toEqual([201, 7.5])
    expect((await get({ field: 'place', value: '7.5' })).body.id).toBe(numbered.body.id)
  })

  it('only creates with If-None-Match: *, and only changes with If-Match', async () => {
    const onlyNew = { headers: { 'If-None-Match': '*' } }
    const onlyVersion = (version: number) => ({ headers: { 'If-Match': `"${version}"` } })
    expect(await refusedInputs(platform, () => put(onlyVersion(1)))).toEqual([404, 'NOT_FOUND'])
    const { status, body } = await put(onlyNew)
    expect(status).toBe(201)
    const refused = await unchanged(platform, () => put(onlyNew))
    expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
      412,
      'PRECONDITION_FAILED',
      [expect.objectContaining({ path: 'value', code: 'NOT_UNIQUE', conflictingId: body.id })],
    ])
    expect(await refusedInputs(platform, () => put(onlyVersion(2)))).toEqual([409, 'VERSION_CONFLICT'])
    expect((await put({ ...onlyVersion(1), body: { name: 'C' } })).body).toMatchObject({ id: body.id, version: 2 })
  })

  it.each<[string, Given, (string | number)[]]>([
    ['a field that is no key', { field: 'name' }, [400, 'VALIDATION_FAILED', 'field NOT_A_KEY']],
    ['a custom field that is not unique', { field: 'free' }, [400, 'VALIDATION_FAILED', 'field NOT_A_KEY']],
    ['a field that does not exist', { field: 'toString' }, [400, 'VALIDATION_FAILED', 'field NOT_A_KEY']],
    ['a blank value', { value: '  ' }, [400, 'VALIDATION_FAILED', 'value REQUIRED']],
    ['a text for a number', { field: 'place', value: 'x' }, [400, 'VALIDATION_FAILED', 'value WRONG_TYPE']],
    [
      'another value in the body',
      { body: { name: 'A', externalId: 'other' } },
      [400, 'VALIDATION_FAILED', 'externalId DIFFERENT_KEY'],
    ],
    [
      'null in the key field',
      { body: { name: 'A', externalId: null } },
      [400, 'VALIDATION_FAILED', 'externalId DIFFERENT_KEY'],
    ],
    ['a new record without its name', { body: {} }, [400, 'VALIDATION_FAILED', 'name REQUIRED']],
    [
      'a field that does not exist in the body',
      { body: { name: 'A', nam: 1 } },
      [400, 'UNKNOWN_FIELD', 'nam UNKNOWN_FIELD'],
    ],
    [
      'an If-None-Match that is not *',
      { headers: { 'If-None-Match': '"1"' } },
      [400, 'VALIDATION_FAILED', 'If-None-Match WRONG_FORMAT'],
    ],
  ])('refuses %s, and nothing changes', async (_, given, expected) => {
    expect(await refusedInputs(platform, () => put(given))).toEqual(expected)
  })

  it('refuses a key of several records, with their ids, and reads none of them', async () => {
    const ids = await twins(value)
    for (const call of [() => put(), () => get()]) {
      const { status, body } = await unchanged(platform, call)
      expect([status, body.code, body.errors[0].conflictingIds.toSorted()]).toEqual([409, 'AMBIGUOUS_MATCH', ids])
    }
  })

  it('refuses a key of a record that the caller does not see, without naming it', async () => {
    await account(member, { externalId: value })
    const { organizationId } = member
    const limited = await platform.member({ organizationId, visibility: 'OWN' })
    const { status, body } = await unchanged(platform, () => put({}, limited))
    expect([status, body.code, body.errors]).toEqual([
      409,
      'UNIQUE_VIOLATION',
      [{ path: 'externalId', code: 'NOT_UNIQUE', message: 'Another account already has this externalId.' }],
    ])
    expect((await get({}, limited)).status).toBe(404)
  })

  it('follows the rights of the caller: scope, role and profile', async () => {
    const { organizationId } = member
    const reader = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    expect(await refusedInputs(platform, () => put({}, reader))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    const readOnly = await platform.member({ organizationId, role: 'READ_ONLY' })
    expect(await refusedInputs(platform, () => put({}, readOnly))).toEqual([403, 'PERMISSION_DENIED'])
    const restricted = await platform.member({ organizationId })
    const context = systemContext(platform.services, organizationId)
    const { id } = await createProfile(context, {
      name: newId(),
      fields: { account: { externalId: 'READ', 'customFields.serial': 'HIDDEN', industry: 'READ' } },
    })
    await assignProfile(context, restricted.userId, id)
    expect(await refusedInputs(platform, () => put({}, restricted))).toEqual([
      403,
      'FIELD_NOT_WRITABLE',
      'externalId FIELD_NOT_WRITABLE',
    ])
    await put()
    expect((await put({ body: { name: 'Changed' } }, restricted)).status).toBe(200)
    const industry = () => put({ body: { industry: 'x' } }, restricted)
    expect((await unchanged(platform, industry)).body.code).toBe('FIELD_NOT_WRITABLE')
    for (const call of [put, get])
      expect((await call({ field: 'serial' }, restricted)).body.code).toBe('FIELD_NOT_READABLE')
  })

  it('makes one record of eight requests at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put({ body: { name: 'Same', industry: `I ${index}` } })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array<number>(7).fill(200), 201])
    expect(new Set(answers.map(({ body }) => body.id as string)).size).toBe(1)
    const [{ body }] = answers as [Answer]
    expect(await platform.eventTypesOf(body.id as string)).toHaveLength(8)
  })

  it('takes back what a read returned, and creates a deleted record anew', async () => {
    const { body } = await put()
    const sent = await put({ body: { ...body, name: 'Sent back' } })
    expect(sent.body).toMatchObject({ id: body.id, name: 'Sent back', version: 2 })
    await member.rest.accountDelete!({ id: body.id })
    expect((await get()).status).toBe(404)
    const anew = await put()
    expect([anew.status, anew.body.id === body.id]).toEqual([201, false])
  })

  it('reads a record with chosen fields, and answers 304 while it is as it was', async () => {
    await put()
    const { body, headers } = await member.rest['accountByKey']!({
      field: 'externalId',
      value,
      query: { fields: 'id,name' },
    })
    expect(Object.keys(body as object)).toEqual(['id', 'name'])
    expect((await get({ headers: { 'If-None-Match': headers.get('etag')! } })).status).toBe(304)
    expect((await get({ value: newId() })).body.code).toBe('NOT_FOUND')
  })

  it('works with records of a custom object, and with the rules of the other types', async () => {
    await object(owner)
    const visit = (body: object) =>
      member.rest['customRecordUpsert']!({ name: 'site_visit', field: 'externalId', value, body })
    expect((await visit({ customFields: { hours: 1 } })).body.code).toBe('VALIDATION_FAILED')
    const made = await visit({ customFields: { subject: 'Pump' } })
    expect([made.status, made.headers.get('location')]).toEqual([
      201,
      `/v1/custom-objects/site_visit/records/${made.body.id}`,
    ])
    expect((await visit({ customFields: { hours: 2 } })).body).toMatchObject({
      id: made.body.id,
      customFields: { subject: 'Pump', hours: 2 },
    })
    const read = await member.rest['customRecordByKey']!({ name: 'site_visit', field: 'externalId', value })
    expect(read.body.id).toBe(made.body.id)

    const { id } = await lead(member, { externalId: value })
    const leadUpsert = (body: object) => member.rest['leadUpsert']!({ field: 'externalId', value, body })
    expect((await leadUpsert({ status: 'CONVERTED' })).status).not.toBe(200)
    expect((await leadUpsert({ company: 'Alder' })).body).toMatchObject({ id, company: 'Alder' })
  })
})

describe('POST …/batch/upsert', () => {
  const send = (body: object, headers = {}) => member.rest['accountBulkUpsert']!({ body, headers })

  it('creates and changes records by their keys, each on its own, in the order of the request', async () => {
    const [other, hidden, twice] = [newId(), newId(), newId()]
    const { id } = await account(member, { externalId: value })
    await account(member, { externalId: hidden })
    await twins(twice)
    const { status, body } = await send({
      items: [
        { externalId: other, name: 'New' },
        { externalId: value, name: 'Changed', expectedVersion: 1 },
        { externalId: other, industry: 'Mining' },
        { externalId: newId() },
        { name: 'Without key' },
        { externalId: hidden, name: 'Stale', expectedVersion: 7 },
        { externalId: twice, name: 'Twice' },
      ],
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ requested: 7, succeeded: 3, created: 1, failed: 4 })
    const results = body.results as {
      status: string
      code: string
      key: string
      id: string
      errors: { path: string }[]
    }[]
    expect(results.map((one) => [one.status, one.code, one.errors?.map(({ path }) => path).join()])).toEqual([
      ['CREATED', null, undefined],
      ['UPDATED', null, undefined],
      ['UPDATED', null, undefined],
      ['FAILED', 'VALIDATION_FAILED', 'name'],
      ['FAILED', 'VALIDATION_FAILED', 'externalId'],
      ['FAILED', 'VERSION_CONFLICT', undefined],
      ['FAILED', 'AMBIGUOUS_MATCH', 'externalId'],
    ])
    expect([results[0]!.key, results[1]!.id, results[4]!.key]).toEqual([other, id, null])
    const made = (await get({ value: other })).body
    expect(made).toMatchObject({ id: results[0]!.id, name: 'New', industry: 'Mining', version: 2 })
  })

  it('finds records by a unique custom field, and is applied once with an Idempotency-Key', async () => {
    const items = [1, 2].map((number) => ({ name: `A ${number}`, customFields: { place: 1000 + number } }))
    const headers = { 'Idempotency-Key': newId() }
    const first = await send({ field: 'place', items }, headers)
    expect(first.body).toMatchObject({ created: 2, results: [{ key: '1001' }, { key: '1002' }] })
    const replayed = await unchanged(platform, () => send({ field: 'place', items }, headers))
    expect([replayed.headers.get('idempotent-replayed'), replayed.body]).toEqual(['true', first.body])
    expect((await send({ field: 'place', items })).body).toMatchObject({ created: 0, succeeded: 2 })
  })

  it('makes one record of each key when several with the same keys in another order come at once', async () => {
    const keys = Array.from({ length: 20 }, () => newId())
    const items = keys.map((externalId) => ({ externalId, name: externalId }))
    const answers = await Promise.all(
      [items, items.toReversed(), items, items.toReversed()].map((given) => send({ items: given })),
    )
    expect(answers.map(({ status, body }) => [status, body.failed])).toEqual(items.slice(0, 4).map(() => [200, 0]))
    expect(answers.reduce((sum, { body }) => sum + (body.created as number), 0)).toBe(20)
  })

  it.each([
    ['no items', { items: [] }, 'items'],
    ['a field that is no key', { field: 'name', items: [{ name: 'A' }] }, 'field'],
    ['more than 500 items', { items: Array.from({ length: 501 }, () => ({ externalId: 'x', name: 'A' })) }, 'items'],
  ])('refuses %s as a whole', async (_, body, path) => {
    const refused = await unchanged(platform, () => send(body))
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, path])
  })
})

describe('accountUpsert of GraphQL', () => {
  it('tells whether the record was created, and refuses with the codes of REST', async () => {
    const document = `mutation ($value: String!, $onlyCreate: Boolean) {
      accountUpsert(value: $value, input: { name: "A" }, onlyCreate: $onlyCreate) { isCreated record { id externalId } }
    }`
    const { body } = await member.graphql(document, { value })
    expect(body.data.accountUpsert).toEqual({
      isCreated: true,
      record: { id: expect.any(String) as string, externalId: value },
    })
    const again = await member.graphql(document, { value })
    expect(again.body.data.accountUpsert.isCreated).toBe(false)
    const refused = await member.graphql(document, { value, onlyCreate: true })
    expect(refused.body.errors[0].extensions.code).toBe('PRECONDITION_FAILED')
    const read = await member.graphql(`query ($value: String!) { accountByKey(value: $value) { id } }`, { value })
    expect(read.body.data.accountByKey.id).toBe(body.data.accountUpsert.record.id)
  })
})
