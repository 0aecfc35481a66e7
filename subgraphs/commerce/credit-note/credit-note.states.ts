import { refusalInState, type StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import type { CreditNote } from './credit-note.ts'
import type { CreditNoteStatus } from './credit-note.enumerations.ts'

/** Whether nothing of the credit was applied or paid. */
export const isUnused = ({ amountApplied, amountRefunded }: CreditNote): boolean =>
  decimalOf(amountApplied).eq(zero) && decimalOf(amountRefunded).eq(zero)

export const creditNoteStates: StateMachine<CreditNote, CreditNoteStatus> = {
  name: 'credit note',
  scope: 'WRITE_INVOICES',
  transitions: {
    DRAFT: { ISSUED: ['creditNoteIssue'] },
    ISSUED: { VOID: [{ operation: 'creditNoteVoid', isPossible: (_ctx, previous) => isUnused(previous) }] },
    VOID: {},
  },
}

/** Throws INVALID_STATE with the statuses that the caller can set. */
export async function refuseInState(ctx: RequestContext, previous: CreditNote, message: string): Promise<never> {
  throw await refusalInState(ctx, creditNoteStates, previous, message)
}

/** What a client may change after DRAFT. */
const changeable: ReadonlySet<string> = new Set(['notes', 'metadata', 'tags'])

/** Throws INVALID_STATE if a client's change touches what is frozen. */
export async function requireEditable(
  ctx: RequestContext,
  previous: CreditNote,
  changed: readonly (keyof CreditNote)[],
): Promise<void> {
  const frozen = previous.status === 'DRAFT' ? [] : changed.filter((name) => !changeable.has(name))
  if (frozen.length === 0) return
  const rule = `only ${[...changeable].join(', ')} can change`
  await refuseInState(
    ctx,
    previous,
    `A credit note with status ${previous.status} cannot change ${frozen.join(', ')}; ${rule}.`,
  )
}

/** Throws INVALID_STATE unless the credit note may be deleted. */
export async function requireDeletable(ctx: RequestContext, previous: CreditNote): Promise<void> {
  const { status } = previous
  if (status === 'DRAFT') return
  await refuseInState(
    ctx,
    previous,
    `A credit note with status ${status} cannot be deleted; only a DRAFT can. Void it instead.`,
  )
}
