import { maintainEventPartitions } from '../outbox/event-partitions.ts'
import { mergeMaintainedCounts } from '../record/maintained-count.ts'
import { deleteOldAnswers } from '../subgraph/idempotency.ts'
import type { Job } from './job.ts'

/** The jobs for the kernel's own tables. */
export const housekeeping: readonly Job[] = [
  { name: 'totals.fold', cron: '* * * * *', run: ({ database }) => mergeMaintainedCounts(database) },
  { name: 'idempotency.forget', cron: '17 * * * *', run: deleteOldAnswers },
  { name: 'events.keepPartitions', cron: '10 * * * *', run: maintainEventPartitions },
]
