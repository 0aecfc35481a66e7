import { sweepFiles } from '../file/sweep-files.ts'
import { forgetTokens } from '../language-model/token-budget.ts'
import { maintainEventPartitions } from '../outbox/event-partitions.ts'
import type { RecordShape } from '../record/definition.ts'
import { mergeTotals } from '../record/maintained-totals.ts'
import { measureKeptBytesJob } from '../stored-bytes/measure-kept-bytes.ts'
import { deleteOldAnswers } from '../subgraph/idempotency.ts'
import type { Job } from './job.ts'

/** The jobs for the kernel's own tables. */
export const housekeeping: readonly Job[] = [
  { name: 'idempotency.forget', cron: '17 * * * *', run: deleteOldAnswers },
  { name: 'events.keepPartitions', cron: '10 * * * *', run: maintainEventPartitions },
  measureKeptBytesJob,
  sweepFiles,
  { name: 'modelTokens.forget', cron: '27 3 * * *', run: forgetTokens },
]

/** Merges the maintained totals of these record types. */
export const mergeTotalsJob = (definitions: readonly RecordShape[]): Job => ({
  name: 'totals.merge',
  cron: '* * * * *',
  run: ({ database }) => mergeTotals(database, definitions),
})
