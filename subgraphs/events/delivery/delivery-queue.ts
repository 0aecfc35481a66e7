import type { Queue } from '../../kernel/queue/queue.ts'
import { described } from './delivery-table.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { retryDelayMs } from './retry-delay.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import type { QueuedDelivery } from './queued-delivery.ts'

/** The bodies of running attempts are in the memory of the process: a large one counts as several attempts. */
const bytesOfSlot = 65_536

/** Sends each delivery at least once. */
export const deliveryQueue: Queue<QueuedDelivery> = {
  ...described,
  columns: `organization_id as "organizationId", webhook_id as "webhookId", event_id as "eventId", event_type as "eventType",
    event_version as "eventVersion", body_id as "bodyId", logged_id as "loggedId", depth,
    attempts_failed as "failedAttempts", attempts_max as "attemptsMax",
    retry_delay_seconds as "retryDelaySeconds", is_replay as "isReplay", is_test as "isTest", traceparent,
    created_at < statement_timestamp() - interval '5 minutes' as "isLate"`,
  slotsOf: `1 + body_bytes / ${bytesOfSlot}`,
  // Longer than an attempt with the reads before it and the record after it, and short enough that another process repeats it within a minute.
  leaseMs: 30_000,
  attemptMsMax: 20_000,
  lanes: { fresh: 512, retry: 64 },
  // An attempt that was lost with its worker is no failure of the receiver: it neither uses up an attempt nor makes the delay longer.
  attemptsMax: ({ attempts, failedAttempts, attemptsMax }) => attemptsMax + attempts - failedAttempts - 1,
  retryAfterMs: ({ retryDelaySeconds, failedAttempts }) => retryDelayMs(retryDelaySeconds, failedAttempts + 1),
  retentionMs: 0,
  attempt: attemptDelivery,
  record: recordOutcomes,
  mayBeLost: true,
  failureLevel: 'debug',
}
