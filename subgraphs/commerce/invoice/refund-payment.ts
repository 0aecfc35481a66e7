import { actorIdOf } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, zero } from '../../kernel/values/decimal.ts'
import { changeInvoice, type Move, type Version } from './change-invoice.ts'
import { amountsWhenPaid } from './invoice.amounts.ts'
import { todayOf } from './invoice-day.ts'
import { noteMax, paymentsMax } from './invoice-payment.ts'
import { refuseInState } from './invoice.states.ts'
import { statusAfterRefund } from './invoice.status.ts'
import type { Invoice } from './invoice.ts'
import { amountProblem, timeProblems } from './record-payment.ts'
import { textProblems } from './typed-text.ts'

export interface GivenRefund {
  /** Null: all that is left of the payment. */
  readonly amount?: ExactNumber | null
  readonly reason?: string | null
  readonly refundedAt?: string | null
}

async function withRefund(
  ctx: RequestContext,
  previous: Invoice,
  paymentId: string,
  given: GivenRefund,
): Promise<Move> {
  const payment = previous.payments.find(({ id }) => id === paymentId.toLowerCase())
  if (!payment) throw notFound('The payment')
  const left = decimalOf(payment.amount).minus(decimalOf(payment.refundedAmount))
  if (payment.status !== 'SUCCEEDED' || left.lte(zero))
    await refuseInState(ctx, previous, `A payment with status ${payment.status} cannot be refunded.`)
  const now = ctx.clock.now().toISOString()
  const { amount = null, reason = null, refundedAt = null } = given
  const returned = amount ?? exactOf(left)
  const problems = [
    ...amountProblem(returned, previous.currency, left, ', what is left of the payment'),
    ...textProblems('reason', reason, noteMax),
    ...timeProblems('refundedAt', refundedAt, now),
  ]
  if (refundedAt !== null && refundedAt < payment.paidAt) {
    const message = 'refundedAt must not be before paidAt of the payment.'
    problems.push({ path: 'refundedAt', code: 'OUT_OF_RANGE', message })
  }
  if (previous.refunds.length >= paymentsMax)
    problems.push({ path: 'amount', code: 'TOO_MANY', message: `An invoice has at most ${paymentsMax} refunds.` })
  if (problems.length > 0) throw invalid(...problems)
  const refundedAmount = decimalOf(payment.refundedAmount).plus(decimalOf(returned))
  const paymentStatus = refundedAmount.eq(decimalOf(payment.amount)) ? 'REFUNDED' : 'SUCCEEDED'
  const changed = { ...payment, status: paymentStatus, refundedAmount: exactOf(refundedAmount) } as const
  const refund = {
    id: newId(),
    paymentId: payment.id,
    amount: returned,
    refundedAt: refundedAt ?? now,
    reason,
    recordedById: actorIdOf(ctx.caller),
  }
  const paid = decimalOf(previous.amountPaid).minus(decimalOf(returned))
  const amounts = amountsWhenPaid(previous, paid)
  const status = statusAfterRefund({ ...previous, ...amounts }, await todayOf(ctx))
  const isNewlyOverdue = status === 'OVERDUE' && previous.status !== 'OVERDUE'
  return {
    implied: {
      ...amounts,
      status,
      ...(isNewlyOverdue && { overdueAt: now }),
      payments: previous.payments.map((one) => (one === payment ? changed : one)),
      refunds: [...previous.refunds, refund],
    },
    events: ['payment.refunded', ...(isNewlyOverdue ? ['invoice.overdue'] : [])],
  }
}

/** Records that a payment was returned, wholly or in part. A PAID invoice of which an amount is due again is open again; a VOID one stays VOID. */
export const refundPayment = (
  ctx: RequestContext,
  id: string,
  paymentId: string,
  given: GivenRefund,
  expectedVersion: Version,
): Promise<Invoice> =>
  changeInvoice(ctx, id, expectedVersion, (previous, inner) => withRefund(inner, previous, paymentId, given))
