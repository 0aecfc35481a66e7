import { foldTotals } from '../record/totals.ts'
import { forgetOldAnswers } from '../subgraph/idempotency.ts'
import type { Job } from './job.ts'

const monthsAhead = 3

/** What the kernel's own tables need, whatever the domains are. */
export const housekeeping: readonly Job[] = [
  { name: 'totals.fold', cron: '* * * * *', run: ({ database }) => foldTotals(database) },
  { name: 'idempotency.forget', cron: '17 * * * *', run: forgetOldAnswers },
  {
    name: 'events.createPartitions',
    cron: '10 3 * * *',
    run: async ({ database, clock }) => {
      await database.query('select kernel.create_event_partitions($1::date, $2)', [
        clock.now().toISOString().slice(0, 10),
        monthsAhead,
      ])
    },
  },
]
