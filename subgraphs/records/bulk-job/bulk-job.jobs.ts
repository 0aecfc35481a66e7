import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import { deleteJob, lockRun } from './job.actions.ts'
import { bulkQueue } from './load/bulk-queue.ts'
import { readJob } from './stored-job.ts'

const batch = 100

/** Deletes jobs that have expired, with their files and results. */
export const deleteBulkJobs: Job = {
  name: 'bulk.deleteExpired',
  cron: '25 3 * * *',
  async run(services) {
    const { database, clock } = services
    for (;;) {
      const expired = await database.query<{ organizationId: string; id: string }>(
        `select organization_id as "organizationId", id from records.bulk_job
         where expires_at < $1 and job_state not in ('UPLOAD_COMPLETE', 'IN_PROGRESS') order by expires_at limit ${batch}`,
        [clock.now().toISOString()],
      )
      for (const { organizationId, id } of expired)
        await database.transaction(async (db) => {
          await lockRun(db, organizationId, id)
          const job = await readJob(db, organizationId, id, { isLocked: true })
          // It may have gone on since it was found.
          const isExpired =
            job &&
            job.state !== 'UPLOAD_COMPLETE' &&
            job.state !== 'IN_PROGRESS' &&
            new Date(job.expiresAt) < clock.now()
          if (isExpired) await deleteJob({ db, clock }, organizationId, job)
        })
      if (expired.length < batch) break
    }
    await deleteFinishedItems(bulkQueue, services)
  },
}
