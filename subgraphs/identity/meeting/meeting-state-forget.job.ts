import type { Job } from '../../kernel/jobs/job.ts'

/** Deletes expired `state` values of started connections. */
export const meetingStateForget: Job = {
  name: 'meetingState.forget',
  cron: '55 3 * * *',
  async run({ database, clock }) {
    await database.query('delete from identity.meeting_state where expires_at < $1', [clock.now().toISOString()])
  },
}
