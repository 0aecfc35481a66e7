import { lockOf } from '../../kernel/database/locks.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { keptMax, storedRowsMax, unfinishedMax } from './undo-job.migrations.ts'

/** The rows that a job with so many changes may store: one that lists each record, and a result. */
const rowsOf = (changes: number): number => 2 * changes

const isUnfinished = `job_status in ('QUEUED', 'RUNNING')`

/** Refuses a job if the organization has as many as it may have, or if what they store leaves too little for one with so many changes. */
export async function requireRoomForUndo({ db, caller }: RequestContext, changes: number): Promise<void> {
  const { organizationId } = caller
  await db.query(`select pg_advisory_xact_lock(${lockOf('undoJobs')})`, [organizationId], 'WRITE')
  const [row] = await db.query<{ unfinished: number; kept: number; rows: number; nextDeletion: string | null }>(
    `select count(*) filter (where ${isUnfinished})::int as unfinished, count(*)::int as kept,
       coalesce(sum(results + case when ${isUnfinished} then greatest(changes, ${rowsOf(1)} * changes - results) when has_items then changes else 0 end), 0)::float8 as rows,
       min(expires_at) as "nextDeletion"
     from records.undo_job where organization_id = $1`,
    [organizationId],
    'WRITE',
  )
  const { unfinished, kept, rows, nextDeletion } = row!
  const refusal = (limit: number, message: string): Refusal => new Refusal('LIMIT_REACHED', message, { limit })
  if (unfinished >= unfinishedMax) {
    const message = `The organization may have at most ${unfinishedMax} undo jobs that have not ended; retry when one of them has.`
    throw refusal(unfinishedMax, message)
  }
  const next = nextDeletion === null ? '' : ` The first of them is deleted after ${nextDeletion}.`
  if (kept >= keptMax)
    throw refusal(keptMax, `The organization may keep at most ${keptMax} undo jobs, of seven days.${next}`)
  if (rows + rowsOf(changes) > storedRowsMax) {
    const message = `The undo jobs of the organization may store at most ${storedRowsMax} records and results. They need ${rows}, and this one up to ${rowsOf(changes)}.${next}`
    throw refusal(storedRowsMax, message)
  }
}
