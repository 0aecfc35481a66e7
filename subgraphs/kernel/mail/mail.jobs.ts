import type { Job } from '../jobs/job.ts'
import { forgetEnded } from '../queue/forget-ended.ts'
import type { Services } from '../request.ts'
import { mailQueue } from './mail-queue.ts'

async function forgetMail(services: Services): Promise<void> {
  const { database, clock } = services
  await forgetEnded(mailQueue, services)
  await database.query(`delete from kernel.mail_count where began_at + window_ms * interval '1 millisecond' < $1`, [
    clock.now().toISOString(),
  ])
  await database.query(`update kernel.mail set content = null where state = 'WITHHELD' and content is not null`)
}

export const mailJobs: readonly Job[] = [{ name: 'mail.forget', cron: '25 * * * *', run: forgetMail }]
