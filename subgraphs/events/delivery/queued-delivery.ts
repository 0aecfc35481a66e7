import type { QueuedItem } from '../../kernel/queue/queue.ts'

/** An item of the queue. Its `id` is that of the first attempt in the delivery log. */
export interface QueuedDelivery extends QueuedItem {
  readonly organizationId: string
  readonly webhookId: string
  /** The last attempt whose outcome was recorded; at first the first attempt. */
  readonly lastAttemptId: string
  readonly attemptsMax: number
  readonly retryDelaySeconds: number
  readonly isReplay: boolean
  readonly isTest: boolean
  /** It was queued five minutes ago or earlier. */
  readonly isLate: boolean
}

/** What the log keeps of an attempt. */
export interface AttemptResult {
  /** Id of the attempt in the log. */
  readonly attemptId: string
  /** The signature, and the custom headers without their values; null if nothing was sent. */
  readonly requestHeaders: Readonly<Record<string, string>> | null
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly latencyMs: number | null
}

/** The first attempt has the id of the delivery, every further one that of its lease. */
export const attemptIdOf = ({ id, attempts, token }: QueuedDelivery & { readonly token: string }): string =>
  attempts === 1 ? id : token
