import type { Job } from '../../kernel/jobs/job.ts'
import { mergeTotals } from '../../kernel/record/maintained-totals.ts'
import { sequenceAttempt } from '../enrollment/attempt.record.ts'

/** Attempts are no records of the graph, so the job of the kernel does not know their totals. */
export const attemptTotals: Job = {
  name: 'outreach.mergeAttemptTotals',
  cron: '* * * * *',
  run: ({ database }) => mergeTotals(database, [sequenceAttempt]),
}
