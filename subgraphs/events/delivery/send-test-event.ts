import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { eventTypeNamed } from '../catalog/organization-catalog.ts'
import { customEventObject, payloadOf } from '../envelope/envelope.ts'
import { queueOne, requireWebhook } from './delivery.actions.ts'
import { newBody } from './delivery-body.ts'

/** Queues the sample of an event type as a new event with `test: true`. */
export async function testWebhook(ctx: RequestContext, webhookId: string, type: string, info: SelectionInfo) {
  const found = await requireWebhook(ctx, webhookId)
  const { payloadVersion } = found
  const entry = await eventTypeNamed(ctx, type)
  if (!entry) {
    const message = 'type must be a type of the event catalog or a custom event type of the organization.'
    throw invalid({ path: 'type', code: 'UNKNOWN_EVENT', message })
  }
  const { organizationId } = ctx.caller
  const event = {
    id: newId(),
    type: entry.type,
    version: entry.version,
    occurredAt: ctx.clock.now().toISOString(),
    organizationId,
    object: entry.object ?? customEventObject,
    data: entry.sample as Readonly<Record<string, unknown>>,
  }
  const { id: sampleId } = event.data
  const recordId = typeof sampleId === 'string' ? sampleId : event.id
  const actorId = (event.data['actorId'] ?? null) as string | null
  const payload = payloadOf(
    { ...event, recordId, actorId, operationId: null, origin: null, depth: 0, position: 0 },
    payloadVersion,
    true,
  )
  // The format before the envelope has no member for tests of its own.
  const body = newBody(JSON.stringify(payloadVersion === 1 ? { ...payload, test: true } : payload))
  const queued = { eventId: event.id, eventType: event.type, eventVersion: event.version, body, isTest: true }
  return queueOne(ctx, found, queued, info)
}
