import { beforeEach, describe, expect, it } from 'vitest'
import { fieldChangeQueue } from '../../subgraphs/extensions/field-change/field-change.queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { statementsOf } from '../statements.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { copiesOf, settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
})

const create = (customFields: object) => member.rest['accountCreate']!({ body: { name: 'A', customFields } } as never)
const change = (id: string, body: object) => owner.rest['customFieldUpdate']!({ id, body } as never)
const read = async (id: string) => (await owner.rest['customField']!({ id })).body as Record<string, unknown>
const settle = () => settleFieldChanges(platform)

/** Live accounts without a row of the field, and rows of the field without a live account. */
async function apart(name = 'code'): Promise<[number, number]> {
  const [row] = await platform.query<{ missing: number; orphans: number }>(
    `select (select count(*)::int from crm.account t where t.organization_id = $1 and t.deleted_at is null and not exists (
        select from kernel.record_value v where v.organization_id = $1 and v.object = 'account' and v.field = $2 and v.record_id = t.id
          and v.text_value is not distinct from t.custom_fields ->> $2)) as missing,
      (select count(*)::int from kernel.record_value v where v.organization_id = $1 and v.object = 'account' and v.field = $2 and not exists (
        select from crm.account t where t.organization_id = $1 and t.id = v.record_id and t.deleted_at is null)) as orphans`,
    [owner.organizationId, name],
  )
  return [row!.missing, row!.orphans]
}

const rows = async (name = 'code'): Promise<number> => {
  const [row] = await platform.query<{ n: number }>(
    'select count(*)::int as n from kernel.record_value where organization_id = $1 and field = $2',
    [owner.organizationId, name],
  )
  return row!.n
}

/** Sets the field of all copies to a value of their own. */
const number = (name = 'code') =>
  platform.query(
    `update crm.account set custom_fields = jsonb_set(custom_fields, array[$2], to_jsonb(name)) where organization_id = $1 and name like 'n%'`,
    [owner.organizationId, name],
  )

const listed = async (): Promise<[string[], string[]]> => {
  let ids: string[] = []
  const statements = await statementsOf(
    platform,
    async () => {
      const { body } = await member.rest['accountList']!({
        query: { sortByCustomField: 'code', sortOrder: 'asc', limit: 3 },
      } as never)
      ids = (body as { data: { customFields: { code: string } }[] }).data.map(({ customFields }) => customFields.code)
    },
    /record_value/,
  )
  return [ids, statements]
}

describe('isIndexed', () => {
  it('is built for the records that exist, while lists read without it, and then lists read it', async () => {
    const { id } = await account(member, { customFields: { code: 'first' } })
    await copiesOf(platform, member, id, 2_100)
    await number()
    await platform.query(`update crm.account set deleted_at = now() where organization_id = $1 and name like 'n1%'`, [
      owner.organizationId,
    ])
    const created = await field(owner, { isIndexed: true })
    expect([created['state'], created['progress']]).toMatchObject(['BUILDING', { change: 'BUILD_INDEX' }])
    const before = await listed()
    expect(before[1]).toEqual([])
    await create({ code: 'written meanwhile' })
    await settle()
    expect([(await read(created.id))['state'], await apart()]).toEqual(['READY', [0, 0]])
    const after = await listed()
    expect(after[0]).toEqual(before[0])
    expect(after[1].length).toBeGreaterThan(0)
  })

  it('ends with rows of live records only, whatever is written while it is built', async () => {
    const { id } = await account(member, { customFields: { code: 'first' } })
    await copiesOf(platform, member, id, 2_500)
    const ids = await platform.query<{ id: string }>(
      `select id from crm.account where organization_id = $1 and name like 'n%' order by id`,
      [owner.organizationId],
    )
    const { id: fieldId } = await field(owner, { isIndexed: true })
    const building = { isDone: false }
    const writer = async (from: number) => {
      for (let at = from; !building.isDone && at < ids.length; at += 40) {
        const one = ids[at]!.id
        const isDeleted = at % 3 === 0
        if (isDeleted) await member.rest['accountDelete']!({ id: one })
        else
          await member.rest['accountUpdate']!({ id: one, body: { customFields: { code: `changed ${at}` } } } as never)
        if (at % 6 === 0) await member.rest['accountRestore']!({ id: one })
      }
    }
    const writers = [0, 7, 15, 28].map(writer)
    await settle()
    building.isDone = true
    await Promise.all(writers)
    expect([(await read(fieldId))['state'], await apart()]).toEqual(['READY', [0, 0]])
  })

  it('removes its rows when the field is no longer indexed, is inactive, or is deleted and restored', async () => {
    const { id: accountId } = await account(member, { customFields: { code: 'first' } })
    const { id } = await field(owner, { isIndexed: true })
    await settle()
    expect(await rows()).toBe(1)
    await change(id, { isIndexed: false })
    await settle()
    expect(await rows()).toBe(0)
    await change(id, { isIndexed: true, isUnique: true })
    await settle()
    expect((await read(id))['isUnique']).toBe(true)
    await owner.rest['customFieldDelete']!({ id })
    expect(await rows()).toBe(1)
    await settle()
    expect(await rows()).toBe(0)
    await owner.rest['customFieldRestore']!({ id })
    await settle()
    expect(await apart()).toEqual([0, 0])
    await owner.rest['customFieldDelete']!({ id })
    await member.rest['accountUpdate']!({ id: accountId, body: { customFields: { code: null } } } as never)
    await owner.rest['customFieldRestore']!({ id })
    expect((await read(id))['state']).toBe('BUILDING')
    await settle()
    expect(await apart()).toEqual([0, 0])
    await change(id, { isActive: false })
    await settle()
    expect(await rows()).toBe(0)
    expect((await create({})).status).toBe(201)
    await change(id, { isActive: true })
    await settle()
    expect(await apart()).toEqual([0, 0])
  })

  it('is built again with another default of a CHECKBOX, which records without a value have', async () => {
    await account(member)
    const { id } = await field(owner, { name: 'active', fieldType: 'CHECKBOX', isIndexed: true, defaultValue: 'true' })
    await settle()
    await account(member, { customFields: { active: true } })
    const found = async (active: string) =>
      (await member.rest['accountList']!({ query: { 'customFields[active]': active } } as never)).body['total']
    expect([await found('true'), await found('false')]).toEqual([2, 0])
    const { body } = await change(id, { defaultValue: 'false' })
    expect(body).toMatchObject({ state: 'BUILDING', progress: { change: 'BUILD_INDEX' } })
    expect([await found('true'), await found('false')]).toEqual([1, 1])
    await settle()
    const statements = await statementsOf(platform, () => found('true'), /record_value/)
    expect([(await read(id))['state'], statements.length > 0]).toEqual(['READY', true])
    expect([await found('true'), await found('false')]).toEqual([1, 1])
  })

  it('is removed in batches, in which the field can be changed and indexed again', async () => {
    const { id: first } = await account(member, { customFields: { code: 'first' } })
    await copiesOf(platform, member, first, 4_100)
    const { id } = await field(owner, { isIndexed: true })
    await settle()
    expect((await change(id, { isIndexed: false })).body).toMatchObject({ state: 'READY', progress: null })
    await settle()
    const [removal] = await platform.query(
      `select state, processed from extensions.field_change where organization_id = $1 and kind = 'REMOVE_INDEX'`,
      [owner.organizationId],
    )
    expect([await rows(), removal]).toEqual([0, { state: 'DONE', processed: 4_101 }])
    await change(id, { isIndexed: true })
    await settle()
    await change(id, { isIndexed: false })
    expect((await change(id, { isIndexed: true })).body).toMatchObject({ state: 'BUILDING' })
    await settle()
    expect([(await read(id))['state'], await apart()]).toEqual(['READY', [0, 0]])
  })

  it('is for the types of which an index has values, and for 25 fields of a record type', async () => {
    for (const body of [
      { name: 'a', fieldType: 'TEXTAREA', isIndexed: true },
      { name: 'a', fieldType: 'MULTI_PICKLIST', picklistValues: [{ value: 'A' }], isIndexed: true },
      { name: 'a', fieldType: 'CHECKBOX', isUnique: true },
    ]) {
      const refused = await owner.rest['customFieldCreate']!({
        body: { entity: 'ACCOUNT', label: 'A', ...body },
      } as never)
      expect(problemsOf(refused)).toBe(
        `400 VALIDATION_FAILED ${'isUnique' in body ? 'isUnique' : 'isIndexed'} NOT_ALLOWED`,
      )
    }
    for (let n = 0; n < 25; n++) await field(owner, { name: `f${n}`, isIndexed: n % 2 === 0, isUnique: n % 2 === 1 })
    const refused = await owner.rest['customFieldCreate']!({
      body: { entity: 'ACCOUNT', label: 'A', name: 'another', fieldType: 'TEXT', isIndexed: true },
    } as never)
    expect(problemsOf(refused)).toBe('409 LIMIT_REACHED')
    await field(owner, { name: 'another' })
    await field(owner, { entity: 'LEAD', isIndexed: true })
  })
})

describe('isUnique', () => {
  it('compares the records that exist; equal values are listed, and the field is what it was', async () => {
    const { id: first } = await account(member, { customFields: { code: 'Same  value' } })
    const { id: other } = await account(member, { customFields: { code: 'same value' } })
    await account(member, { customFields: { code: 'another' } })
    const { id } = await field(owner)
    const answer = await change(id, { isUnique: true })
    expect([answer.status, (answer.body as { state: string }).state]).toEqual([200, 'BUILDING'])
    expect(problemsOf((await create({ code: 'another' })) as never)).toMatch(/^(201|409 UNIQUE_VIOLATION)/)
    await settle()
    expect(await read(id)).toMatchObject({
      state: 'READY',
      isUnique: false,
      isIndexed: false,
      progress: { change: 'BUILD_INDEX', failures: expect.any(Number) as number },
    })
    const { body: failures } = await owner.rest['customFieldFailures']!({ id })
    expect(failures).toContainEqual(
      expect.objectContaining({ recordId: other, value: 'same value', code: 'NOT_UNIQUE', conflictingId: first }),
    )
    expect((await create({ code: 'same value' })).status).toBe(201)
    expect(await rows()).toBe(0)
  })

  it('does not hold for a field that cannot be unique when it is active again', async () => {
    const { id: one } = await account(member, { customFields: { code: 'one' } })
    const { id } = await field(owner, { isUnique: true })
    await settle()
    await change(id, { isActive: false })
    await copiesOf(platform, member, one, 1)
    expect((await change(id, { isActive: true })).body).toMatchObject({ state: 'BUILDING', isUnique: true })
    await settle()
    expect(await read(id)).toMatchObject({ state: 'READY', isActive: true, isUnique: false, isIndexed: false })
    expect([(await create({ code: 'one' })).status, await rows()]).toEqual([201, 0])
  })

  it('ends after 20 equal values', async () => {
    const { id: first } = await account(member, { customFields: { code: 'x' } })
    await copiesOf(platform, member, first, 60)
    const { id } = await field(owner, { isIndexed: true })
    await settle()
    await change(id, { isUnique: true })
    await settle()
    expect(await read(id)).toMatchObject({ isUnique: false, isIndexed: true, progress: { failures: 20 } })
    expect(await apart()).toEqual([0, 0])
    expect((await create({ code: 'x' })).status).toBe(201)
  })

  it('refuses equal values of writes from the answer on, in REST and GraphQL, and names the other record', async () => {
    const { id } = await field(owner, { isUnique: true })
    await settle()
    const { body } = await create({ code: 'Ä 1' })
    const refused = await create({ code: 'ä\u20031' })
    expect(problemsOf(refused as never)).toBe('409 UNIQUE_VIOLATION customFields.code NOT_UNIQUE')
    expect((refused.body as { errors: { conflictingId: string }[] }).errors[0]!.conflictingId).toBe(
      (body as { id: string }).id,
    )
    await change(id, { isUnique: false, isIndexed: true })
    expect((await create({ code: 'ä 1' })).status).toBe(201)
    await change(id, { isUnique: true })
    await settle()
    expect((await read(id))['isUnique']).toBe(false)
  })

  it('continues after a batch whose process has died', async () => {
    const { id: first } = await account(member, { customFields: { code: 'first' } })
    await copiesOf(platform, member, first, 2_100)
    await number()
    const { id } = await field(owner, { isUnique: true })
    // The lease of a process that was killed after its first batch.
    const ended = new AbortController()
    ended.abort()
    await drain(
      {
        ...fieldChangeQueue,
        attempt: (services, item) => fieldChangeQueue.attempt(services, item, ended.signal),
      } as typeof fieldChangeQueue,
      platform.services,
    ).catch(() => undefined)
    await settle()
    expect([(await read(id))['state'], await apart()]).toEqual(['READY', [0, 0]])
  })
})
