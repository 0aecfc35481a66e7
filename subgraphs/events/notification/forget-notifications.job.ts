import type { Job } from '../../kernel/jobs/job.ts'
import { keptDays } from './create/notification-rows.ts'

const dayMs = 86_400_000
const batchSize = 5_000

/** Deletes old notifications, and what the users who have left had. */
export const forgetNotifications: Job = {
  name: 'notification.forget',
  cron: '41 * * * *',
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - keptDays * dayMs).toISOString()
    let deleted = batchSize
    while (deleted === batchSize) {
      const rows = await database.query(
        `delete from events.notification where ctid = any (array(
           select ctid from events.notification where created_at < $1 order by created_at limit ${batchSize}
         )) returning 1`,
        [before],
        'WRITE',
      )
      deleted = rows.length
    }
  },
}
