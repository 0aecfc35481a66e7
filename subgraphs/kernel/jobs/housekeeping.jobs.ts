import { keepEventPartitions } from '../outbox/event-partitions.ts'
import { foldTotals } from '../record/totals.ts'
import { forgetOldAnswers } from '../subgraph/idempotency.ts'
import type { Job } from './job.ts'

/** What the kernel's own tables need, whatever the domains are. */
export const housekeeping: readonly Job[] = [
  { name: 'totals.fold', cron: '* * * * *', run: ({ database }) => foldTotals(database) },
  { name: 'idempotency.forget', cron: '17 * * * *', run: forgetOldAnswers },
  { name: 'events.keepPartitions', cron: '10 * * * *', run: keepEventPartitions },
]
