import { keepEventPartitions } from '../outbox/event-partitions.ts'
import { foldTotals } from '../record/totals.ts'
import { deleteOldAnswers } from '../subgraph/idempotency.ts'
import type { Job } from './job.ts'

/** The jobs for the kernel's own tables. */
export const housekeeping: readonly Job[] = [
  { name: 'totals.fold', cron: '* * * * *', run: ({ database }) => foldTotals(database) },
  { name: 'idempotency.forget', cron: '17 * * * *', run: deleteOldAnswers },
  { name: 'events.keepPartitions', cron: '10 * * * *', run: keepEventPartitions },
]
