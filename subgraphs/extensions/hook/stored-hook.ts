import type { BeforeSaveHook } from './hook.ts'

/** What calls need of a hook. */
export type StoredHook = Pick<
  BeforeSaveHook,
  | 'id'
  | 'name'
  | 'operations'
  | 'url'
  | 'function'
  | 'timeoutMs'
  | 'failureMode'
  | 'sealedSecret'
  | 'sealedPreviousSecret'
  | 'previousSecretExpiresAt'
  | 'managedBy'
>
