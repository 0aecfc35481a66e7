import type { RequestContext } from '../../kernel/request.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import { updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { bulkJobChanges, type BulkJobPayload } from './bulk-job.events.ts'
import type { BulkJobState } from './bulk-job.enumerations.ts'
import { keptMs } from './bulk-job.migrations.ts'
import type { StoredJob } from './stored-job.ts'

interface End {
  readonly state: Extract<BulkJobState, 'JOB_COMPLETE' | 'FAILED' | 'ABORTED'>
  readonly recordsTotal?: number
  readonly error?: { readonly code: string; readonly message: string }
}

const payloadOf = (organizationId: string, job: StoredJob): BulkJobPayload => ({
  id: job.id,
  organizationId,
  jobObject: job.object,
  operation: job.operation,
  state: job.state,
  createdById: job.createdById,
  recordsSucceeded: job.recordsSucceeded,
  recordsFailed: job.recordsFailed,
  recordsSkipped: job.recordsSkipped,
  errorCode: job.errorCode,
})

/** Ends a job with its event, in the transaction of its last rows or of whoever ends it. `job` has the figures after these rows. */
export async function endJob(ctx: RequestContext, job: StoredJob, { state, recordsTotal, error }: End): Promise<void> {
  const { organizationId } = ctx.caller
  const now = ctx.clock.now()
  const previous = payloadOf(organizationId, job)
  const next = payloadOf(organizationId, { ...job, state, errorCode: error?.code ?? null })
  await writeChange(ctx, bulkJobChanges, { operation: 'UPDATE', previous, next }, (values: Values) =>
    updateRow(
      values,
      'records.bulk_job',
      {
        job_state: state,
        completed_at: now.toISOString(),
        expires_at: new Date(now.getTime() + keptMs).toISOString(),
        ...(recordsTotal !== undefined && { records_total: recordsTotal }),
        error_code: error?.code ?? null,
        error_message: error?.message ?? null,
      },
      { organization_id: organizationId, id: job.id },
    ),
  )
}
