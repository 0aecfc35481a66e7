import { describe, expect, it } from 'vitest'
import { account, supportCase } from '../builders.ts'
import { settleFieldChanges } from '../extensions/field-changes.fixture.ts'
import type { Member } from '../platform.ts'
import { aWebhook, deliverAll, restrict, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

const update = async (by: Member, id: string, body: object) =>
  expect((await by.rest.accountUpdate!({ id, body })).status).toBe(200)

/** What was received since the last call: of each webhook with a header `X-Case`, the versions of the records, or of the record with this id. */
async function received(of?: string): Promise<Record<string, number[]>> {
  await deliverAll(used)
  const versions: Record<string, number[]> = {}
  for (const { headers, body } of used.receiver.take()) {
    const { id, version } = body.data['record'] as { id: string; version: number }
    if (of === undefined || id === of) (versions[headers['x-case'] as string] ??= []).push(version)
  }
  for (const each of Object.values(versions)) each.sort((a, b) => a - b)
  return versions
}

const named = (name: string, input: object, by: Member = used.owner) =>
  aWebhook(used, { headers: { 'X-Case': name }, ...input }, by)

const anAdmin = (visibility: 'ALL' | 'OWN' = 'ALL') =>
  platform.member({ organizationId: used.owner.organizationId, role: 'ADMIN', visibility })

describe('conditions of a webhook', () => {
  it('select the events of records by every kind of operator, also about changes', async () => {
    const industry = (operator: string, value?: unknown) => ({ field: 'industry', operator, value })
    const revenue = (operator: string, value?: unknown) => ({ field: 'annualRevenue', operator, value })
    const cases: readonly [conditions: readonly object[], versions: readonly number[], logic?: 'OR'][] = [
      [[industry('EQUALS', 'Shipping')], [1, 2, 3, 5]],
      [[industry('NOT_EQUALS', 'Shipping')], [4, 6]],
      [[industry('IN', ['Retail', 'Mining'])], [4]],
      [[industry('CONTAINS', 'SHIP')], [1, 2, 3, 5]],
      [[industry('IS_EMPTY')], [6]],
      [[revenue('EQUALS', 100)], [1]],
      [[revenue('GREATER_THAN', 100)], [2, 3, 4]],
      [[revenue('GREATER_OR_EQUAL', 100)], [1, 2, 3, 4]],
      [[revenue('LESS_THAN', 100)], [5, 6]],
      [[revenue('BETWEEN', [100, 200.5])], [1, 2]],
      [[industry('CHANGED')], [4, 5, 6]],
      [[industry('CHANGED_FROM', 'Shipping')], [4, 6]],
      [[industry('CHANGED_TO', 'Shipping')], [5]],
      [[revenue('INCREASED')], [2, 3]],
      [[revenue('DECREASED')], [5]],
      [
        [revenue('INCREASED'), industry('EQUALS', 'Shipping')],
        [2, 3],
      ],
      [[revenue('DECREASED'), industry('CHANGED_TO', 'Retail')], [4, 5], 'OR'],
      [
        [industry('CHANGED'), { logic: 'OR', conditions: [revenue('LESS_THAN', 100), revenue('GREATER_THAN', 1e6)] }],
        [5, 6],
      ],
      [[{ field: 'name', operator: 'EQUALS', value: 'industry', valueType: 'FIELD' }], [1, 2, 3, 5]],
    ]
    for (const [index, [conditions, , logic]] of cases.entries())
      await named(`${index}`, { conditions, ...(logic && { logic }) })
    const { id } = await account(used.owner, { name: 'Shipping', annualRevenue: 100, industry: 'Shipping' })
    await update(used.owner, id, { annualRevenue: 200.5 })
    await update(used.owner, id, { annualRevenue: 300 })
    await update(used.owner, id, { industry: 'Retail' })
    await update(used.owner, id, { industry: 'Shipping', annualRevenue: 50 })
    await update(used.owner, id, { industry: null })
    const versions = await received()
    expect(cases.map(([conditions], index) => [conditions, versions[index] ?? []])).toEqual(
      cases.map(([conditions, expected]) => [conditions, expected]),
    )
  })

  it('compare what a LOOKUP names, also what a deletion clears', async () => {
    const { owner } = used
    const field = { entity: 'ACCOUNT', name: 'partner', label: 'Partner', fieldType: 'LOOKUP', lookupEntity: 'ACCOUNT' }
    expect((await owner.rest.customFieldCreate!({ body: field })).status).toBe(201)
    await settleFieldChanges(platform)
    const [one, two] = [(await account(owner)).id as string, (await account(owner)).id as string]
    const partner = (operator: string, value?: unknown) => [{ field: 'customFields.partner', operator, value }]
    await named('equals', { conditions: partner('EQUALS', two) })
    await named('in', { conditions: partner('IN', [one, two]) })
    await named('not', { conditions: partner('NOT_EQUALS', one) })
    await named('empty', { conditions: partner('IS_EMPTY') })
    await named('changed', { conditions: partner('CHANGED') })
    await named('from', { conditions: partner('CHANGED_FROM', one) })
    await named('field', { fields: ['customFields.partner'] })
    await received()
    const { id } = await account(owner, { customFields: { partner: one } })
    await update(owner, id, { name: 'Renamed' })
    await update(owner, id, { customFields: { partner: two.toUpperCase() } })
    const before = await received()
    expect(before).toEqual({ equals: [3], in: [1, 2, 3], not: [3], changed: [3], from: [3], field: [1, 3] })
    expect((await owner.rest.accountDelete!({ id: two })).status).toBe(204)
    const { body } = await owner.rest.account!({ id })
    expect([body.version, body.customFields]).toEqual([4, {}])
    expect(await received(id)).toEqual({ not: [4], empty: [4], changed: [4], field: [4] })
  })

  it('of all events that begin with the same word are compared with the records of their object', async () => {
    const selection = 'fragment Webhook on Case { subject }'
    const urgent = { field: 'priority', operator: 'EQUALS', value: 'HIGH' }
    await named('urgent', { events: ['case.*'], conditions: [urgent], fields: ['priority'], selection })
    await named('empty', { events: ['case.*'], conditions: [{ field: 'priority', operator: 'IS_EMPTY' }] })
    await named('inner', { events: ['case.*'], conditions: [{ field: 'isInternal', operator: 'EQUALS', value: true }] })
    const { rest } = used.owner
    const { id } = await supportCase(used.owner, { priority: 'LOW' })
    const set = async (body: object) => expect((await rest.caseUpdate!({ id, body })).status).toBe(200)
    await set({ priority: 'HIGH' })
    await set({ description: 'It leaks.' })
    expect((await rest.caseCommentCreate!({ id, body: { body: 'Look', isInternal: true } })).status).toBe(201)
    await deliverAll(used)
    const sent = used.receiver.take().map(({ headers, body }) => [headers['x-case'], body.type, body.data['selection']])
    expect(sent).toHaveLength(2)
    expect(Object.fromEntries(sent.map(([name, ...rest]) => [name, rest]))).toEqual({
      urgent: ['case.updated', { subject: expect.any(String) }],
      inner: ['case.comment_added', undefined],
    })
  })

  it('are never met while one of their fields is hidden from the owner of the webhook', async () => {
    const admin = await anAdmin()
    const phone = (operator: string, value?: unknown) => ({ field: 'phone', operator, value })
    const always = { field: 'name', operator: 'IS_NOT_EMPTY' }
    await named('equals', { conditions: [phone('EQUALS', '1')] }, admin)
    await named('other', { conditions: [phone('NOT_EQUALS', '2')] }, admin)
    await named('empty', { conditions: [phone('IS_EMPTY')] }, admin)
    await named('changed', { conditions: [phone('CHANGED')] }, admin)
    await named('either', { conditions: [phone('EQUALS', '1'), always], logic: 'OR' }, admin)
    await named('custom', { conditions: [{ field: 'customFields.margin', operator: 'GREATER_THAN', value: 5 }] }, admin)
    await named('visible', { conditions: [always] }, admin)
    const change = (version: number) => update(used.owner, id, { phone: '1', name: `Version ${version}` })
    const { id } = await account(used.owner, { phone: '1', customFields: { margin: 7 } })
    expect(await received()).toEqual({ equals: [1], other: [1], either: [1], custom: [1], visible: [1] })
    await restrict(used, admin, { phone: 'HIDDEN', 'customFields.margin': 'HIDDEN' })
    await change(2)
    expect(await received()).toEqual({ visible: [2] })
    await update(used.owner, id, { phone: null, customFields: { margin: 8 } })
    expect(await received()).toEqual({})
    await platform.query('update identity.app_user set profile_id = null where id = $1', [admin.userId])
    await change(4)
    expect(await received()).toEqual({
      equals: [4],
      other: [4],
      changed: [4],
      either: [4],
      custom: [4],
      visible: [4],
    })
  })

  it('are refused on a field that is hidden from the caller, and nothing is stored', async () => {
    const admin = await anAdmin()
    await restrict(used, admin, { phone: 'HIDDEN' })
    const body = {
      name: 'Phones',
      url: used.receiver.url,
      events: ['account.*'],
      conditions: [{ field: 'phone', operator: 'IS_EMPTY' }],
    }
    const refused = await admin.rest.webhookCreate!({ body })
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [{ path: 'conditions.0.field', code: 'FIELD_NOT_READABLE' }],
    ])
    expect((await used.owner.rest.webhookStats!()).body).toMatchObject({ total: 0 })
  })
})

describe('fields of a webhook', () => {
  it('compare a custom field by its own value, as the owner of the webhook sees it', async () => {
    const admin = await anAdmin()
    await restrict(used, admin, { 'customFields.region': 'HIDDEN' })
    const input = { events: ['account.updated'], fields: ['customFields.region'] }
    await named('region', input)
    await named('hidden', input, admin)
    await named('either', { ...input, fields: ['industry', 'customFields.region'] }, admin)
    const { id } = await account(used.owner, { customFields: { region: 'North', size: 1 } })
    await update(used.owner, id, { customFields: { region: 'North', size: 2 } })
    await update(used.owner, id, { customFields: { region: 'South', size: 2 } })
    await update(used.owner, id, { customFields: { region: null, size: 2 } })
    await update(used.owner, id, { industry: 'Retail' })
    expect(await received()).toEqual({ region: [3, 4], either: [5] })
  })
})

describe('a delivery has what the owner of the webhook may see', () => {
  it.each([1, 2])(
    'without hidden fields, which `redactedFields` names, in payload version %i',
    async (payloadVersion) => {
      const admin = await anAdmin()
      await restrict(used, admin, { phone: 'HIDDEN', 'customFields.margin': 'HIDDEN' })
      await aWebhook(used, { payloadVersion }, admin)
      const { id } = await account(used.owner, { name: 'Acme', phone: '1', customFields: { margin: 7, size: 1 } })
      await update(used.owner, id, { phone: '2', customFields: { margin: 8, size: 1 } })
      await update(used.owner, id, { name: 'Other', phone: '3' })
      await deliverAll(used)
      const sent = used.receiver.take().map(({ body }) => body.data)
      expect(sent.map(({ changedFields }) => changedFields)).toEqual([null, ['name']])
      const redactedFields = ['customFields.margin', 'phone']
      expect(sent).toMatchObject([
        { record: { name: 'Acme', version: 1, customFields: { size: 1 } }, previous: null, redactedFields },
        { record: { name: 'Other', version: 3 }, previous: { name: 'Acme', version: 2 }, redactedFields },
      ])
      expect(JSON.stringify(sent)).not.toMatch(/"phone":|"margin":/)
    },
  )

  it('and nothing of records of others, if the owner sees only own records', async () => {
    const admin = await anAdmin('OWN')
    await named('own', { events: ['account.*', 'case.comment_added'] }, admin)
    const [own, other] = [{ ownerId: admin.userId }, { ownerId: used.owner.userId }]
    const mine = await account(used.owner, { name: 'Mine', ...own })
    const foreign = await account(used.owner, { name: 'Foreign', ...other })
    const [myCase, foreignCase] = [await supportCase(used.owner, own), await supportCase(used.owner, other)]
    for (const { id } of [myCase, foreignCase])
      expect((await used.owner.rest.caseCommentCreate!({ id, body: { body: `On ${id}` } })).status).toBe(201)
    await update(used.owner, foreign.id, { name: 'Still foreign' })
    await update(used.owner, mine.id, { name: 'Given away', ...other })
    await deliverAll(used)
    expect(used.receiver.take().map(({ body: { type, data } }) => [type, data['record']])).toMatchObject([
      ['account.created', { id: mine.id, name: 'Mine' }],
      ['case.comment_added', { caseId: myCase.id }],
    ])
  })

  it.each([1, 2])(
    'and no state of a record from before the owner could see it, in payload version %i',
    async (payloadVersion) => {
      const admin = await anAdmin('OWN')
      const input = { payloadVersion, events: ['account.updated', 'email_template.updated'] }
      await named('all', { ...input, debounceSeconds: 60 }, admin)
      await named('renamed', { ...input, fields: ['name'] }, admin)
      await named('moved', { ...input, fields: ['industry'] }, admin)
      await named('changed', { ...input, conditions: [{ field: 'name', operator: 'CHANGED' }] }, admin)
      const { id } = await account(used.owner, { name: 'Secret', ownerId: used.owner.userId })
      await update(used.owner, id, { name: 'Given', ownerId: admin.userId })
      const template = { name: 'Draft', subject: 'Secret', bodyHtml: '<p>Secret</p>', isShared: false }
      const created = await used.owner.rest.emailTemplateCreate!({ body: template })
      const shared = await used.owner.rest.emailTemplateUpdate!({
        id: created.body.id,
        body: { subject: 'Offer', bodyHtml: '<p>Offer</p>', isShared: true },
      })
      expect([created.status, shared.status]).toEqual([201, 200])
      await deliverAll(used)
      const first = used.receiver.take()
      const shown = first.map(({ headers, body: { data } }) => [data['id'], headers['x-case'], data['previous']])
      expect(shown).toHaveLength(6)
      expect(shown).toEqual(
        expect.arrayContaining([
          [id, 'all', null],
          [id, 'renamed', null],
          [id, 'moved', null],
          [created.body.id, 'all', null],
          [created.body.id, 'renamed', null],
          [created.body.id, 'moved', null],
        ]),
      )
      expect(JSON.stringify(first.map(({ body }) => body))).not.toContain('Secret')
      await update(used.owner, id, { name: 'Renamed' })
      expect(await received()).toEqual({ renamed: [3], changed: [3] })
    },
  )
})
