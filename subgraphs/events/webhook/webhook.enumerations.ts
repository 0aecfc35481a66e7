import { enumeration } from '../../kernel/record/column.ts'

export const WebhookDisabledReason = enumeration('WebhookDisabledReason', 'Why a webhook is turned off.', {
  REQUESTED: 'A user turned it off, or created it turned off.',
  FAILURES: 'The platform turned it off, because ten events in a row failed every attempt.',
})
export type WebhookDisabledReason = keyof typeof WebhookDisabledReason

export const WebhookDeliveryStatus = enumeration('WebhookDeliveryStatus', 'State of the delivery of an event.', {
  PENDING: 'The first attempt has not finished.',
  SUCCEEDED: 'The receiver answered with a status from 200 to 299 in time.',
  FAILED: 'The last attempt failed, and there is no further one.',
  RETRY_SCHEDULED: 'The last attempt failed; there is a further one.',
})
export type WebhookDeliveryStatus = keyof typeof WebhookDeliveryStatus
