import type { Job } from '../../kernel/jobs/job.ts'
import { keptDays } from '../flow/bounds.ts'
import { endedColumns, openCondition } from './interview-store.ts'

const batch = 2_000
const batchesMax = 100
const dayMs = 86_400_000

/** Ends interviews to which nothing has happened for 7 days. */
export const expireInterviews: Job = {
  name: 'flows.expireInterviews',
  cron: '*/5 * * * *',
  async run({ database, clock }) {
    for (let round = 0; round < batchesMax; round++) {
      const expired = await database.query(
        `with old as (
           select organization_id, id from extensions.flow_interview where ${openCondition} and expires_at <= $1
           order by expires_at limit ${batch} for update skip locked
         )
         update extensions.flow_interview i set status = 'EXPIRED', ${endedColumns}, current_element = null, updated_at = $1, ended_at = $1
         from old where i.organization_id = old.organization_id and i.id = old.id returning 1`,
        [clock.now().toISOString()],
        'WRITE',
      )
      if (expired.length < batch) break
    }
  },
}

/** Deletes interviews that ended more than 30 days ago. */
export const forgetInterviews: Job = {
  name: 'flows.forgetInterviews',
  cron: '45 * * * *',
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - keptDays * dayMs).toISOString()
    for (let round = 0; round < batchesMax; round++) {
      const deleted = await database.query(
        `with old as (
           select organization_id, id from extensions.flow_interview where ended_at < $1 order by ended_at limit ${batch}
         )
         delete from extensions.flow_interview i using old
         where i.organization_id = old.organization_id and i.id = old.id returning 1`,
        [before],
        'WRITE',
      )
      if (deleted.length < batch) break
    }
  },
}
