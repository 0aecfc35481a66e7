import type { Job } from '../../kernel/jobs/job.ts'
import type { Services } from '../../kernel/request.ts'
import { forgetOpenClients } from './open-client.ts'

/** Kept for a day after expiry, so that an expired access token answers TOKEN_EXPIRED and the reuse of a refresh token is detected. */
const keptMs = 86_400_000

/** Deletes expired visits and tokens, consents without tokens, and clients that registered themselves and are not used. */
async function forgetExpired({ database, clock }: Services): Promise<void> {
  const now = clock.now()
  const before = new Date(now.getTime() - keptMs).toISOString()
  await database.query('delete from identity.oauth_visit where expires_at < $1', [now.toISOString()])
  await database.query('delete from identity.oauth_token where expires_at < $1', [before])
  await database.query(
    `delete from identity.oauth_grant g where g.created_at < $1
       and not exists (
         select 1 from identity.oauth_token t where t.organization_id = g.organization_id and t.grant_id = g.id
       )`,
    [before],
  )
  await forgetOpenClients({ database, clock })
}

export const oauthForget: Job = { name: 'oauth.forget', cron: '50 3 * * *', run: forgetExpired }
