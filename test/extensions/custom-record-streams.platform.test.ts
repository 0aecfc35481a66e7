import { beforeEach, describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { protocols, type Payload } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'
import { memberWithout, object, visit, withSiteVisits, type Stored } from './custom-objects.fixture.ts'

const platform = usePlatform()
let owner: Member
let member: Member
let siteVisit: Stored
beforeEach(async () => {
  ;({ owner, member, siteVisit } = await withSiteVisits(platform))
})

const latest = async ({ organizationId }: Member): Promise<string> => {
  await platform.query('select kernel.assign_event_positions(10000)')
  return String(await platform.services.events.latest(organizationId))
}
const document = `subscription ($objects: [RecordObject!], $customObjects: [String!], $id: ID, $after: String, $filter: [ConditionInput!]) {
  changed: recordChanged(objects: $objects, customObjects: $customObjects, id: $id, after: $after, filter: $filter) {
    type object customObject recordId changedFields actorId customRecord { name customFields } account { name } } }`
const changed = (payload: Payload | 'completed' | 'closed') => (payload as Payload).data.changed as object
const change = (id: string, customFields: object, more: object = {}) =>
  owner.rest['customRecordUpdate']!({ name: 'site_visit', id, body: { customFields, ...more } } as never)
const remove = (id: string) => owner.rest['customRecordDelete']!({ name: 'site_visit', id } as never)
const customObjects = ['site_visit']
const ofVisits = { object: 'CUSTOM_RECORD', customObject: 'site_visit', account: null }
const refusal = (path: string, code: string) => ({
  errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path, code }] } }],
})

describe.each(protocols)('recordChanged of custom objects over %s', (_protocol, subscribe) => {
  it('sends the changes of the records of an object, and of no other one', async () => {
    await object(owner, { name: 'ship' })
    const live = await subscribe(platform, member, document, { customObjects, after: await latest(owner) })
    await visit(owner, { subject: 'Other' }, {}, 'ship')
    const { id } = await visit(owner, { subject: 'Pump' })
    const of = { ...ofVisits, recordId: id, actorId: owner.userId }
    const customRecord = { name: 'Pump', customFields: { subject: 'Pump' } }
    expect(changed(await live.next())).toEqual({
      ...of,
      type: 'custom_object.site_visit.created',
      changedFields: null,
      customRecord,
    })
    expect((await change(id, { hours: 2 })).status).toBe(200)
    expect(changed(await live.next())).toEqual({
      ...of,
      type: 'custom_object.site_visit.updated',
      changedFields: ['customFields', 'customFields.hours'],
      customRecord: { name: 'Pump', customFields: { subject: 'Pump', hours: 2 } },
    })
    expect((await remove(id)).status).toBe(204)
    expect(changed(await live.next())).toMatchObject({
      ...of,
      type: 'custom_object.site_visit.deleted',
      customRecord: null,
    })
  })

  it('sends one stream of several objects and record types, in their order', async () => {
    await object(owner, { name: 'ship' })
    const types = { objects: ['ACCOUNT'], customObjects: ['site_visit', 'ship'] }
    const live = await subscribe(platform, member, document, { ...types, after: await latest(owner) })
    await visit(owner, { subject: 'Nordlys' }, {}, 'ship')
    await account(owner, { name: 'Acme' })
    await visit(owner, { subject: 'Pump' })
    expect(changed(await live.next())).toMatchObject({ customObject: 'ship', customRecord: { name: 'Nordlys' } })
    expect(changed(await live.next())).toMatchObject({
      object: 'ACCOUNT',
      customObject: null,
      account: { name: 'Acme' },
      customRecord: null,
    })
    expect(changed(await live.next())).toMatchObject({ customObject: 'site_visit', customRecord: { name: 'Pump' } })
  })

  it('follows one record until it is deleted', async () => {
    const [{ id }, other] = [await visit(owner, { subject: 'Pump' }), await visit(owner, { subject: 'Tank' })]
    const live = await subscribe(platform, member, document, { customObjects, id, after: await latest(owner) })
    await change(other.id, { hours: 1 })
    await change(id, { hours: 2 })
    expect(changed(await live.next())).toMatchObject({ recordId: id, type: 'custom_object.site_visit.updated' })
    await remove(id)
    expect(changed(await live.next())).toMatchObject({ recordId: id, type: 'custom_object.site_visit.deleted' })
    expect(await live.next()).toBe('completed')
  })

  it('compares a filter with the custom fields, and refuses those that the profile hides', async () => {
    const filter = [
      { field: 'customFields.hours', operator: 'INCREASED' },
      { field: 'customFields.hours', operator: 'GREATER_THAN', value: 2 },
    ]
    const { id } = await visit(owner, { subject: 'Pump', hours: 1 })
    const live = await subscribe(platform, member, document, { customObjects, filter, after: await latest(owner) })
    for (const hours of [2, 3, 1, 4]) {
      await change(id, { hours })
      // The payload has the record at the time of delivery, so each is awaited.
      if (hours > 2) expect(changed(await live.next())).toMatchObject({ customRecord: { customFields: { hours } } })
    }
    const agent = await memberWithout(platform, owner.organizationId, { 'custom:site_visit': ['customFields.hours'] })
    const refused = await subscribe(platform, agent, document, { customObjects, filter })
    expect(await refused.next()).toMatchObject({ errors: [{ extensions: { code: 'FIELD_NOT_READABLE' } }] })
    const unknown = [{ field: 'customFields.depth', operator: 'IS_EMPTY' }]
    const wrong = await subscribe(platform, member, document, { customObjects, filter: unknown })
    expect(await wrong.next()).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] })
  })

  it('sends what the subscriber sees, and an event with the id only when a record leaves that sight', async () => {
    const { organizationId } = owner
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const agent = await memberWithout(platform, organizationId, { 'custom:site_visit': ['customFields.hours'] })
    const after = await latest(owner)
    const live = await subscribe(platform, own, document, { customObjects, after })
    const restricted = await subscribe(platform, agent, document, { customObjects, after })
    await visit(owner, { subject: 'Not seen' })
    const { id } = await visit(owner, { subject: 'Pump', hours: 1 }, { ownerId: own.userId })
    expect(changed(await live.next())).toMatchObject({ recordId: id, customRecord: { name: 'Pump' } })
    await change(id, { hours: 2 })
    expect(changed(await live.next())).toMatchObject({ changedFields: ['customFields', 'customFields.hours'] })
    await change(id, { subject: 'Given away' }, { ownerId: owner.userId })
    expect(changed(await live.next())).toEqual({
      ...ofVisits,
      type: 'custom_object.site_visit.left_sight',
      recordId: id,
      changedFields: null,
      actorId: null,
      customRecord: null,
    })
    expect(changed(await restricted.next())).toMatchObject({ type: 'custom_object.site_visit.created' })
    expect(changed(await restricted.next())).toMatchObject({ recordId: id })
    // A change of nothing but a hidden field is not sent.
    expect(changed(await restricted.next())).toMatchObject({
      recordId: id,
      changedFields: ['ownerId', 'customFields', 'customFields.subject', 'name'],
      customRecord: { customFields: { subject: 'Given away' } },
    })
  })

  it('is refused for objects that do not exist, without the scope, and for a record out of sight', async () => {
    const { organizationId } = owner
    const { id } = await visit(owner, { subject: 'Pump' })
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const keyed = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
    const foreign = await withSiteVisits(platform)
    const first = async (by: Member, variables: object) =>
      (await subscribe(platform, by, document, variables as never)).next()
    expect(await first(member, { customObjects: ['yard'] })).toMatchObject(refusal('customObject', 'UNKNOWN_REFERENCE'))
    expect(await first(member, { customObjects: ['Yard'] })).toMatchObject(
      refusal('customObjects.0', 'UNKNOWN_REFERENCE'),
    )
    expect(await first(member, { objects: ['CUSTOM_RECORD'] })).toMatchObject(refusal('objects', 'NOT_ALLOWED'))
    expect(await first(member, {})).toMatchObject(refusal('object', 'REQUIRED'))
    expect(await first(member, { customObjects: [] })).toMatchObject(refusal('customObjects', 'OUT_OF_RANGE'))
    expect(await first(member, { objects: ['LEAD'], customObjects, id })).toMatchObject(refusal('id', 'NOT_ALLOWED'))
    const missing = { errors: [{ extensions: { missingScopes: ['READ_CUSTOM_OBJECTS'] } }] }
    for (const name of ['site_visit', 'yard'])
      expect(await first(keyed, { customObjects: [name] })).toMatchObject(missing)
    const notFound = { errors: [{ extensions: { code: 'NOT_FOUND' } }] }
    for (const by of [own, foreign.member]) expect(await first(by, { customObjects, id })).toMatchObject(notFound)
  })
})

it('an object that is deleted is streamed no more, and again when it is restored', async () => {
  const [, subscribe] = protocols[0]!
  const { id } = await visit(owner, { subject: 'Pump' })
  const live = await subscribe(platform, member, document, { customObjects, after: await latest(owner) })
  await change(id, { hours: 1 })
  expect(changed(await live.next())).toMatchObject({ recordId: id })
  expect((await owner.rest['customObjectDelete']!({ id: siteVisit.id })).status).toBe(204)
  expect((await owner.rest['customObjectRestore']!({ id: siteVisit.id })).status).toBe(200)
  await change(id, { hours: 2 })
  expect(changed(await live.next())).toMatchObject({ recordId: id, customRecord: { customFields: { hours: 2 } } })
})
