import type { Big } from 'big.js'
import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalOf, exactOf, sumOf, zero } from '../../kernel/values/decimal.ts'
import { appliedOf } from '../credit-note/credit.ts'
import { documentUrl } from '../document/document-url.ts'
import { amountProblems, calculatedAmounts } from '../line-item/document-amounts.ts'
import { dayIn, dayOf, daysBetween } from './invoice-day.ts'
import type { Invoice } from './invoice.ts'

/** What the payments have brought, less the refunds. */
function paidOf({ payments, refunds }: Pick<Invoice, 'payments' | 'refunds'>): Big {
  const counting = payments.filter(({ status }) => status === 'SUCCEEDED' || status === 'REFUNDED')
  return sumOf(counting.map(({ amount }) => decimalOf(amount))).minus(
    sumOf(refunds.map(({ amount }) => decimalOf(amount))),
  )
}

const latest = (times: readonly string[]): string | null =>
  times.reduce<string | null>((last, time) => (last === null || time > last ? time : last), null)

/** When the last amount was received, returned or credited. */
const lastMovement = ({
  payments,
  refunds,
  credits,
}: Pick<Invoice, 'payments' | 'refunds' | 'credits'>): string | null =>
  latest([
    ...payments.map(({ paidAt }) => paidAt),
    ...refunds.map(({ refundedAt }) => refundedAt),
    ...credits.map(({ appliedAt, reversedAt }) => reversedAt ?? appliedAt),
  ])

/** When the invoice ceased to be receivable; null while it is. */
function closedAtOf(next: Invoice, paidAt: string | null): string | null {
  const { status, uncollectibleAt, voidedAt } = next
  if (status === 'VOID') return uncollectibleAt ?? voidedAt
  if (status === 'UNCOLLECTIBLE') return uncollectibleAt
  return status === 'PAID' ? (uncollectibleAt ?? paidAt) : null
}

/** All values of an invoice that follow from others, in every write. The amounts of the lines of an order are given. */
export function calculatedInvoice(
  next: Invoice,
  previous: Invoice | null,
  given: Partial<Invoice>,
  zone: string,
): Partial<Invoice> {
  const amounts = next.orderId === null ? calculatedAmounts(next, previous, given) : {}
  const total = amounts.total ?? next.total
  const paid = paidOf(next)
  const credited = appliedOf(next.credits)
  const paidAt = next.status === 'PAID' ? (lastMovement(next) ?? next.sentAt) : null
  const issueDate = next.issueDate && dayOf(next.issueDate)
  return {
    ...amounts,
    documentUrl: documentUrl('invoices', next),
    accountId: next.customerId,
    issueDate,
    dueDate: next.dueDate && dayOf(next.dueDate),
    amountPaid: exactOf(paid),
    amountCredited: exactOf(credited),
    amountDue: exactOf(decimalOf(total).minus(paid).minus(credited)),
    paidAt,
    closedAt: closedAtOf(next, paidAt),
    daysToPay:
      paidAt === null || issueDate === null ? null : Math.max(0, daysBetween(issueDate, dayIn(zone, new Date(paidAt)))),
  }
}

/** What is wrong with the values of an invoice. */
export function invoiceProblems(next: Invoice, previous: Invoice | null): FieldProblem[] {
  const problems: FieldProblem[] = []
  const { issueDate, dueDate, status } = next
  if (issueDate !== null && dueDate !== null && dueDate < issueDate) {
    const message = `dueDate must not be before ${issueDate.slice(0, 10)}, the day of the invoice.`
    problems.push({ path: 'dueDate', code: 'OUT_OF_RANGE', message })
  }
  if (status !== 'DRAFT' && dueDate === null)
    problems.push({ path: 'dueDate', code: 'REQUIRED', message: 'dueDate is required in a sent invoice.' })
  return next.orderId === null ? [...problems, ...amountProblems(next, previous)] : problems
}

/** What the customer is asked to pay: what is due, and what the reminders claim in addition. Nothing when nothing is due. */
export function claimOf({ status, amountDue, dunningFees, dunningInterest }: Invoice) {
  if (status === 'VOID' || decimalOf(amountDue).lte(zero)) return { dunningFees: 0, dunningInterest: 0, amountToPay: 0 }
  const parts = [amountDue, dunningFees, dunningInterest].map((amount) => decimalOf(amount))
  return { dunningFees, dunningInterest, amountToPay: exactOf(sumOf(parts)) }
}

export const isZero = (amount: Invoice['total']): boolean => decimalOf(amount).eq(zero)

/** What is paid and due of an invoice of which so much is paid. */
export const amountsWhenPaid = ({ total, amountCredited }: Pick<Invoice, 'total' | 'amountCredited'>, paid: Big) => ({
  amountPaid: exactOf(paid),
  amountDue: exactOf(decimalOf(total).minus(paid).minus(decimalOf(amountCredited))),
})
