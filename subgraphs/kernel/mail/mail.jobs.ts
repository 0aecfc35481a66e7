import type { Job } from '../jobs/job.ts'
import { deleteFinishedItems } from '../queue/delete-finished-items.ts'
import type { Services } from '../request.ts'
import { mailTable } from './mail-queue.ts'

async function deleteOldMail(services: Services): Promise<void> {
  const { database, clock } = services
  await deleteFinishedItems(mailTable, services)
  await database.query(`delete from kernel.mail_count where began_at + window_ms * interval '1 millisecond' < $1`, [
    clock.now().toISOString(),
  ])
  await database.query(`update kernel.mail set content = null where state = 'WITHHELD' and content is not null`)
}

export const mailJobs: readonly Job[] = [{ name: 'mail.forget', cron: '25 * * * *', run: deleteOldMail }]
