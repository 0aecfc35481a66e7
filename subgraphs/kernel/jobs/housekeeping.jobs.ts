import { keepEventPartitions } from '../outbox/event-partitions.ts'
import type { RecordShape } from '../record/definition.ts'
import { mergeTotals } from '../record/maintained-totals.ts'
import { forgetOldAnswers } from '../subgraph/idempotency.ts'
import type { Job } from './job.ts'

/** What the kernel's own tables need, whatever the domains are. */
export const housekeeping: readonly Job[] = [
  { name: 'idempotency.forget', cron: '17 * * * *', run: forgetOldAnswers },
  { name: 'events.keepPartitions', cron: '10 * * * *', run: keepEventPartitions },
]

/** Merges the maintained totals of these record types. */
export const mergeTotalsJob = (definitions: readonly RecordShape[]): Job => ({
  name: 'totals.merge',
  cron: '* * * * *',
  run: ({ database }) => mergeTotals(database, definitions),
})
