import type { Job } from '../../kernel/jobs/job.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Queue } from '../../kernel/queue/queue.ts'
import { fieldChangeTable } from './field-change.migrations.ts'
import { attemptsMax, runChange, turnMs, type ChangeItem } from './run-change.ts'

/** A batch may begin when the turn is nearly over. */
const attemptMsMax = turnMs + 35_000

/** Changes of custom fields, in turns: one field of an organization at a time, the organizations in turn. */
export const fieldChangeQueue: Queue<ChangeItem> = {
  ...fieldChangeTable,
  columns: 'field_id as "fieldId"',
  leaseMs: attemptMsMax + 15_000,
  attemptMsMax,
  lanes: { fresh: 2, retry: 1 },
  // The turns decide themselves when a change has failed.
  attemptsMax: () => 10 * attemptsMax,
  retryAfterMs: ({ attempts }) => Math.min(1_000 * 2 ** (attempts - 1), 300_000),
  retentionMs: 30 * 86_400_000,
  attempt: runChange,
}

export const forgetFieldChanges: Job = {
  name: 'customFields.forgetChanges',
  cron: '50 4 * * *',
  run: (services) => deleteFinishedItems(fieldChangeQueue, services),
}
