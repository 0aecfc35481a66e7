import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'
import { sessionLifeMs } from './refresh-token.ts'

/**
 * Deletes sessions that ended or expired 30 days ago, and tokens used 30 days ago. A deleted token is refused like an unknown one.
 */
async function forgetSessions({ database, clock }: Services): Promise<void> {
  const before = new Date(clock.now().getTime() - sessionLifeMs).toISOString()
  await database.query(
    `delete from identity.refresh_token t using identity.session s
     where s.organization_id = t.organization_id and s.id = t.session_id
       and (t.used_at < $1 or least(s.ended_at, s.expires_at) < $1)`,
    [before],
  )
  await database.query(
    `delete from identity.session s where least(s.ended_at, s.expires_at) < $1
       and not exists (
         select 1 from identity.refresh_token t where t.organization_id = s.organization_id and t.session_id = s.id
       )`,
    [before],
  )
}

export const sessionForget: Job = { name: 'session.forget', cron: '40 3 * * *', run: forgetSessions }
