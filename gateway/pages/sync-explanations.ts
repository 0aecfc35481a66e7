import type { ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { Explanation } from './limit-explanations.ts'

/** Errors of those who keep a copy of records or of events. */
export const syncExplanations = {
  CURSOR_EXPIRED: {
    meaning: 'The events after the cursor are not all kept any more, so changes would be missing.',
    action:
      'Sync: read a new snapshot, and continue with the cursor of its last page. Events: read the records again, and continue with the cursor that the message names.',
  },
  SYNC_RESET: {
    meaning:
      'What the caller may see has changed since the snapshot, so records and fields of the copy may have to be removed, and others are missing.',
    action: 'Read a new snapshot, and replace the copy with it.',
  },
} as const satisfies Partial<Record<ErrorCode, Explanation>>
