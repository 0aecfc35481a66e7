import { Refusal } from './errors.ts'

/** How far a dry run goes: CHANGES calls nothing outside of the platform; HOOKS also calls the hooks of the organization. */
export type DryRunMode = 'CHANGES' | 'HOOKS'

/** What a dry run leaves out: a hook that decides on a change, or a mail. */
export interface NotExecuted {
  readonly kind: 'HOOK' | 'MAIL'
  /** The record type that a hook would have decided on; null for a mail. */
  readonly object: string | null
  readonly recordId: string | null
}

/** Tells in a dry run that a mail was not queued. */
export const tellMail = ({ notExecuted }: { readonly notExecuted?: NotExecuted[] }): void =>
  void notExecuted?.push({ kind: 'MAIL', object: null, recordId: null })

/** An event that a dry run would have written. */
export interface DryRunEvent {
  readonly type: string
  readonly object: string
  readonly recordId: string
  readonly changedFields: readonly string[] | null
}

/** What is told of a dry run besides its answer. */
export interface DryRunReport {
  readonly events: readonly DryRunEvent[]
  readonly notExecuted: readonly NotExecuted[]
}

/** The refusal of work that cannot be taken back, or whose answer comes from outside, before it is done. */
export const notInDryRun = (what = 'This operation'): Refusal =>
  new Refusal('DRY_RUN_NOT_SUPPORTED', `${what} acts outside of the transaction, so it cannot be tried without effect.`)

/** Whether work is tried only. Whatever cannot be rolled back asks this first. */
export function refuseInDryRun({ dryRun }: { readonly dryRun?: DryRunMode | undefined }): void {
  if (dryRun) throw notInDryRun()
}
