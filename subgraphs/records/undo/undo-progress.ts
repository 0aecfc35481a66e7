import type { RequestContext } from '../../kernel/request.ts'
import type { StoredUndoJob } from './stored-undo-job.ts'
import { keptMs } from './undo-job.migrations.ts'

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

/** Stores how far a job is, in the transaction of what it has done. */
export async function storeProgress(ctx: RequestContext, job: StoredUndoJob, progress: Progress): Promise<void> {
  const next = { ...job, ...progress }
  await ctx.db.query(
    `update records.undo_job set job_status = 'RUNNING', started_at = coalesce(started_at, $3), phase = $4, checkpoint = $5, list_through = $6,
       records_seen = $7, records_processed = $8, records_undone = $9, records_not_undone = $10, conflicts = $11, results = $12, error_message = null
     where organization_id = $1 and id = $2`,
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
}

/** Ends a job that has not ended. */
export async function endJob(
  { db, clock }: Pick<RequestContext, 'db' | 'clock'>,
  organizationId: string,
  id: string,
  error: { readonly code: string; readonly message: string } | null,
): Promise<void> {
  const now = clock.now()
  await db.query(
    `update records.undo_job set job_status = $3, started_at = coalesce(started_at, $4), ended_at = $4, expires_at = $5, error_code = $6, error_message = $7
     where organization_id = $1 and id = $2 and job_status in ('QUEUED', 'RUNNING')`,
    [
      organizationId,
      id,
      error ? 'FAILED' : 'SUCCEEDED',
      now.toISOString(),
      new Date(now.getTime() + keptMs).toISOString(),
      error?.code ?? null,
      error?.message ?? null,
    ],
    'WRITE',
  )
}
