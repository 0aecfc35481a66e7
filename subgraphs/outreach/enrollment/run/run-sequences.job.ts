import type { Job } from '../../../kernel/jobs/job.ts'
import { runSequences } from './run-sequences.ts'

/** Every minute, for less than a minute; a step is executed within a minute of its time. */
export const sequenceRun: Job = {
  name: 'sequence.run',
  cron: '* * * * *',
  run: async (services) => void (await runSequences(services)),
}

/** Counts of days that have ended in every time zone. */
export const forgetSenderDays: Job = {
  name: 'sequence.forgetSenderDays',
  cron: '20 3 * * *',
  run: async ({ database, clock }) => {
    const before = new Date(clock.now().getTime() - 7 * 86_400_000).toISOString()
    await database.query('delete from outreach.sequence_sender_day where day < $1::timestamptz::date', [before])
  },
}
