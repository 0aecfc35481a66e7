export { fittingText } from './delivery/delivery-body.ts'
export {
  customEventObject,
  envelopeOf,
  legacyPayloadOf,
  outOfSight,
  payloadOf,
  shownEventId,
  storedEventId,
  visibleEvent,
  type Envelope,
  type EnvelopeContext,
  type LegacyPayload,
  type VisibleEvent,
} from './envelope/envelope.ts'
export { without as withoutHidden } from './envelope/redaction.ts'
export { mayReceive, noParents, parentsOf, type Parents, type Recipient } from './envelope/visibility.ts'
export { notificationMailService, type NotificationMailService } from './notification/mail/unsubscribe.ts'
export { LiveEvents, type LiveEventsOptions } from './live.ts'
export { eventTypeNamed } from './catalog/organization-catalog.ts'
export { existingCustomEvents } from './custom-event-type/existing-names.ts'
export { PayloadSchema, publishedSchema, SchemaCheck } from './custom-event-type/payload-schema.ts'
export { signatureHeaders } from './delivery/signature.ts'
