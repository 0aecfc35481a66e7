import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Queue } from '../../kernel/queue/queue.ts'
import { retriesMs, timeoutBounds, turnMs } from './bounds.ts'
import { runTriggers, type TriggerRun } from './run-triggers.ts'
import { triggerRunTable } from './trigger.migrations.ts'

const dayMs = 86_400_000
/** A turn may begin its last function when its time is nearly over. The sandbox ends what is late by itself. */
const attemptMsMax = turnMs + timeoutBounds.maximum + 15_000

/** Runs the triggers of changes: at least once, with one effect per key where a function writes through `context.api`. */
export const triggerQueue: Queue<TriggerRun> = {
  ...triggerRunTable,
  columns: `organization_id as "organizationId", event_id as "eventId", event_position as "eventPosition", depth,
    trigger_ids as "triggerIds", outcomes`,
  leaseMs: attemptMsMax + 15_000,
  attemptMsMax,
  lanes: { fresh: 8, retry: 4 },
  attemptsMax: () => 1 + retriesMs.length,
  retryAfterMs: ({ attempts }) => retriesMs[attempts - 1] ?? retriesMs.at(-1)!,
  retentionMs: 30 * dayMs,
  failureLevel: 'debug',
  attempt: (services, run) => runTriggers(services, run, run.attempts > retriesMs.length),
}

export const triggerJobs: readonly Job[] = [
  {
    name: 'triggers.deleteRuns',
    cron: '35 4 * * *',
    run: (services) => deleteFinishedItems(triggerQueue, services),
  },
]
