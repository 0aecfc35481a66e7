export {
  customEventObject,
  envelopeOf,
  legacyPayloadOf,
  payloadOf,
  shownEventId,
  storedEventId,
  visibleEvent,
  type Envelope,
  type EnvelopeContext,
  type LegacyPayload,
  type VisibleEvent,
} from './envelope/envelope.ts'
export { noParents, parentsOf, type Parents, type Recipient } from './envelope/visibility.ts'
export { LiveEvents, type LiveEventsOptions } from './live.ts'
