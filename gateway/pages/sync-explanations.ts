import type { ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { Explanation } from './limit-explanations.ts'

/** Errors of those who keep a copy of records or of events, or of whose records a copy is kept here, read past states or try changes. */
export const syncExplanations = {
  CURSOR_EXPIRED: {
    meaning: 'The events after the cursor are not all kept any more, so changes would be missing.',
    action:
      'Sync: read a new snapshot, and continue with the cursor of its last page. Events: read the records again, and continue with the cursor that the message names.',
  },
  HISTORY_NOT_KEPT: {
    meaning:
      'The state of records at that time follows from the events since then, and these are not all kept any more.',
    action: 'Ask for a time at or after `oldest`.',
  },
  DRY_RUN_NOT_SUPPORTED: {
    meaning:
      'The operation needs an answer from outside, or signs somebody in, so it cannot be tried without effect. Nothing was done.',
    action: 'Send it without `Prefer: dry-run` if it is to be carried out.',
  },
  UNDO_CONFLICT: {
    meaning:
      'Something has changed since the operation, or a rule refuses the way back. `errors` has each record, and the field with who changed it and when. Nothing was undone.',
    action: 'Send `onConflict: SKIP` to undo the rest, or undo the later operations first.',
  },
  SYNC_RESET: {
    meaning:
      'What the caller may see has changed since the snapshot, so records and fields of the copy may have to be removed, and others are missing.',
    action: 'Read a new snapshot, and replace the copy with it.',
  },
  AMBIGUOUS_MATCH: {
    meaning:
      'Several live records have this external id, because they had it before it had to be unique; nothing was changed. `errors` names those that the caller sees in `conflictingIds`.',
    action: 'Change the record by its `id`, and give the others another external id, delete or merge them.',
  },
  PRECONDITION_FAILED: {
    meaning:
      'A record with this key exists already, and `If-None-Match: *` asks for a new one only; nothing was changed.',
    action: 'Leave the header out to change the record.',
  },
} as const satisfies Partial<Record<ErrorCode, Explanation>>
