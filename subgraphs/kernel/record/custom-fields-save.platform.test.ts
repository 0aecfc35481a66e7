import { storedEvents } from '../../../test/stored-events.ts'
import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Account } from '../../crm/account/account.ts'
import { account } from '../../crm/account/account.record.ts'
import { supportCase } from '../../support/case/case.record.ts'
import { fingerprintOf } from '../../../test/requests/fingerprint.ts'
import { newId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import type { CustomFieldDefinition } from './custom-field-column.ts'
import { CustomFieldsFixture, pageOf } from './custom-fields.fixture.ts'
import { shapeFor } from './shape-source.ts'
import { change, recordsOf } from './records-of.ts'

const fixture = new CustomFieldsFixture()
const accounts = recordsOf(account)

const fields: readonly CustomFieldDefinition[] = [
  { name: 'nickname', kind: 'text', max: 10, filled: true },
  { name: 'margin', kind: 'money', minimum: 0, maximum: 100, decimals: 2 },
  { name: 'loyal', kind: 'boolean' },
  { name: 'renewalAt', kind: 'timestamp' },
  { name: 'foundedOn', kind: 'date' },
  { name: 'tier', kind: 'enum', members: ['HOT', 'COLD'] },
  { name: 'regions', kind: 'textList', max: 4, maxItems: 2 },
]

let organizationId: string
let ctx: RequestContext

beforeAll(async () => {
  await fixture.open()
  organizationId = newId()
  fixture.definitions.define(organizationId, { account: fields })
  ctx = fixture.context(organizationId)
})
afterAll(() => fixture.close())

const fingerprint = () => fingerprintOf(<R>(text: string) => fixture.fresh.database.query<R>(text))
const create = (customFields: object) => accounts.create(ctx, { name: 'Northwind', customFields })
const update = (id: string, customFields: object) => accounts.update(ctx, id, { customFields })

const eventsOf = (id: string) =>
  storedEvents<{ type: string; data: Record<string, unknown> }>(
    (text, values) => fixture.fresh.database.query(text, values),
    'select type, data from kernel.event where record_id = $1 order by id',
    [id],
  )

const stored = async (id: string): Promise<unknown> => {
  const [row] = await fixture.fresh.database.query<{ values: unknown }>(
    `select custom_fields as values from crm.account where id = $1`,
    [id],
  )
  return row!.values
}

describe('save', () => {
  const values = {
    nickname: 'Nord',
    margin: 12.5,
    loyal: false,
    renewalAt: '2027-01-01T01:00+01:00',
    foundedOn: '2000-02-29',
    tier: 'HOT',
    regions: ['emea'],
  }
  const normalized = { ...values, renewalAt: '2027-01-01T00:00:00.000Z' }

  it('writes defined custom fields in their stored form', async () => {
    const { id, customFields } = await create(values)
    expect(customFields).toEqual(normalized)
    expect(await stored(id)).toEqual(normalized)
    const [event] = await eventsOf(id)
    expect(event!.data).toMatchObject({ record: { customFields: normalized }, changedFields: null })
    expect(Object.keys(event!.data.record as object).sort()).toEqual(
      account.columns.shown.map(({ name }) => name).sort(),
    )
  })

  it.each([
    [{ nickname: 5 }, 'nickname', 'WRONG_TYPE', 'customFields.nickname must be text.'],
    [{ nickname: ' ' }, 'nickname', 'EMPTY', 'customFields.nickname must not be empty.'],
    [{ nickname: 'x'.repeat(11) }, 'nickname', 'TOO_LONG', 'customFields.nickname must have at most 10 characters.'],
    [{ margin: '5' }, 'margin', 'WRONG_TYPE', 'customFields.margin must be a number.'],
    [{ margin: 101 }, 'margin', 'OUT_OF_RANGE', 'customFields.margin must be between 0 and 100.'],
    [{ margin: 1.125 }, 'margin', 'TOO_PRECISE', 'customFields.margin must have at most 2 decimals.'],
    [{ loyal: 'true' }, 'loyal', 'WRONG_TYPE', 'customFields.loyal must be true or false.'],
    [
      { renewalAt: '2027-02-30' },
      'renewalAt',
      'WRONG_TYPE',
      'customFields.renewalAt must be an ISO 8601 date and time.',
    ],
    [{ foundedOn: '2027-02-29' }, 'foundedOn', 'WRONG_TYPE', 'customFields.foundedOn must be an ISO 8601 date.'],
    [{ tier: 'WARM' }, 'tier', 'NOT_ALLOWED', 'customFields.tier must be one of HOT, COLD.'],
    [{ tier: 'toString' }, 'tier', 'NOT_ALLOWED', 'customFields.tier must be one of HOT, COLD.'],
    [{ regions: 'emea' }, 'regions', 'WRONG_TYPE', 'customFields.regions must be a list of text.'],
    [{ regions: ['europe'] }, 'regions.0', 'TOO_LONG', 'customFields.regions.0 must have at most 4 characters.'],
    [{ regions: ['a', 'b', 'c'] }, 'regions', 'TOO_MANY', 'customFields.regions must have at most 2 items.'],
  ])('refuses %j, and nothing changes', async (customFields, path, code, message) => {
    const { id } = await create({ nickname: 'Nord' })
    const before = await fingerprint()
    const errors = [{ path: `customFields.${path}`, code, message }]
    await expect(create(customFields)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', extensions: { errors } })
    await expect(update(id, customFields)).rejects.toMatchObject({ code: 'VALIDATION_FAILED', extensions: { errors } })
    expect(await fingerprint()).toBe(before)
  })

  it('names the custom fields that changed', async () => {
    const { id } = await create(values)
    await update(id, { margin: 13, tier: null, renewalAt: '2027-01-01T00:00:00Z' })
    const { customFields } = await update(id, { loyal: true })
    const { tier: _tier, ...rest } = normalized
    const after = { ...rest, margin: 13 }
    expect(customFields).toEqual({ ...after, loyal: true })
    expect((await eventsOf(id)).map(({ type, data }) => [type, data.changedFields])).toEqual([
      ['account.created', null],
      ['account.updated', ['customFields', 'customFields.margin', 'customFields.tier']],
      ['account.updated', ['customFields', 'customFields.loyal']],
    ])
    const [, first] = await eventsOf(id)
    expect(first!.data).toMatchObject({ previous: { customFields: normalized }, record: { customFields: after } })
  })

  it('refuses keys that are not defined, but keeps those that a record has, and lets them be removed', async () => {
    const { id } = await create({})
    await fixture.fresh.database.query(`update crm.account set custom_fields = '{"old": {"a": 1}}' where id = $1`, [id])
    const refused = { extensions: { errors: [{ path: 'customFields.old', code: 'UNKNOWN_FIELD' }] } }
    await expect(update(id, { old: 2 })).rejects.toMatchObject(refused)
    await expect(create({ old: 2 })).rejects.toMatchObject(refused)
    expect((await update(id, { old: { a: 1 }, margin: 1 })).customFields).toEqual({ old: { a: 1 }, margin: 1 })
    expect((await update(id, { old: null })).customFields).toEqual({ margin: 1 })
  })

  it('writes nothing when every value is the same', async () => {
    const { id, version } = await create(values)
    const before = await fingerprint()
    expect((await update(id, { renewalAt: '2027-01-01T00:00:00Z', margin: 12.5 })).version).toBe(version)
    expect(await fingerprint()).toBe(before)
  })

  it('keeps a value of the wrong kind until it is changed', async () => {
    const { id } = await create({})
    await fixture.fresh.database.query(`update crm.account set custom_fields = '{"margin": "abc"}' where id = $1`, [id])
    expect((await accounts.update(ctx, id, { name: 'Renamed' })).customFields).toEqual({ margin: 'abc' })
    expect((await update(id, { margin: 1 })).customFields).toEqual({ margin: 1 })
  })

  it('decides again on custom fields after a concurrent change', async () => {
    const { id } = await create({ margin: 1 })
    let attempts = 0
    const raised = await change<Account, typeof ctx>(ctx, account, id, async (previous) => {
      if (attempts++ === 0) await accounts.update(fixture.context(organizationId), id, { customFields: { margin: 5 } })
      return { operation: 'UPDATE', values: { customFields: { margin: (previous.customFields.margin as number) + 1 } } }
    })
    expect([attempts, raised.customFields]).toEqual([2, { margin: 6 }])
  })

  it('refuses fields that the profile makes read-only, and nothing changes', async () => {
    const { id } = await create({ margin: 1 })
    const before = await fingerprint()
    const restricted = fixture.context(organizationId, { fields: { account: { 'customFields.margin': 'READ' } } })
    await expect(accounts.update(restricted, id, { customFields: { margin: 2 } })).rejects.toMatchObject({
      code: 'FIELD_NOT_WRITABLE',
      extensions: { errors: [{ path: 'customFields.margin' }] },
    })
    expect(await fingerprint()).toBe(before)
    expect((await accounts.update(restricted, id, { customFields: { nickname: 'N' } })).customFields).toEqual({
      margin: 1,
      nickname: 'N',
    })
  })
})

describe('definitions of an organization', () => {
  it('change nothing when there are none', () => {
    const none = fixture.context(newId())
    expect(none.shapes).toBeNull()
    expect(shapeFor(none, account)).toBe(account)
    // The same holds when definitions exist only for other record types.
    expect(shapeFor(ctx, supportCase)).toBe(supportCase)
  })

  it('create one shape for each version', () => {
    const id = newId()
    fixture.definitions.define(id, { account: fields })
    const shape = shapeFor(fixture.context(id), account)
    expect(shapeFor(fixture.context(id), account)).toBe(shape)
    expect(shapeFor(fixture.context(id), shape)).toBe(shape)
    fixture.definitions.define(id, { account: fields })
    expect(shapeFor(fixture.context(id), account)).not.toBe(shape)
    expect(account.columns.customFields.size).toBe(0)
  })

  it('are those of the start of an operation; the next operation uses the current ones', async () => {
    const id = newId()
    const asked = { filter: { customFields: { size: { gt: 9 } } }, orderBy: [{ field: 'customFields.size' }] }
    fixture.definitions.define(id, { account: [{ name: 'size', kind: 'money' }] })
    const before = fixture.context(id)
    await accounts.create(before, { name: 'ten', customFields: { size: 10 } })
    fixture.definitions.define(id, { account: [{ name: 'size', kind: 'text' }] })
    const after = fixture.context(id)
    await accounts.create(after, { name: 'text', customFields: { size: '9' } })

    expect((await pageOf(before, account, asked)).names).toEqual(['ten'])
    await expect(pageOf(after, account, asked)).rejects.toMatchObject({
      extensions: { errors: [{ path: 'filter.customFields.size.gt', code: 'UNKNOWN_OPERATOR' }] },
    })
    const byText = { filter: { customFields: { size: { startsWith: '9' } } } }
    expect((await pageOf(after, account, byText)).names).toEqual(['text'])
    await expect(accounts.create(before, { name: 'x', customFields: { size: 'text' } })).rejects.toThrow()
    // Rules of a profile apply with both versions.
    const fields = { account: { 'customFields.size': 'HIDDEN' } } as const
    for (const context of [fixture.context(id, { fields }), { ...before, caller: { ...before.caller, fields } }])
      await expect(pageOf(context, account, asked)).rejects.toMatchObject({ code: 'FIELD_NOT_READABLE' })
  })

  it('refuse names that are not valid API names', () => {
    for (const name of ['', '1st', 'a b', "a'b", 'a"b', '__proto__', 'a'.repeat(65), 'naïve']) {
      const id = newId()
      fixture.definitions.define(id, { account: [{ name, kind: 'text' }] })
      expect(() => shapeFor(fixture.context(id), account)).toThrow('cannot be the name of a custom field')
    }
  })
})
