import { enumeration } from '../../kernel/record/column.ts'

export const SaveOperation = enumeration('SaveOperation', 'A change of a record.', {
  CREATE: 'A new record.',
  UPDATE: 'A change of an existing record, or its restoring.',
  DELETE: 'The deletion of a record.',
})
export type SaveOperation = keyof typeof SaveOperation

export const HookFailureMode = enumeration(
  'HookFailureMode',
  'What becomes of a change when a hook takes too long, fails, or gives an answer that is not valid.',
  {
    FAIL_OPEN: 'The change goes on without the hook.',
    FAIL_CLOSED: 'The change is refused with 503 `HOOK_UNAVAILABLE`, and may be sent again.',
  },
)
export type HookFailureMode = keyof typeof HookFailureMode
