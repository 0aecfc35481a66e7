import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { pageOf } from '../../kernel/record/inputs.ts'
import { WebhookDelivery } from './delivery.ts'

/** The log is written by the queue and its workers only; it is read like records. */
export const delivery: RecordShape = {
  entity: WebhookDelivery,
  columns: Columns.of(WebhookDelivery),
  object: 'webhook_delivery',
  table: 'events.delivery_shown',
  visibleBy: [],
  searchable: [],
}

export const WebhookDeliveryPage = pageOf('WebhookDeliveryPage', WebhookDelivery, 'WEBHOOKS')
