import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import { timeoutBounds } from '../function/bounds.ts'
import { runFunction } from '../function/run-function.ts'
import { eventInput } from './event-input.ts'
import { startTable } from './subscription.migrations.ts'

interface FunctionStartItem extends QueuedItem {
  readonly organizationId: string
  readonly functionId: string
  readonly eventId: string | null
  readonly eventPosition: number | null
  readonly scheduledFor: string | null
  readonly depth: number
}

/** After 10 s, 1, 5, 30 and 120 minutes. */
const retriesMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]
const dayMs = 86_400_000
/** The sandbox ends what is late by itself, and the calls of a function end with it. */
const attemptMsMax = timeoutBounds.maximum + 15_000

/** A schedule is not retried, because it comes true again. */
const attemptsMax = ({ eventId }: FunctionStartItem): number => (eventId === null ? 1 : 1 + retriesMs.length)

/** Starts functions by events and schedules: at least once, with one effect per key where the function writes through `context.api`. */
export const startQueue: Queue<FunctionStartItem> = {
  ...startTable,
  columns: `organization_id as "organizationId", function_id as "functionId", event_id as "eventId",
    event_position as "eventPosition", scheduled_for as "scheduledFor", depth`,
  leaseMs: attemptMsMax + 15_000,
  attemptMsMax,
  lanes: { fresh: 8, retry: 4 },
  attemptsMax,
  retryAfterMs: ({ attempts }) => retriesMs[attempts - 1] ?? retriesMs.at(-1)!,
  retentionMs: 30 * dayMs,
  failureLevel: 'debug',
  attempt: startFunction,
}

async function startFunction(services: Services, item: Leased<FunctionStartItem>): Promise<Outcome> {
  const { organizationId, functionId, eventId, scheduledFor, depth, attempts } = item
  const [row] = await services.database.query(
    'select 1 from extensions.function where organization_id = $1 and id = $2 and is_active and deleted_at is null',
    [organizationId, functionId],
  )
  if (!row) return { end: 'SKIPPED' }
  const input =
    eventId === null ? { scheduledFor: new Date(scheduledFor!).toISOString() } : await eventInput(services, item)
  if (input === null) return { end: 'SKIPPED' }
  const ended = await runFunction(services, {
    organizationId,
    functionId,
    trigger: eventId === null ? 'SCHEDULE' : 'EVENT',
    input,
    depth,
    attempt: attempts,
    effectKey: eventId === null ? item.id : `${eventId}:${functionId}`,
    isLastAttempt: attempts >= attemptsMax(item),
    ...(eventId !== null && { eventId }),
  })
  if (!ended) return { end: 'SKIPPED' }
  const { status, error, retryAfter } = ended
  if (status === 'SUCCEEDED') return { end: 'SUCCEEDED' }
  const message = error?.message ?? status
  // It did not run, so it is not what fails.
  if (status === 'THROTTLED') return { retry: message, afterMs: 1000 * (retryAfter ?? 1), isWait: true }
  return { retry: message.slice(0, 1_000) }
}

export const startJobs: readonly Job[] = [
  {
    name: 'functions.deleteStarts',
    cron: '25 4 * * *',
    run: (services) => deleteFinishedItems(startQueue, services),
  },
]
