import { keepEventPartitions } from '../outbox/event-partitions.ts'
import { mergeMaintainedCounts } from '../record/maintained-count.ts'
import { forgetOldAnswers } from '../subgraph/idempotency.ts'
import type { Job } from './job.ts'

/** What the kernel's own tables need, whatever the domains are. */
export const housekeeping: readonly Job[] = [
  { name: 'totals.fold', cron: '* * * * *', run: ({ database }) => mergeMaintainedCounts(database) },
  { name: 'idempotency.forget', cron: '17 * * * *', run: forgetOldAnswers },
  { name: 'events.keepPartitions', cron: '10 * * * *', run: keepEventPartitions },
]
