import type { RequestContext } from '../../kernel/request.ts'
import type { StoredUndoJob } from './stored-undo-job.ts'
import { keptMs } from './undo-job.migrations.ts'
import { JobEnded } from './undo-lease.ts'
import type { UndoJobStatus } from './undo.enumerations.ts'

export type Progress = Partial<
  Pick<
    StoredUndoJob,
    | 'phase'
    | 'checkpoint'
    | 'listThrough'
    | 'recordsSeen'
    | 'recordsProcessed'
    | 'recordsUndone'
    | 'recordsNotUndone'
    | 'conflicts'
    | 'results'
  >
>

/**
 * Stores how far a job is, in the transaction of what it has done, unless it has ended meanwhile: then nothing of it is kept. From then on, whoever aborts
 * the job waits for the transaction.
 */
export async function storeProgress(ctx: RequestContext, job: StoredUndoJob, progress: Progress): Promise<void> {
  const next = { ...job, ...progress }
  const updated = await ctx.db.query(
    `update records.undo_job set job_status = 'RUNNING', started_at = coalesce(started_at, $3), phase = $4, checkpoint = $5, list_through = $6,
       records_seen = $7, records_processed = $8, records_undone = $9, records_not_undone = $10, conflicts = $11, results = $12, error_message = null
     where organization_id = $1 and id = $2 and job_status in ('QUEUED', 'RUNNING') returning 1`,
    [
      ctx.caller.organizationId,
      job.id,
      ctx.clock.now().toISOString(),
      next.phase,
      next.checkpoint,
      next.listThrough,
      next.recordsSeen,
      next.recordsProcessed,
      next.recordsUndone,
      next.recordsNotUndone,
      next.conflicts,
      next.results,
    ],
    'WRITE',
  )
  if (updated.length === 0) throw new JobEnded()
}

interface End {
  readonly status: Extract<UndoJobStatus, 'SUCCEEDED' | 'FAILED' | 'ABORTED'>
  readonly error?: { readonly code: string; readonly message: string }
}

/** Ends a job that has not ended. */
export async function endJob(
  { db, clock }: Pick<RequestContext, 'db' | 'clock'>,
  organizationId: string,
  id: string,
  { status, error }: End,
): Promise<void> {
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + keptMs)
  await db.query(
    `update records.undo_job set job_status = $3, started_at = case when $3 = 'ABORTED' then started_at else coalesce(started_at, $4) end, ended_at = $4, expires_at = $5, error_code = $6, error_message = $7
     where organization_id = $1 and id = $2 and job_status in ('QUEUED', 'RUNNING')`,
    [
      organizationId,
      id,
      status,
      now.toISOString(),
      expiresAt.toISOString(),
      error?.code ?? null,
      error?.message ?? null,
    ],
    'WRITE',
  )
}
