import { findActingUser } from '../../identity/public.ts'
import { newId } from '../../kernel/ids.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import type { Services } from '../../kernel/request.ts'
import { selectionFor } from '../webhook/selection-for.ts'
import type { SubscribedWebhook } from '../webhook/webhook-reader.ts'
import { fittingText } from './delivery-body.ts'

type Fields = Readonly<Record<string, unknown>>

interface Stored {
  readonly organizationId: string
  readonly id: string
  /** The lease of the attempt. */
  readonly token: string
  readonly eventType: string
  readonly body: string
  /** The delivery must not wait any longer for its selection. */
  readonly isLate: boolean
}

/**
 * The body with what the webhook selects. It is stored before it is sent for the first time, so that retries and replays send the same body;
 * a selection that a former attempt has stored is not read again.
 */
export async function withSelection(services: Services, webhook: SubscribedWebhook, stored: Stored): Promise<string> {
  const { organizationId, id, token, eventType, body, isLate } = stored
  const parsed = parseJsonExactly(body) as { readonly data: Fields }
  if ('selection' in parsed.data) return body
  const owner = await findActingUser(services.database, organizationId, webhook.ownerId)
  if (!owner) return body
  const { object = parsed.data['entityType'], id: recordId } = parsed.data
  const event = { object: String(object), type: eventType, recordId: String(recordId), isLate }
  const selected = await selectionFor(services, webhook, event, owner)
  if (!selected) return body
  const whole = fittingText({ ...parsed, data: { ...parsed.data, ...selected } })
  await services.database.query(
    `with whole as (insert into events.delivery_body (organization_id, id, body) values ($1, $4, $5) returning id)
     update events.delivery_queue q set body_id = whole.id, body_bytes = $6 from whole where q.organization_id = $1 and q.id = $2 and q.lease_token = $3`,
    [organizationId, id, token, newId(), whole, Buffer.byteLength(whole)],
  )
  return whole
}
