import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { validateEvents } from '../../../test/contract/validate-events.ts'
import { subgraphs } from '../../all.ts'
import { schemaPath } from '../../kernel/config/paths.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import { customEventObject, envelopeOf, legacyPayloadOf, payloadOf, storedEventId, visibleEvent } from './envelope.ts'
import { noParents, parentsOf, type Recipient } from './visibility.ts'

type Fields = Record<string, unknown>

const organizationId = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'
const elin = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const other = '019a0c5e-7f00-7c1d-8f21-64d0a95be799'
const eventId = '019a0c5e-7f00-7e11-9d10-5a4e3c2b1f00'

const sampleOf = (type: string): Fields =>
  JSON.parse(readFileSync(schemaPath(`events/${type.replace('.', '/')}.v1.sample.json`), 'utf8')) as Fields

function event(type: string, change: Fields = {}): LoggedEvent {
  const data = { ...sampleOf(type), ...change }
  const [object, recordId] = [data['object'] as string, data['id'] as string]
  return {
    position: 7,
    id: eventId,
    type,
    version: 1,
    occurredAt: '2026-11-02T10:40:00.000Z',
    object,
    recordId,
    actorId: elin,
    operationId: null,
    origin: null,
    depth: 0,
    data,
  }
}

const recipient = (change: Partial<Recipient> = {}): Recipient => ({
  organizationId,
  role: 'MEMBER',
  ownerIds: null,
  fields: null,
  entitlements: [],
  ...change,
})

const seen = (to: Recipient, logged: LoggedEvent, parents = noParents) =>
  visibleEvent(to, logged, { shapes: null, parents })

describe('who receives an event', () => {
  it('of a private record is its owner only, unless it is shared', () => {
    for (const type of ['email_template.updated', 'smart_email_draft.deleted']) {
      const logged = event(type)
      const shared = { ...(logged.data['record'] as Fields), isShared: true }
      const secret = event(type, { record: { ...shared, isShared: false } })
      expect(seen(recipient({ userId: elin }), secret), type).not.toBeNull()
      expect(seen(recipient({ userId: other, role: 'OWNER' }), secret), type).toBeNull()
      expect(seen(recipient(), secret), type).toBeNull()
      expect(seen(recipient({ userId: other }), event(type, { record: shared })), type).not.toBeNull()
    }
  })

  it('is decided by the owner and the assignee in the event, for deletions too', () => {
    const own = recipient({ ownerIds: [elin] })
    const foreign = recipient({ ownerIds: [other] })
    for (const type of ['account.created', 'account.deleted', 'lead.converted', 'opportunity.stage_changed']) {
      expect(seen(own, event(type)), type).not.toBeNull()
      expect(seen(foreign, event(type)), type).toBeNull()
    }
    const assigned = event('case.assigned')
    const record = { ...(assigned.data['record'] as Fields), ownerId: other, assignedToId: elin }
    expect(seen(own, { ...assigned, data: { ...assigned.data, record } })).not.toBeNull()
  })

  it('is everybody for records without owners', () => {
    expect(seen(recipient({ ownerIds: [other] }), event('product.updated'))).not.toBeNull()
  })

  it('is owners and admins for what is not a record, and for unknown objects', () => {
    for (const logged of [
      event('session.started'),
      event('user.updated'),
      event('profile.updated'),
      { ...event('account.created'), object: 'vanished' },
    ]) {
      expect(seen(recipient(), logged), logged.type).toBeNull()
      expect(seen(recipient({ role: 'MANAGER' }), logged), logged.type).toBeNull()
      expect(seen(recipient({ role: 'ADMIN' }), logged)?.data, logged.type).toEqual(logged.data)
    }
  })

  it('is decided by the parent for a comment of a case; a parent that was not read is not visible', async () => {
    const comment = event('case.comment_added')
    const { caseId } = comment.data['record'] as Fields
    const own = recipient({ ownerIds: [elin] })
    const parents = (assignedToId: string) => new Map([[`case:${String(caseId)}`, { ownerId: other, assignedToId }]])
    expect(seen(own, comment, parents(elin))).not.toBeNull()
    expect(seen(own, comment, parents(other))).toBeNull()
    expect(seen(own, comment)).toBeNull()
    expect(seen(recipient(), comment)).not.toBeNull()
    const statements: string[] = []
    const sql = {
      query: (text: string) => (
        statements.push(text),
        Promise.resolve([{ id: caseId, ownerId: elin, assignedToId: null }])
      ),
    }
    const read = await parentsOf(sql as never, organizationId, [comment, event('account.created')], null)
    expect(seen(own, comment, read)).not.toBeNull()
    expect(statements).toHaveLength(1)
    expect(statements[0]).toContain('t.organization_id = $1')
    expect(await parentsOf(sql as never, organizationId, [event('account.created')], null)).toBe(noParents)
  })
})

describe('fields that a profile hides', () => {
  const fields = {
    case: { assignedToId: 'HIDDEN', slaDueAt: 'READ' },
    lead: { email: 'HIDDEN', 'customFields.budget': 'HIDDEN' },
  } as const
  const restricted = recipient({ fields })

  it('are dropped from record and previous and named in redactedFields', () => {
    const lead = event('lead.updated')
    const record = { ...(lead.data['record'] as Fields), email: 'a@b.example', customFields: { budget: 5, size: 'L' } }
    const data = {
      ...lead.data,
      record,
      previous: { ...record, email: 'old@b.example', company: 'Old', customFields: { budget: 4, size: 'L' } },
      changedFields: ['company', 'email', 'customFields'],
    }
    const visible = seen(restricted, { ...lead, data })!
    const { email: _email, ...rest } = record
    expect(visible.data).toEqual({
      ...data,
      record: { ...rest, customFields: { size: 'L' } },
      previous: { ...rest, company: 'Old', customFields: { size: 'L' } },
      changedFields: ['company'],
      redactedFields: ['customFields.budget', 'email'],
    })
    expect(JSON.stringify(visible)).not.toContain('b.example')
    expect(validateEvents([visible])).toEqual([])
  })

  it('leave members empty that show them, so that the schema still holds', () => {
    const visible = seen(restricted, {
      ...event('case.assigned'),
      data: { ...sampleOf('case.assigned'), changedFields: ['assignedToId', 'status'] },
    })!
    expect(visible.data).toMatchObject({
      previousAssignedToId: null,
      assignedToId: null,
      changedFields: ['status'],
      redactedFields: ['assignedToId'],
    })
    expect(validateEvents([visible])).toEqual([])
  })

  it('are the reason not to send an update of which nothing is readable', () => {
    const lead = event('lead.updated')
    const changed = (...changedFields: string[]) => seen(restricted, { ...lead, data: { ...lead.data, changedFields } })
    expect(changed('email')).toBeNull()
    expect(changed('email', 'customFields.budget')).toBeNull()
    expect(changed('email', 'company')).not.toBeNull()
    expect(changed()).not.toBeNull()
    const withoutCustomFields = recipient({ fields: { lead: { customFields: 'HIDDEN' } } })
    const custom = { ...lead, data: { ...lead.data, changedFields: ['customFields', 'customFields.budget'] } }
    expect(seen(withoutCustomFields, custom)).toBeNull()
  })

  it('change nothing for other record types and for recipients without restrictions', () => {
    const account = event('account.updated')
    expect(seen(restricted, account)!.data).toBe(account.data)
    expect(seen(recipient(), event('lead.updated'))!.data).not.toHaveProperty('redactedFields')
  })
})

describe('the body', () => {
  const visible = seen(recipient(), event('opportunity.stage_changed'))!

  it('of version 2 is the envelope', () => {
    const envelope = {
      id: `evt_${eventId}`,
      type: 'opportunity.stage_changed',
      version: 1,
      occurredAt: '2026-11-02T10:40:00.000Z',
      organizationId,
      data: sampleOf('opportunity.stage_changed'),
    }
    expect(envelopeOf(visible)).toEqual(envelope)
    expect(envelopeOf(visible)).not.toHaveProperty('test')
    expect(payloadOf(visible, 2, true)).toEqual({ ...envelope, test: true })
    expect(Object.keys(payloadOf(visible, 2, true))).toEqual([...Object.keys(envelope), 'test'])
    expect(envelope.data).toMatchObject({
      previousStage: expect.any(String) as string,
      stage: expect.any(String) as string,
    })
  })

  it('of version 1 has the older names', () => {
    const { id, record, previous, changedFields } = sampleOf('opportunity.stage_changed')
    const body = {
      event: 'opportunity.stage_changed',
      eventId: `evt_${eventId}`,
      timestamp: '2026-11-02T10:40:00.000Z',
      data: { id, entityType: 'opportunity', record, previous, changedFields, userId: elin },
    }
    expect(payloadOf(visible, 1)).toEqual(body)
  })

  it('of a custom event has its payload', () => {
    const custom: LoggedEvent = {
      ...event('account.created'),
      object: customEventObject,
      type: 'custom.machine_stopped',
      data: { minutes: 5 },
    }
    const published = seen(recipient({ role: 'READ_ONLY', ownerIds: [] }), custom)!
    expect(envelopeOf(published)).toMatchObject({ type: 'custom.machine_stopped', data: { minutes: 5 } })
    expect(legacyPayloadOf(published).data).toEqual({
      id: `evt_${eventId}`,
      entityType: 'custom_event',
      record: { minutes: 5 },
      previous: null,
      changedFields: null,
      userId: elin,
    })
  })

  it('is made of every declared event type in both versions', () => {
    const types = subgraphs.flatMap(({ resources }) =>
      resources.flatMap(({ entities = {}, announces = [] }) =>
        [...Object.values(entities), ...announces].flatMap(({ events }) => Object.keys(events?.types ?? {})),
      ),
    )
    for (const type of types) {
      const sent = seen(recipient({ role: 'OWNER', userId: elin }), event(type))!
      const members = (version: number) => Object.keys(payloadOf(sent, version).data)
      expect(members(1), type).toEqual(['id', 'entityType', 'record', 'previous', 'changedFields', 'userId'])
      expect(members(2).slice(0, 6), type).toEqual(['object', 'id', 'record', 'previous', 'changedFields', 'actorId'])
    }
  })

  it('has an id that leads back to the row', () => {
    expect(storedEventId(`evt_${eventId}`)).toBe(eventId)
    for (const wrong of [eventId, 'evt_', 'evt_x', `EVT_${eventId}`, '']) expect(storedEventId(wrong)).toBeNull()
  })
})

describe('what a change was, for a recipient who could not see the record before it', () => {
  const updates = subgraphs
    .flatMap(({ resources }) =>
      resources.flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces]),
    )
    .flatMap((source) =>
      isRecordShape(source) && source.visibleBy.length > 0 && !source.isAdministrative && !source.privateUnless
        ? [source]
        : [],
    )
    .flatMap((shape) =>
      Object.entries(shape.events?.types ?? {})
        .filter(([, { operation }]) => operation === 'UPDATE')
        .map(([type, { adds = {} }]) => ({ shape, type, adds })),
    )

  it('is in no member: `previous`, `changedFields` and all that are added from `previous` are empty, and fit the schema', () => {
    const names: string[] = []
    for (const { shape, type, adds } of updates) {
      const logged = event(type)
      const owners = (id: string) => Object.fromEntries(shape.visibleBy.map((name) => [name, id]))
      const record = { ...(logged.data['record'] as Fields), ...owners(elin) }
      const previous = { ...(logged.data['previous'] as Fields), ...owners(other) }
      const changed = { ...logged, data: { ...logged.data, record, previous } }
      const own = recipient({ ownerIds: [elin], entitlements: shape.entitlement ? [shape.entitlement] : [] })
      const { data } = seen(own, changed)!
      expect([data['previous'], data['changedFields'], data['record']], type).toEqual([null, null, record])
      for (const [name, path] of Object.entries(adds)) {
        const isFormer = path.startsWith('previous.')
        if (isFormer) names.push(`${type} ${name}`)
        const expected = isFormer ? (data[name] === '' ? '' : null) : logged.data[name]
        expect(data[name], `${type} ${name}`).toEqual(expected)
      }
      const all = recipient({ ownerIds: [elin, other], entitlements: own.entitlements })
      expect(seen(all, changed)!.data, type).toEqual(changed.data)
      expect(validateEvents([{ type, version: 1, data }]), type).toEqual([])
    }
    expect(names).toContain('opportunity.stage_changed previousStage')
    expect(names).toContain('lead.assigned previousOwnerId')
    expect(names.length).toBeGreaterThan(10)
  })
})
