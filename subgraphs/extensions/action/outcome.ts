import type { CustomActionFailure, CustomActionStatus } from './custom-action.inputs.ts'

export interface ActionOutcome {
  readonly status: CustomActionStatus
  /** Null unless SUCCEEDED. */
  readonly output: unknown
  readonly error: { readonly code: CustomActionFailure; readonly message: string } | null
}

export const failed = (code: CustomActionFailure, message: string): ActionOutcome => ({
  status: 'FAILED',
  output: null,
  error: { code, message },
})
