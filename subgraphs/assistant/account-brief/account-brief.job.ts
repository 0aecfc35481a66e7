import type { Job } from '../../kernel/jobs/job.ts'
import { keptDays } from './bounds.ts'

const dayMs = 86_400_000
const batch = 5_000

/** Deletes old briefs. Each run deletes a bounded number; the rest waits for the next one. */
export const forgetBriefs: Job = {
  name: 'assistant.forgetBriefs',
  cron: '38 * * * *',
  async run({ clock, database }) {
    const before = new Date(clock.now().getTime() - keptDays * dayMs).toISOString()
    await database.query(
      `delete from assistant.account_brief b using (
         select organization_id, user_id, account_id from assistant.account_brief where generated_at < $1 order by generated_at limit ${batch}) old
       where b.organization_id = old.organization_id and b.user_id = old.user_id and b.account_id = old.account_id`,
      [before],
      'WRITE',
    )
  },
}
