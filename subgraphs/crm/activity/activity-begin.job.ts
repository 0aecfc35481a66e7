import type { Job } from '../../kernel/jobs/job.ts'

const batchSize = 500

/**
 * Notes that planned meetings have begun: from then on they are the last activity of their records and no longer the next one. Nothing
 * that a client reads of the activity itself changes, so there is no event and no new version.
 */
export const activityBegin: Job = {
  name: 'activity.begin',
  cron: '* * * * *',
  async run({ database, clock }) {
    const now = clock.now().toISOString()
    for (let begun = batchSize; begun === batchSize;) {
      const rows = await database.query(
        `update crm.activity set is_planned = false where (organization_id, id) in (
           select organization_id, id from crm.activity where is_planned and occurred_at <= $1
           order by organization_id, id limit ${batchSize} for update skip locked
         ) returning id`,
        [now],
      )
      begun = rows.length
    }
  },
}
