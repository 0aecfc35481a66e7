import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalOf, exactOf, sumOf, zero } from '../../kernel/values/decimal.ts'
import { documentUrl } from '../document/document-url.ts'
import { dayOf } from '../invoice/invoice-day.ts'
import { amountProblems, calculatedAmounts } from '../line-item/document-amounts.ts'
import { appliedOf } from './credit.ts'
import type { CreditNote } from './credit-note.ts'

/** All values of a credit note that follow from others, in every write. */
export function calculatedCreditNote(
  next: CreditNote,
  previous: CreditNote | null,
  given: Partial<CreditNote>,
): Partial<CreditNote> {
  const amounts = calculatedAmounts(next, previous, given)
  const applied = appliedOf(next.applications)
  const refunded = sumOf(next.refunds.map(({ amount }) => decimalOf(amount)))
  const left = decimalOf(amounts.total ?? next.total)
    .minus(applied)
    .minus(refunded)
  return {
    ...amounts,
    documentUrl: documentUrl('credit-notes', next),
    accountId: next.customerId,
    issueDate: next.issueDate && dayOf(next.issueDate),
    amountApplied: exactOf(applied),
    amountRefunded: exactOf(refunded),
    amountLeft: exactOf(next.status === 'ISSUED' ? left : zero),
  }
}

export const creditNoteProblems = (next: CreditNote, previous: CreditNote | null): FieldProblem[] =>
  amountProblems(next, previous)
