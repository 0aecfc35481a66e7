import type { Leased, QueuedItem } from '../../../kernel/queue/queue.ts'
import type { RequestContext, Services } from '../../../kernel/request.ts'
import { readJob, type StoredJob } from '../stored-job.ts'

export interface RunItem extends QueuedItem {
  /** Attempts in a row that could not go on. */
  readonly pauses: number
}

/** One attempt to go on with a job. */
export interface Turn {
  readonly services: Services
  readonly item: Leased<RunItem>
  readonly job: StoredJob
  readonly organizationId: string
  readonly signal: AbortSignal
  /** When the next job has its turn. */
  readonly endMs: number
}

/** The job has ended otherwise, or another attempt has the lease. */
export class JobEnded extends Error {}

/** Why a job cannot go on for good. */
export class JobFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Until the transaction ends, no other attempt gets the job, and after it for half a minute: a process that dies holds it no longer. `isProgress`: what
 * the transaction does is progress, if it commits. `isKept`: also if the process dies later, which is then no repeated failure.
 */
export async function requireLease(
  { db }: Pick<RequestContext, 'db'>,
  { id, organization, token }: Leased<RunItem>,
  { isProgress = false, isKept = false } = {},
): Promise<void> {
  const rows = await db.query(
    `update records.bulk_run set next_attempt_at = statement_timestamp() + interval '30 seconds'${isProgress ? ', pauses = 0' : ''}${isKept ? ', attempts = 1' : ''}
     where organization_id = $1 and id = $2 and lease_token = $3 and state = 'QUEUED' returning 1`,
    [organization, id, token],
    'WRITE',
  )
  if (rows.length === 0) throw new JobEnded()
}

/** The job as it is now; throws if it has ended. It is not locked, so that it can be aborted meanwhile: what stores the progress must look at its state again. */
export async function requireRunning(ctx: RequestContext, { item, organizationId }: Turn): Promise<StoredJob> {
  await requireLease(ctx, item, { isProgress: true, isKept: true })
  const job = await readJob(ctx.db, organizationId, item.id)
  if (job?.state !== 'IN_PROGRESS') throw new JobEnded()
  return job
}
