import { describe, expect, it, vi } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { deactivateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, contact, supportCase } from '../builders.ts'
import { protocols, type Payload } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
// `publish` writes events without a type.
platform.hasOwnEvents = true

const refusal = (code: string, more: object = {}) => ({ errors: [{ extensions: { code, ...more } }] })
const wrongInput = (path: string, code: string) => refusal('VALIDATION_FAILED', { errors: [{ path, code }] })

async function update(member: Member, id: string, body: object): Promise<void> {
  expect((await member.rest.accountUpdate!({ id, body })).status).toBe(200)
}

const anOrganization = (name: string) => platform.organization(name)
const latest = ({ organizationId }: Member) => platform.services.events.latest(organizationId)

/** Writes custom events as they are after their publication. */
async function publish({ organizationId, userId }: Member, type: string, ...payloads: object[]): Promise<void> {
  await platform.services.database.query(
    `insert into kernel.event (organization_id, id, type, version, occurred_at, object, record_id, data, actor_id)
     select $1, uuidv7(), $2, 1, $3, 'custom_event', uuidv7(), data, $4
     from jsonb_array_elements($5::jsonb) with ordinality as d (data, number) order by number`,
    [organizationId, `custom.${type}`, platform.now.toISOString(), userId, JSON.stringify(payloads)],
  )
}

describe.each(protocols)('recordChanged with a filter over %s', (_protocol, subscribe) => {
  const changed = `subscription ($id: ID, $after: String, $filter: [ConditionInput!], $logic: ConditionLogic) {
    recordChanged(object: ACCOUNT, id: $id, after: $after, filter: $filter, logic: $logic) { type account { name } }
  }`
  const change = (type: string, name: string) => ({ data: { recordChanged: { type, account: { name } } } })

  it('sends only the events that meet it', async () => {
    const member = await platform.member()
    const { id } = await account(member, { name: 'Acme' })
    const filter = [
      { field: 'name', operator: 'CHANGED' },
      { field: 'name', operator: 'STARTS_WITH', value: 'b' },
    ]
    const both = await subscribe(platform, member, changed, { id, filter, after: '0' })
    const either = await subscribe(platform, member, changed, { id, filter, logic: 'OR', after: '0' })
    for (const body of [{ name: 'Aker' }, { name: 'Bravo' }, { phone: '1' }, { name: 'Beta' }]) {
      await update(member, id, body)
      // The payload has the record at the time of delivery, so each is awaited.
      if (body.name) expect(await either.next()).toEqual(change('account.updated', body.name))
      if (body.name?.startsWith('B')) expect(await both.next()).toEqual(change('account.updated', body.name))
      if (body.phone) expect(await either.next()).toEqual(change('account.updated', 'Bravo'))
    }
  })

  it('follows all records of the type that the subscriber sees, if no record is named', async () => {
    const organizationId = await anOrganization('All records')
    const all = await platform.member({ organizationId })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const ofAll = await subscribe(platform, all, changed, { after: '0' })
    const ofOwn = await subscribe(platform, own, changed, { after: '0' })
    const stranger = await platform.member({ organizationId: await anOrganization('Another') })
    await account(stranger, { name: 'Foreign' })
    await account(all, { name: 'Hidden', ownerId: all.userId })
    await contact(all)
    const { id } = await account(all, { name: 'Mine', ownerId: own.userId })
    for (const name of ['Hidden', 'Mine']) expect(await ofAll.next()).toEqual(change('account.created', name))
    expect(await ofOwn.next()).toEqual(change('account.created', 'Mine'))
    expect((await all.rest.accountDelete!({ id })).status).toBe(204)
    const deleted = { data: { recordChanged: { type: 'account.deleted', account: null } } }
    expect([await ofAll.next(), await ofOwn.next()]).toEqual([deleted, deleted])
    // A deletion is not the end of a subscription to all records.
    await account(all, { name: 'Later', ownerId: own.userId })
    expect(await ofOwn.next()).toEqual(change('account.created', 'Later'))
  })

  it('sends the events of several record types in one stream, in their order', async () => {
    const organizationId = await anOrganization('Several types')
    const all = await platform.member({ organizationId })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const several = `subscription ($objects: [RecordObject!], $after: String) {
      recordChanged(objects: $objects, after: $after) { object type account { name } contact { lastName } }
    }`
    const objects = ['CONTACT', 'ACCOUNT', 'CONTACT']
    const [ofAll, ofOwn] = [
      await subscribe(platform, all, several, { objects, after: '0' }),
      await subscribe(platform, own, several, { objects, after: '0' }),
    ]
    await account(all, { name: 'First' })
    await supportCase(all)
    await contact(all, { lastName: 'Second', ownerId: own.userId })
    await account(all, { name: 'Third', ownerId: own.userId })
    const created = (object: string, name: string) => ({
      data: {
        recordChanged: {
          object,
          type: `${object.toLowerCase()}.created`,
          account: object === 'ACCOUNT' ? { name } : null,
          contact: object === 'CONTACT' ? { lastName: name } : null,
        },
      },
    })
    const [first, second, third] = [
      created('ACCOUNT', 'First'),
      created('CONTACT', 'Second'),
      created('ACCOUNT', 'Third'),
    ]
    expect([await ofAll.next(), await ofAll.next(), await ofAll.next()]).toEqual([first, second, third])
    expect([await ofOwn.next(), await ofOwn.next()]).toEqual([second, third])
  })

  it('sends what was written between the first read and the subscription, if that begins after the cursor of the viewer', async () => {
    const organizationId = await anOrganization('Between')
    const member = await platform.member({ organizationId, scopes: ['WRITE_ACCOUNTS'] })
    const cursorOf = async () => {
      const { body } = await member.graphql('{ viewer { eventCursor } }')
      return (body as { data: { viewer: { eventCursor: string } } }).data.viewer.eventCursor
    }
    const readNames = async () => {
      const { body } = await member.graphql('{ accountList(limit: 10) { data { name } } }')
      return (body as { data: { accountList: { data: { name: string }[] } } }).data.accountList.data.map(
        ({ name }) => name,
      )
    }
    /** Events have positions from here on, also those of the new member. */
    const untilLogged = () =>
      vi.waitFor(async () =>
        expect(
          await platform.query('select from kernel.event_pending where organization_id = $1', [organizationId]),
        ).toEqual([]),
      )
    const { id } = await account(member, { name: 'Before' })
    await untilLogged()

    const after = await cursorOf()
    expect(after).toBe(String(await latest(member)))
    expect(await readNames()).toContain('Before')
    await update(member, id, { name: 'Between' })
    await untilLogged()
    expect(await cursorOf()).toBe(String(Number(after) + 1))
    const live = await subscribe(platform, member, changed, { after })
    expect(await live.next()).toEqual(change('account.updated', 'Between'))
    await update(member, id, { name: 'Later' })
    expect(await live.next()).toEqual(change('account.updated', 'Later'))
  })

  it('needs the scope of each record type, and one type for a record or a filter', async () => {
    const member = await platform.member()
    const changes = `subscription ($object: RecordObject, $objects: [RecordObject!], $id: ID, $filter: [ConditionInput!]) {
      recordChanged(object: $object, objects: $objects, id: $id, filter: $filter) { type }
    }`
    const refusalOf = async (variables: Record<string, unknown>, who = member) =>
      (await subscribe(platform, who, changes, variables)).next()
    const objects = ['ACCOUNT', 'CONTACT']
    const reader = await platform.member({ scopes: ['READ_ACCOUNTS'] })
    expect(await refusalOf({ objects }, reader)).toMatchObject(
      refusal('API_KEY_SCOPE_INSUFFICIENT', { missingScopes: ['READ_CONTACTS'] }),
    )
    const filter = [{ field: 'name', operator: 'CHANGED' }]
    for (const [variables, path, code] of [
      [{}, 'object', 'REQUIRED'],
      [{ object: 'ACCOUNT', objects }, 'object', 'REQUIRED'],
      [{ objects: [] }, 'objects', 'OUT_OF_RANGE'],
      [{ objects, id: newId() }, 'id', 'NOT_ALLOWED'],
      [{ objects, filter }, 'filter', 'NOT_ALLOWED'],
    ] as const)
      expect(await refusalOf(variables)).toMatchObject(wrongInput(path, code))
  })

  it('needs the scope of the records also without an id', async () => {
    const member = await platform.member({ scopes: ['READ_CASES'] })
    expect(await (await subscribe(platform, member, changed)).next()).toMatchObject(
      refusal('API_KEY_SCOPE_INSUFFICIENT', { missingScopes: ['READ_ACCOUNTS'] }),
    )
  })

  it('is refused for unknown fields, wrong values and hidden fields, at first and when a field is hidden later', async () => {
    const organizationId = await anOrganization('Hidden fields')
    const member = await platform.member({ organizationId })
    const { id } = await account(member)
    const next = async (filter: unknown, more: object = {}) =>
      (await subscribe(platform, member, changed, { id, filter, ...more })).next()
    const onPhone = [{ field: 'phone', operator: 'CHANGED' }]
    expect(await next([{ field: 'nothing', operator: 'CHANGED' }])).toMatchObject(
      wrongInput('filter.0.field', 'UNKNOWN_FIELD'),
    )
    expect(await next([{ field: 'name', operator: 'MATCHES', value: '(' }])).toMatchObject(
      wrongInput('filter.0.value', 'WRONG_VALUE'),
    )
    const tooMany = Array.from({ length: 51 }, () => ({ field: 'name', operator: 'CHANGED' }))
    expect(await next(tooMany)).toMatchObject(wrongInput('filter.50', 'TOO_MANY'))
    expect(await next(null, { logic: 'OR' })).toMatchObject(wrongInput('logic', 'NOT_ALLOWED'))
    const live = await subscribe(platform, member, changed, { filter: onPhone, after: String(await latest(member)) })
    await update(member, id, { phone: '1' })
    expect(await live.next()).toMatchObject(change('account.updated', 'Northwind Traders'))
    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, { name: 'Without phones', fields: { account: { phone: 'HIDDEN' } } })
    await assignProfile(ctx, member.userId, profile.id)
    await expect.poll(async () => (await member.rest.account!({ id })).body.phone).toBeUndefined()
    expect(await next(onPhone)).toMatchObject(refusal('FIELD_NOT_READABLE'))
    await update(member, id, { name: 'Other' })
    expect(await live.next()).toMatchObject(refusal('FIELD_NOT_READABLE'))
  })
})

describe('recordChanged with a filter', () => {
  const changed = `subscription ($after: String, $filter: [ConditionInput!]) {
    recordChanged(object: ACCOUNT, after: $after, filter: $filter) { cursor }
  }`
  const [, subscribe] = protocols[0]!
  /** The change at the last position of the organization. */
  const lastChange = async (member: Member) => ({ data: { recordChanged: { cursor: String(await latest(member)) } } })

  it('compares only the custom fields that the profile does not hide', async () => {
    const organizationId = await anOrganization('Hidden custom fields')
    const [writer, reader] = [await platform.member({ organizationId }), await platform.member({ organizationId })]
    const ctx = systemContext(platform.services, organizationId)
    const fields = { account: { 'customFields.margin': 'HIDDEN' as const } }
    await assignProfile(ctx, reader.userId, (await createProfile(ctx, { name: 'Without margins', fields })).id)
    const { id } = await account(writer, { name: 'Acme' })
    const filter = [{ field: 'customFields', operator: 'CHANGED' }]
    const live = await subscribe(platform, reader, changed, { filter, after: String(await latest(reader)) })
    await update(writer, id, { name: 'Hidden', customFields: { margin: 12 } })
    await update(writer, id, { name: 'Shown', customFields: { margin: 12, region: 'North' } })
    expect(await live.next()).toEqual(await lastChange(reader))
  })

  it('compares no state of a record from before the subscriber could see it', async () => {
    const organizationId = await anOrganization('Earlier states')
    const all = await platform.member({ organizationId })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await account(all, { name: 'Secret', ownerId: all.userId })
    await update(all, id, { name: 'Given', ownerId: own.userId })
    const conditions = [
      { field: 'name', operator: 'STARTS_WITH', value: 'S' },
      { field: 'name', operator: 'CHANGED_FROM', value: 'Secret' },
    ]
    const filter = [{ logic: 'OR', conditions }]
    const live = await subscribe(platform, own, changed, { filter, after: '0' })
    await update(all, id, { name: 'Sold' })
    expect(await live.next()).toEqual(await lastChange(own))
  })
})

describe.each(protocols)('customEvents over %s', (_protocol, subscribe) => {
  const events = `subscription ($types: [String!], $conditions: [ConditionInput!], $logic: ConditionLogic, $after: String) {
    customEvents(types: $types, conditions: $conditions, logic: $logic, after: $after) { type data }
  }`
  const event = (type: string, data: object) => ({ data: { customEvents: { type: `custom.${type}`, data } } })

  it('sends custom events in order, with every field, and no events of records', async () => {
    const organizationId = await anOrganization('Custom events')
    const member = await platform.member({ organizationId, role: 'READ_ONLY', scopes: ['READ_EVENTS'] })
    const writer = await platform.member({ organizationId })
    const live = await subscribe(
      platform,
      member,
      'subscription { one: customEvents(after: "0") { __typename ...Fields } } fragment Fields on CustomEvent { id type version cursor occurredAt actorId data }',
    )
    await account(writer)
    await publish(writer, 'machine_stopped', { machine: 'M1', amount: 12.5 })
    expect(await live.next()).toEqual({
      data: {
        one: {
          __typename: 'CustomEvent',
          id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/) as string,
          type: 'custom.machine_stopped',
          version: 1,
          cursor: expect.stringMatching(/^[1-9]\d*$/) as string,
          occurredAt: platform.now.toISOString(),
          actorId: writer.userId,
          data: { machine: 'M1', amount: 12.5 },
        },
      },
    })
    await publish(writer, 'machine_started', { machine: 'M1' }, { machine: 'M2' })
    for (const machine of ['M1', 'M2']) {
      expect(await live.next()).toMatchObject({ data: { one: { type: 'custom.machine_started', data: { machine } } } })
    }
  })

  it('sends the events that meet the conditions', async () => {
    const member = await platform.member({ organizationId: await anOrganization('Conditions') })
    const conditions = [
      { field: 'minutes', operator: 'GREATER_THAN', value: 10 },
      { field: 'machine', operator: 'IN', value: ['M1', 'M2'] },
    ]
    const live = await subscribe(platform, member, events, { conditions, after: '0' })
    await publish(
      member,
      'stopped',
      { minutes: 5, machine: 'M1' },
      { minutes: 11, machine: 'M3' },
      { minutes: 12, machine: 'M2' },
    )
    expect(await live.next()).toEqual(event('stopped', { minutes: 12, machine: 'M2' }))
  })

  it('continues after a cursor', async () => {
    const member = await platform.member({ organizationId: await anOrganization('Cursors') })
    const withCursor = events.replace('type data', 'cursor data')
    const first = await subscribe(platform, member, withCursor, { after: '0' })
    await publish(member, 'stopped', { number: 1 })
    const { data } = (await first.next()) as Payload
    first.leave()
    await publish(member, 'stopped', { number: 2 }, { number: 3 })
    const again = await subscribe(platform, member, withCursor, { after: data.customEvents.cursor })
    for (const number of [2, 3])
      expect(await again.next()).toMatchObject({ data: { customEvents: { data: { number } } } })
  })

  it('is refused without READ_EVENTS, and for types that are not custom events', async () => {
    const organizationId = await anOrganization('Refused')
    const other = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS', 'WRITE_WEBHOOKS'] })
    expect(await (await subscribe(platform, other, events)).next()).toMatchObject(
      refusal('API_KEY_SCOPE_INSUFFICIENT', { missingScopes: ['READ_EVENTS'] }),
    )
    const member = await platform.member({ organizationId, scopes: ['PUBLISH_EVENTS'] })
    const next = async (variables: Record<string, unknown>) =>
      (await subscribe(platform, member, events, variables)).next()
    expect(await next({ types: ['account.created'] })).toMatchObject(wrongInput('types.0', 'UNKNOWN_EVENT'))
    expect(await next({ types: ['custom.no-name'] })).toMatchObject(wrongInput('types.0', 'UNKNOWN_EVENT'))
    expect(await next({ types: [] })).toMatchObject(wrongInput('types', 'TOO_FEW'))
    expect(await next({ types: Array.from({ length: 65 }, () => 'custom.*') })).toMatchObject(
      wrongInput('types', 'TOO_MANY'),
    )
  })

  it('ends with the credential', async () => {
    const member = await platform.member({ organizationId: await anOrganization('Leaving') })
    const live = await subscribe(platform, member, events, { after: '0' })
    await publish(member, 'stopped', {})
    expect(await live.next()).toEqual(event('stopped', {}))
    await deactivateUser(platform.services, member.organizationId, member.userId)
    const ended = await live.next()
    // A WebSocket may be closed before its subscriptions get an error.
    if (ended !== 'closed') expect(ended).toMatchObject(refusal('API_KEY_OWNER_INACTIVE'))
  })
})

describe('a cursor', () => {
  const [, subscribe] = protocols[1]!
  const documents = [
    'subscription ($after: String) { customEvents(after: $after) { type } }',
    'subscription ($after: String) { recordChanged(object: ACCOUNT, after: $after) { type } }',
  ]

  it.each(documents)('that the log does not have is refused: %s', async (document) => {
    const member = await platform.member({ organizationId: await anOrganization('Unknown cursor') })
    const next = async (after: string) => (await subscribe(platform, member, document, { after })).next()
    expect(await next('7')).toMatchObject(wrongInput('after', 'UNKNOWN_CURSOR'))
    expect(await next('-1')).toMatchObject(wrongInput('after', 'WRONG_FORMAT'))
    expect(await next('9'.repeat(16))).toMatchObject(wrongInput('after', 'WRONG_FORMAT'))
  })

  it.each(documents)(
    'whose following events are no longer kept is refused, with the oldest one that can be used: %s',
    async (document) => {
      const member = await platform.member({ organizationId: await anOrganization('Old cursor') })
      const { id } = await account(member)
      const positionOf = async () =>
        (await platform.services.events.read(member.organizationId, { after: 0, limit: 1, recordId: id }))[0]?.position
      await expect.poll(positionOf).toBeGreaterThan(2)
      const oldest = (await positionOf())!
      // What the job of the partitions does after 30 days.
      await platform.query('delete from kernel.event_log where organization_id = $1 and position < $2', [
        member.organizationId,
        oldest,
      ])
      const refused = (await (
        await subscribe(platform, member, document, { after: String(oldest - 2) })
      ).next()) as Payload
      expect(refused).toMatchObject(wrongInput('after', 'CURSOR_EXPIRED'))
      expect(refused.errors[0].message).toContain(`after: "${oldest - 1}"`)
      if (document.includes('recordChanged')) {
        const live = await subscribe(platform, member, document, { after: String(oldest - 1) })
        expect(await live.next()).toMatchObject({ data: { recordChanged: { type: 'account.created' } } })
        const all = await subscribe(platform, member, document, { after: '0' })
        expect(await all.next()).toMatchObject({ data: { recordChanged: { type: 'account.created' } } })
      }
    },
  )
})
