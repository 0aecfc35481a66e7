import { beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { listen } from '../live.ts'
import type { Member } from '../platform.ts'
import { aWebhook, deliverAll, useWebhooks } from '../webhooks/use-webhooks.ts'
import { anOrganization, problemsOf } from './custom-fields.fixture.ts'
import { object, visit } from './custom-objects.fixture.ts'

const test = useWebhooks()
const { platform } = test

let owner: Member
let member: Member

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  await object(owner)
})

const streamOf = async (by: Member, events: readonly string[]) => {
  await expect
    .poll(() => platform.query('select 1 from kernel.event_pending where organization_id = $1', [by.organizationId]))
    .toEqual([])
  const stream = await listen(platform, by.headers, { events })
  expect(await stream.next()).toMatchObject({ event: 'ready' })
  return stream
}
const webhook = (events: readonly string[], more: object = {}, by = owner) =>
  by.rest['webhookCreate']!({ body: { name: 'W', url: 'https://example.com/in', events, ...more } })

describe('events of a custom object', () => {
  it('are sent by streams that select them by type, or all of the object', async () => {
    const { id } = await visit(member, { subject: 'Before' })
    const stream = await streamOf(owner, ['custom_object.site_visit.*'])
    await object(owner, { name: 'ship' })
    await visit(member, { subject: 'Other' }, {}, 'ship')
    await member.rest['customRecordUpdate']!({ name: 'site_visit', id, body: { customFields: { subject: 'After' } } })
    expect(await stream.next()).toMatchObject({
      data: {
        type: 'custom_object.site_visit.updated',
        data: {
          object: 'custom:site_visit',
          id,
          record: { object: 'site_visit', name: 'After', customFields: { subject: 'After' } },
          previous: { name: 'Before' },
          changedFields: ['customFields', 'customFields.subject', 'name'],
        },
      },
    })
  })

  it('do not contain what the profile of the recipient hides', async () => {
    const { organizationId } = owner
    await platform.services.shapes.load(organizationId)
    const ctx = systemContext(platform.services, organizationId)
    const restricted = await platform.member({ organizationId, role: 'ADMIN' })
    const fields = { 'custom:site_visit': { 'customFields.subject': 'HIDDEN' } }
    const profile = await createProfile(ctx, { name: 'Agents', fields })
    await assignProfile(ctx, restricted.userId, profile.id)
    const stream = await streamOf(restricted, ['custom_object.site_visit.created'])
    await visit(member, { subject: 'Secret', hours: 1 })
    const { data } = (await stream.next())!
    expect(data.data).toMatchObject({
      record: { customFields: { hours: 1 } },
      redactedFields: ['customFields.subject', 'name'],
    })
    expect(JSON.stringify(data)).not.toContain('Secret')
  })

  it('can be subscribed to by webhooks, with conditions on custom fields, while the object exists', async () => {
    const given = {
      fields: ['customFields.hours'],
      conditions: [{ field: 'customFields.hours', operator: 'GREATER_THAN', value: 2 }],
    }
    const { status, body } = await webhook(['custom_object.site_visit.*', 'custom_object.site_visit.created'], given)
    expect([status, body.events]).toEqual([201, ['custom_object.site_visit.*', 'custom_object.site_visit.created']])
    for (const name of ['ship.created', 'ship.*', 'site_visit.sold', 'site_visit', '__proto__.created'])
      expect(problemsOf(await webhook([`custom_object.${name}`]))).toBe('400 VALIDATION_FAILED events.0 UNKNOWN_EVENT')
    const other = await anOrganization(platform)
    expect(problemsOf(await webhook(['custom_object.site_visit.created'], {}, other.owner))).toMatch(/UNKNOWN_EVENT/)
  })

  it('are delivered', async () => {
    const admin = test.owner
    await object(admin)
    await aWebhook(test, { events: ['custom_object.site_visit.created'] })
    const { id } = await visit(admin, { subject: 'Pump' })
    await deliverAll(test)
    expect(test.receiver.take().map(({ body }) => body)).toMatchObject([
      { type: 'custom_object.site_visit.created', data: { object: 'custom:site_visit', id, record: { name: 'Pump' } } },
    ])
  })

  it('are in the catalog of the organization, with a schema and a sample', async () => {
    const { body } = await owner.rest['organizationEventCatalog']!()
    const types = (body.data as { type: string; object: string; isCustom: boolean }[]).filter(({ type }) =>
      type.startsWith('custom_object.site_visit.'),
    )
    expect(types.map(({ type, object: of, isCustom }) => [type, of, isCustom])).toEqual(
      ['created', 'updated', 'deleted', 'restored', 'merged'].map((verb) => [
        `custom_object.site_visit.${verb}`,
        'custom:site_visit',
        true,
      ]),
    )
    const other = await anOrganization(platform)
    const foreign = await other.owner.rest['organizationEventCatalog']!()
    expect(JSON.stringify(foreign.body)).not.toContain('custom_object.site_visit')
  })
})

describe('recordType', () => {
  it('describes a custom object with its fields and operations, for its organization only', async () => {
    const { body } = await member.rest['recordType']!({ object: 'custom:site_visit' })
    expect(body).toMatchObject({ object: 'custom:site_visit', type: 'CustomRecord', isCreatable: true })
    const named = (name: string) => (body.fields as { name: string }[]).find((one) => one.name === name)
    expect(named('customFields.subject')).toMatchObject({ kind: 'TEXT', isRequired: true })
    expect((body.operations as { name: string }[]).map(({ name }) => name)).toContain('customRecordCreate')
    const all = (await member.rest['recordTypes']!()).body as { object: string }[]
    expect(all.map((one) => one.object)).toContain('custom:site_visit')
    const other = await anOrganization(platform)
    expect((await other.member.rest['recordType']!({ object: 'custom:site_visit' })).status).toBe(404)
  })
})
