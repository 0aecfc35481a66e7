import type { Job } from '../../kernel/jobs/job.ts'
import { forgetFieldChanges } from '../field-change/field-change.queue.ts'
import { removeDeletedFields } from '../field-change/remove-values.ts'
import { removeAliases } from '../field-change/replace-value.ts'
import { forgetDetailChanges } from '../lookup/detail-change.queue.ts'
import { forgetLookupClearings } from '../lookup/lookup-clearing.queue.ts'
import { forgetFieldUsage } from './recent-users.ts'

export const customFieldJobs: readonly Job[] = [
  forgetFieldChanges,
  forgetLookupClearings,
  forgetDetailChanges,
  removeDeletedFields,
  removeAliases,
  forgetFieldUsage,
]
