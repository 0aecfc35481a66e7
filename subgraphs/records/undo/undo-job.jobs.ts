import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Services } from '../../kernel/request.ts'
import { undoQueue } from './undo-job.queue.ts'

/** Rows of one statement, and jobs that are looked for at once. */
const [rowsAtOnce, jobsAtOnce] = [5_000, 100]

const deleteItems = `delete from records.undo_item where organization_id = $1 and ctid = any (array(
  select ctid from records.undo_item where organization_id = $1 and job_id = $2 limit ${rowsAtOnce})) returning 1`
const deleteResults = `delete from records.undo_result where organization_id = $1 and ctid = any (array(
  select ctid from records.undo_result where organization_id = $1 and job_id = $2 limit ${rowsAtOnce})) returning 1`

async function deleteRows(database: Services['database'], sql: string, key: readonly string[]): Promise<void> {
  let deleted: unknown[]
  do deleted = await database.query(sql, key)
  while (deleted.length === rowsAtOnce)
}

/** Does what is to be done for the jobs that the condition finds, which it must not find again. */
async function forEachJob(
  { database, clock }: Services,
  condition: string,
  work: (key: readonly [organizationId: string, id: string]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const found = await database.query<{ organizationId: string; id: string }>(
      `select organization_id as "organizationId", id from records.undo_job where ${condition} limit ${jobsAtOnce}`,
      [clock.now().toISOString()],
    )
    for (const { organizationId, id } of found) await work([organizationId, id])
    if (found.length < jobsAtOnce) return
  }
}

/** Deletes undo jobs that have expired with their results, and the lists of records of those that have ended. */
export const deleteUndoJobs: Job = {
  name: 'undo.deleteExpired',
  cron: '35 * * * *',
  async run(services) {
    const { database } = services
    await forEachJob(services, 'has_items and ended_at <= $1 order by ended_at', async (key) => {
      await deleteRows(database, deleteItems, key)
      await database.query('update records.undo_job set has_items = false where organization_id = $1 and id = $2', key)
    })
    await forEachJob(services, 'expires_at < $1 order by expires_at', async (key) => {
      await deleteRows(database, deleteResults, key)
      await database.query('delete from records.undo_job where organization_id = $1 and id = $2', key)
    })
    await deleteFinishedItems(undoQueue, services)
  },
}
