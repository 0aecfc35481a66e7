import { enumeration } from '../../kernel/record/column.ts'

export const HookFailureMode = enumeration(
  'HookFailureMode',
  'What becomes of a change when a hook takes too long, fails, or gives an answer that is not valid.',
  {
    FAIL_OPEN: 'The change goes on without the hook.',
    FAIL_CLOSED: 'The change is refused with 503 `HOOK_UNAVAILABLE`, and may be sent again.',
  },
)
export type HookFailureMode = keyof typeof HookFailureMode
