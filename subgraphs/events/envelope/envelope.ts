import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import { isId } from '../../kernel/ids.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { customObjectName, eventSourceIn } from '../../kernel/record/custom-object.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { redactedData, without, withoutPrevious } from './redaction.ts'
import { mayReceive, type Parents, type Recipient } from './visibility.ts'

type Fields = Readonly<Record<string, unknown>>

/** `object` of the events that organizations publish themselves. Their `data` is the published payload. */
export const customEventObject = 'custom_event'

/** The id of an event as clients see it. */
export const shownEventId = (id: string): string => `evt_${id}`

/** The id of the event row of `evt_…`; null when the text is not the id of an event. */
export function storedEventId(shown: string): string | null {
  const id = shown.startsWith('evt_') ? shown.slice('evt_'.length).toLowerCase() : ''
  return isId(id) ? id : null
}

/** An event with the data that one recipient may see. */
export interface VisibleEvent extends LoggedEvent {
  readonly organizationId: string
}

export interface EnvelopeContext {
  /** The shapes of the organization (`services.shapes.shapesOf`); null when it has defined nothing. */
  readonly shapes: OrganizationShapes | null
  /** The parents of a batch of events (`parentsOf`). */
  readonly parents: Parents
}

/**
 * The event as the recipient may see it; null when the recipient may not see its record, or none of the fields that changed. `previous` is
 * null when the recipient could not see the record before the change, as are `changedFields`; members such as `previousStage` are empty then. The event must be one of the recipient's organization.
 */
export function visibleEvent(
  recipient: Recipient,
  event: LoggedEvent,
  { shapes, parents }: EnvelopeContext,
): VisibleEvent | null {
  const data = visibleData(recipient, event, shapes, parents)
  return data && { ...event, organizationId: recipient.organizationId, data }
}

/**
 * The event as what the recipient saw before, when the change took the record out of sight; otherwise null. `record` is the one before the change
 * then, for filters: the recipient must only learn which record it is.
 */
export function outOfSight(
  recipient: Recipient,
  event: LoggedEvent,
  { shapes, parents }: EnvelopeContext,
): LoggedEvent | null {
  const source = eventSourceIn({ shapes }, event.object)
  if (!source || source.isAdministrative || !isRecordShape(source)) return null
  const { record, previous } = event.data as { readonly record: Fields; readonly previous?: Fields | null }
  if (!previous || mayReceive(recipient, source, record, parents)) return null
  if (!mayReceive(recipient, source, previous, parents)) return null
  const rules = fieldRules(recipient, shapeFor({ shapes }, source))
  return { ...event, data: { record: rules ? without(previous, rules) : previous, previous: null } }
}

const isAdministrator = ({ role }: Recipient): boolean => role === 'OWNER' || role === 'ADMIN'

function visibleData(
  recipient: Recipient,
  { object, type, data }: LoggedEvent,
  shapes: OrganizationShapes | null,
  parents: Parents,
): Fields | null {
  if (object === customEventObject) return data
  const source = eventSourceIn({ shapes }, object)
  // Of a deleted custom object nobody knows who sees its records.
  if (!source && customObjectName(object) !== null) return null
  if (!source || source.isAdministrative || !isRecordShape(source)) return isAdministrator(recipient) ? data : null
  const { record, previous } = data as { readonly record: Fields; readonly previous?: Fields | null }
  if (!mayReceive(recipient, source, record, parents)) return null
  const shape = shapeFor({ shapes }, source)
  const rules = fieldRules(recipient, shape)
  const readable = rules ? redactedData(rules, shape, type, data) : data
  const isPreviousVisible = !previous || mayReceive(recipient, source, previous, parents)
  return readable && !isPreviousVisible ? withoutPrevious(shape, type, readable) : readable
}

/** The envelope of payload version 2, the form of webhooks and streams. */
export interface Envelope {
  readonly id: string
  readonly type: string
  readonly version: number
  readonly occurredAt: string
  readonly organizationId: string
  readonly data: Fields
  /** Present only in a test event. */
  readonly test?: true
}

type Enveloped = Pick<VisibleEvent, 'id' | 'type' | 'version' | 'occurredAt' | 'organizationId' | 'data'>

export function envelopeOf(
  { id, type, version, occurredAt, organizationId, data }: Enveloped,
  isTest = false,
): Envelope {
  const envelope = { id: shownEventId(id), type, version, occurredAt, organizationId, data }
  return isTest ? { ...envelope, test: true } : envelope
}

/** The body of payload version 1. */
export interface LegacyPayload {
  readonly event: string
  readonly eventId: string
  readonly timestamp: string
  readonly data: Fields
}

/**
 * The body of payload version 1. `entityType` is `object` of version 2, and members that a type adds to its data are not part of it.
 * An event of the organization itself has the payload as `record` and the event id as `id`.
 */
export function legacyPayloadOf({ id, type, occurredAt, object, actorId, data }: VisibleEvent): LegacyPayload {
  const eventId = shownEventId(id)
  const body = { event: type, eventId, timestamp: occurredAt }
  if (object === customEventObject) {
    return {
      ...body,
      data: { id: eventId, entityType: object, record: data, previous: null, changedFields: null, userId: actorId },
    }
  }
  const { id: recordId, record, previous, changedFields, redactedFields } = data
  const legacy = { id: recordId, entityType: object, record, previous, changedFields, userId: actorId }
  return { ...body, data: redactedFields === undefined ? legacy : { ...legacy, redactedFields } }
}

/** The body of a delivery in the payload version of the webhook. */
export const payloadOf = (event: VisibleEvent, payloadVersion: number, isTest = false): Envelope | LegacyPayload =>
  payloadVersion === 1 ? legacyPayloadOf(event) : envelopeOf(event, isTest)
