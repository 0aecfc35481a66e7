import { beforeEach, describe, expect, it } from 'vitest'
import {
  objectRemovalQueue,
  removeDeletedObjects,
} from '../../subgraphs/extensions/custom-object/remove-object.queue.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { anOrganization, field, problemsOf } from './custom-fields.fixture.ts'
import { object, visit, type Stored } from './custom-objects.fixture.ts'
import { settleFieldChanges } from './field-changes.fixture.ts'

const platform = usePlatform()
const dayMs = 86_400_000

let owner: Member
let member: Member
let siteVisit: Stored

beforeEach(async () => {
  ;({ owner, member } = await anOrganization(platform))
  siteVisit = await object(owner)
})

const removeObject = (id = siteVisit.id) => owner.rest['customObjectDelete']!({ id })
const restoreObject = () => owner.rest['customObjectRestore']!({ id: siteVisit.id })
const begin = () => removeDeletedObjects.run(platform.services)
const settle = () => drain(objectRemovalQueue, platform.services)
const count = async (sql: string) => {
  const [row] = await platform.query<{ n: number }>(`select count(*)::int as n from ${sql}`, [owner.organizationId])
  return row!.n
}

describe('a deleted custom object', () => {
  it('is kept for 30 days with its records, and can be restored', async () => {
    const { id } = await visit(member, { subject: 'Pump' })
    expect((await removeObject()).status).toBe(204)
    platform.advanceClock(30 * dayMs - 1_000)
    await begin()
    await settle()
    expect((await restoreObject()).status).toBe(200)
    platform.advanceClock(2 * dayMs)
    await begin()
    await settle()
    expect((await member.rest['customRecord']!({ name: 'site_visit', id } as never)).status).toBe(200)
  })

  it('is no longer restored once its records are being removed', async () => {
    await visit(member, { subject: 'Pump' })
    await removeObject()
    platform.advanceClock(31 * dayMs)
    await begin()
    await begin()
    expect(await count('extensions.object_removal where organization_id = $1')).toBe(1)
    expect(problemsOf(await restoreObject())).toBe('409 INVALID_STATE')
    await settle()
    expect((await restoreObject()).status).toBe(404)
  })

  it('is removed with its records, deleted ones too, its fields and what was derived from them; then its name is free', async () => {
    await field(owner, { entity: 'custom:site_visit', name: 'code', fieldType: 'TEXT', isIndexed: true })
    await object(owner, { name: 'ship' })
    await settleFieldChanges(platform)
    const { id } = await visit(member, { subject: 'Pump', code: 'A' })
    const gone = await visit(member, { subject: 'Tank' })
    await member.rest['customRecordDelete']!({ name: 'site_visit', id: gone.id } as never)
    const ship = await visit(member, { subject: 'Nordlys' }, {}, 'ship')
    const before = await platform.eventTypesOf(id)
    await removeObject()
    platform.advanceClock(31 * dayMs)
    await begin()
    expect(
      problemsOf(await owner.rest['customObjectCreate']!({ body: { name: 'site_visit', label: 'V' } } as never)),
    ).toBe('409 UNIQUE_VIOLATION name NOT_UNIQUE')
    await settle()
    for (const rows of [
      `extensions.custom_record where organization_id = $1 and object = 'site_visit'`,
      `extensions.field_definition where organization_id = $1 and entity = 'custom:site_visit'`,
      `kernel.record_value where organization_id = $1 and object = 'custom:site_visit'`,
      `extensions.custom_object where organization_id = $1 and name = 'site_visit'`,
    ])
      expect([rows, await count(rows)]).toEqual([rows, 0])
    expect(await platform.eventTypesOf(id)).toEqual(before)
    expect((await member.rest['customRecord']!({ name: 'ship', id: ship.id } as never)).status).toBe(200)
    await object(owner)
    expect((await member.rest['customRecordList']!({ name: 'site_visit', query: {} } as never)).body.total).toBe(0)
  })
})

describe('the deletion of a custom object', () => {
  it('is refused while a webhook or an AI trigger names its events', async () => {
    const events = ['custom_object.site_visit.created']
    const webhook = await owner.rest['webhookCreate']!({
      body: { name: 'Visits', url: 'https://example.com/in', events },
    } as never)
    expect(webhook.status).toBe(201)
    const trigger = await owner.rest['aiTriggerCreate']!({
      body: {
        name: 'Summary',
        eventType: 'custom_object.site_visit.created',
        prompt: 'Summarize.',
        outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
        actions: [],
      },
    } as never)
    expect(trigger.status, JSON.stringify(trigger.body)).toBe(201)
    const refused = await removeObject()
    expect([problemsOf(refused), refused.body.usedBy]).toEqual([
      '409 HAS_DEPENDENTS',
      expect.arrayContaining([
        { object: 'webhook', id: webhook.body.id, name: 'Visits' },
        { object: 'ai_trigger', id: trigger.body.id, name: 'Summary' },
      ]),
    ])
    await owner.rest['webhookDelete']!({ id: webhook.body.id as string })
    await owner.rest['aiTriggerDelete']!({ id: trigger.body.id as string })
    expect((await removeObject()).status).toBe(204)
  })
})
