import { storableJson } from '../../../kernel/json/storable-json.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { BulkJobError } from '../bulk-job.types.ts'
import type { FileRow } from '../read-file.ts'
import type { Checkpoint, StoredJob } from '../stored-job.ts'
import { JobEnded } from './lease.ts'
import type { RowAction, RowResult } from './loading.ts'

/** A result as it is stored: the row, the id and the action; of a row that failed the row, the code, the field and the message. */
export type StoredResult =
  | readonly [row: number, id: string, action: RowAction]
  | readonly [row: number, code: string, field: string | null, message: string]

export const isFailure = (
  result: StoredResult,
): result is readonly [row: number, code: string, field: string | null, message: string] => result.length === 4

const storedResult = (result: RowResult): StoredResult =>
  'problem' in result
    ? [result.row, result.problem.code, result.problem.field, result.problem.message]
    : [result.row, result.id, result.action]

/** The results whose rows were written, have failed or were skipped. */
export type Outcome = 'succeeded' | 'failed' | 'skipped'

export const outcomeOf = (result: StoredResult): Outcome =>
  isFailure(result) ? 'failed' : result[2] === 'SKIPPED' ? 'skipped' : 'succeeded'

const codesMax = 50

function summaryWith(summary: readonly BulkJobError[], results: readonly RowResult[]): BulkJobError[] {
  const byCode = new Map(summary.map((error) => [error.code, { ...error }]))
  for (const result of results) {
    if (!('problem' in result)) continue
    const { code, message } = result.problem
    const known = byCode.get(code)
    if (known) known.count += 1
    else if (byCode.size < codesMax) byCode.set(code, { code, count: 1, sample: message })
  }
  return [...byCode.values()].sort((a, b) => b.count - a.count)
}

interface ChunkResults {
  readonly rows: readonly FileRow[]
  readonly start: number
  readonly after: Checkpoint
  readonly results: readonly RowResult[]
}

/** Stores the results of rows, in the transaction that writes their records. Returns the job as it is then, which is to be stored, too. */
export async function storeChunk(
  { db, caller: { organizationId } }: RequestContext,
  job: StoredJob,
  { rows, start, after, results }: ChunkResults,
): Promise<StoredJob> {
  const stored = results.map(storedResult)
  const count = (outcome: Outcome): number => stored.filter((result) => outcomeOf(result) === outcome).length
  const [succeeded, failed, skipped] = [count('succeeded'), count('failed'), count('skipped')]
  if (results.length > 0)
    await db.query(
      `insert into records.bulk_chunk (organization_id, job_id, first_row, row_count, byte, succeeded, failed, skipped, results)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [organizationId, job.id, rows[0]?.row ?? 1, rows.length, start, succeeded, failed, skipped, storableJson(stored)],
      'WRITE',
    )
  return {
    ...job,
    checkpoint: after,
    recordsSucceeded: job.recordsSucceeded + succeeded,
    recordsFailed: job.recordsFailed + failed,
    recordsSkipped: job.recordsSkipped + skipped,
    errorSummary: failed > 0 ? summaryWith(job.errorSummary, results) : job.errorSummary,
  }
}

/** Stores how far a job is, unless it has ended meanwhile. From then on, whoever aborts it waits for the transaction. */
export async function storeProgress(
  { db, caller: { organizationId } }: RequestContext,
  { id, checkpoint, recordsSucceeded, recordsFailed, recordsSkipped, errorSummary }: StoredJob,
): Promise<void> {
  const updated = await db.query(
    `update records.bulk_job set checkpoint = $3, records_succeeded = $4, records_failed = $5, error_summary = $6, records_skipped = $7, error_message = null
     where organization_id = $1 and id = $2 and job_state = 'IN_PROGRESS' returning 1`,
    [
      organizationId,
      id,
      JSON.stringify(checkpoint),
      recordsSucceeded,
      recordsFailed,
      storableJson(errorSummary),
      recordsSkipped,
    ],
    'WRITE',
  )
  if (updated.length === 0) throw new JobEnded()
}

/** Stores the results of rows with the checkpoint after them, in the transaction that writes their records. Returns the job as it is then. */
export async function storeResults(ctx: RequestContext, job: StoredJob, chunk: ChunkResults): Promise<StoredJob> {
  const next = await storeChunk(ctx, job, chunk)
  await storeProgress(ctx, next)
  return next
}
