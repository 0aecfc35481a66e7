import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import { undoQueue } from './undo-job.queue.ts'

/** Rows of one statement. */
const batch = 5_000

const deleteRecords = `delete from records.undo_item where organization_id = $1 and ctid = any (array(
  select ctid from records.undo_item where organization_id = $1 and job_id = $2 limit ${batch})) returning 1`
const deleteResults = `delete from records.undo_result where organization_id = $1 and ctid = any (array(
  select ctid from records.undo_result where organization_id = $1 and job_id = $2 limit ${batch})) returning 1`

/** Deletes undo jobs that have expired, with their records and results. */
export const deleteUndoJobs: Job = {
  name: 'undo.deleteExpired',
  cron: '35 3 * * *',
  async run(services) {
    const { database, clock } = services
    const expired = await database.query<{ organizationId: string; id: string }>(
      `select organization_id as "organizationId", id from records.undo_job where expires_at < $1 order by expires_at`,
      [clock.now().toISOString()],
    )
    for (const { organizationId, id } of expired) {
      for (const sql of [deleteRecords, deleteResults]) {
        let deleted: unknown[]
        do deleted = await database.query(sql, [organizationId, id])
        while (deleted.length === batch)
      }
      await database.query('delete from records.undo_job where organization_id = $1 and id = $2', [organizationId, id])
    }
    await deleteFinishedItems(undoQueue, services)
  },
}
