import type { Job } from '../../kernel/jobs/job.ts'

const keptMs = 86_400_000

/** Deletes tokens a day after their expiry. */
export const oneTimeTokenForget: Job = {
  name: 'oneTimeToken.forget',
  cron: '50 3 * * *',
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - keptMs).toISOString()
    await database.query('delete from identity.one_time_token where expires_at < $1', [before])
  },
}
