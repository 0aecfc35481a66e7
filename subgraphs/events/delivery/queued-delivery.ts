import type { QueuedItem } from '../../kernel/queue/queue.ts'

/** An item of the queue. Its `id` is that of its first attempt. */
export interface QueuedDelivery extends QueuedItem {
  readonly organizationId: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly eventVersion: number
  readonly bodyId: string
  /** The last attempt that is in the log; null before the first one. */
  readonly loggedId: string | null
  /** Attempts before this one that are known to have failed. The others were lost with their workers. */
  readonly failedAttempts: number
  readonly attemptsMax: number
  /** That of the event. */
  readonly depth: number
  readonly retryDelaySeconds: number
  readonly isReplay: boolean
  readonly isTest: boolean
  /** It was queued five minutes ago or earlier. */
  readonly isLate: boolean
}

/** What the log keeps of an attempt. */
export interface AttemptResult {
  /** The signature, and the custom headers without their values; null if nothing was sent. */
  readonly requestHeaders: Readonly<Record<string, string>> | null
  readonly responseStatus: number | null
  readonly responseBody: string | null
  readonly latencyMs: number | null
}

/** The first attempt has the id of the delivery, every further one that of its lease. */
export const attemptIdOf = ({ id, attempts, token }: QueuedDelivery & { readonly token: string }): string =>
  attempts === 1 ? id : token
