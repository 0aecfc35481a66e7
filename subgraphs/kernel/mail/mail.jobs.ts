import type { Job } from '../jobs/job.ts'
import type { Services } from '../request.ts'
import { deliverMail } from './deliver-mail.ts'

const keptMs = 30 * 86_400_000

async function forgetMail({ database, clock }: Services): Promise<void> {
  await database.query(`delete from kernel.mail where state <> 'QUEUED' and created_at < $1`, [
    new Date(clock.now().getTime() - keptMs).toISOString(),
  ])
  await database.query(`delete from kernel.mail_count where began_at + window_ms * interval '1 millisecond' < $1`, [
    clock.now().toISOString(),
  ])
  await database.query(`update kernel.mail set content = null where state = 'WITHHELD' and content is not null`)
}

export const mailJobs: readonly Job[] = [
  // Most mail leaves with the message of its commit; this finds what is tried again, and what a crash left behind.
  { name: 'mail.deliver', cron: '* * * * *', run: deliverMail },
  { name: 'mail.forget', cron: '25 * * * *', run: forgetMail },
]
