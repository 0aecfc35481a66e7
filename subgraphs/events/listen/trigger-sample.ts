import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { eventTypeNamed } from '../catalog/organization-catalog.ts'
import { shownEventId } from '../envelope/envelope.ts'
import { openListeners } from './listen-slots.ts'
import { sendTrigger } from './listen-triggers.ts'
import type { WebhookListenTrigger } from './listen.types.ts'

/** Sends the sample of a type to the live streams of the caller's organization. */
export async function triggerSample(ctx: RequestContext, type: string): Promise<WebhookListenTrigger> {
  const { caller, clock, db } = ctx
  const { organizationId } = caller
  const found = await eventTypeNamed(ctx, type)
  if (found?.type !== type) {
    const message = 'type must be an event type of GET /v1/events/org-catalog.'
    throw invalid({ path: 'type', code: 'UNKNOWN_EVENT', message })
  }
  const eventId = newId()
  const streams = await openListeners(db, organizationId)
  await sendTrigger(db, { organizationId, type, eventId, occurredAt: clock.now().toISOString() })
  return { id: shownEventId(eventId), type, streams }
}
