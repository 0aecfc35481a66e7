import type { Big } from 'big.js'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { decimalsOf, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { actorIdOf } from '../../kernel/context.ts'
import { numberMax } from '../../kernel/record/check-values.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import { requireNewReference } from '../payment/duplicate-reference.ts'
import { changeInvoice, type Move, type Version } from './change-invoice.ts'
import { amountsWhenPaid } from './invoice.amounts.ts'
import { todayOf } from './invoice-day.ts'
import { noteMax, paymentsMax, referenceMax } from './invoice-payment.ts'
import type { PaymentMethod } from './invoice.enumerations.ts'
import { refuseInState } from './invoice.states.ts'
import { statusByAmounts } from './invoice.status.ts'
import type { Invoice, InvoiceStatus } from './invoice.ts'
import { textProblems } from './typed-text.ts'

export interface GivenPayment {
  readonly amount: ExactNumber
  readonly currency?: string | null
  readonly method?: PaymentMethod | null
  readonly reference?: string | null
  readonly paidAt?: string | null
  readonly note?: string | null
  readonly allowOverpayment?: boolean | null
  readonly allowDuplicateReference?: boolean | null
  /** The provider has received the money: it is recorded in whatever status the issued invoice has. */
  readonly isReceived?: boolean
}

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

/** Why an amount of money cannot be received or returned. `max` is the largest one, in words `what`. */
export function amountProblem(amount: ExactNumber, currency: string, max: Big, what: string): FieldProblem[] {
  const decimals = currencyDecimals(currency)
  if ((decimalsOf(amount) ?? Infinity) > decimals)
    return [problem('amount', 'TOO_PRECISE', `amount must have at most ${decimals} decimals in ${currency}.`)]
  const value = decimalOf(amount)
  if (value.gt(zero) && value.lte(max)) return []
  return [problem('amount', 'OUT_OF_RANGE', `amount must be above 0 and at most ${max.toFixed()}${what}.`)]
}

/** A time at which money moved, not in the future. */
export const timeProblems = (path: string, time: string | null | undefined, now: string): FieldProblem[] =>
  time != null && time > now ? [problem(path, 'OUT_OF_RANGE', `${path} must not be in the future.`)] : []

function paymentProblems(previous: Invoice, given: GivenPayment, now: string): FieldProblem[] {
  const { amount, currency, reference, note, paidAt, allowOverpayment } = given
  const due = decimalOf(previous.amountDue)
  const hint = ', the amount that is due; set allowOverpayment to record more'
  return [
    ...(allowOverpayment
      ? amountProblem(amount, previous.currency, decimalOf(numberMax).minus(decimalOf(previous.amountPaid)), '')
      : amountProblem(amount, previous.currency, due, hint)),
    ...(currency != null && currency !== previous.currency
      ? [problem('currency', 'NOT_ALLOWED', `currency must be ${previous.currency}, that of the invoice.`)]
      : []),
    ...textProblems('reference', reference, referenceMax),
    ...textProblems('note', note, noteMax),
    ...timeProblems('paidAt', paidAt, now),
  ]
}

/** Throws INVALID_STATE unless the invoice can be paid. */
export async function requirePayable(ctx: RequestContext, previous: Invoice): Promise<void> {
  const { status } = previous
  if (status === 'DRAFT') await refuseInState(ctx, previous, 'A DRAFT cannot be paid; send it first.')
  if (status === 'PAID' || status === 'VOID')
    await refuseInState(ctx, previous, `An invoice with status ${status} cannot be paid.`)
}

const eventOfStatus: Readonly<Partial<Record<InvoiceStatus, string>>> = {
  PARTIALLY_PAID: 'invoice.partially_paid',
  PAID: 'invoice.paid',
}

/** The invoice with the payment, its status and its events. */
async function withPayment(ctx: RequestContext, previous: Invoice, given: GivenPayment): Promise<Move> {
  if (!given.isReceived || previous.status === 'DRAFT') await requirePayable(ctx, previous)
  const now = ctx.clock.now().toISOString()
  const problems = paymentProblems(previous, given, now)
  if (previous.payments.length >= paymentsMax)
    problems.push(problem('amount', 'TOO_MANY', `An invoice has at most ${paymentsMax} payments.`))
  if (problems.length > 0) throw invalid(...problems)
  if (!given.isReceived && !given.allowDuplicateReference)
    await requireNewReference(ctx, previous.customerId, given.reference)
  const { amount, method, reference, paidAt, note } = given
  const payment = {
    id: newId(),
    invoiceId: previous.id,
    amount,
    currency: previous.currency,
    method: method ?? 'BANK_TRANSFER',
    reference: reference ?? null,
    paidAt: paidAt ?? now,
    note: note ?? null,
    recordedById: actorIdOf(ctx.caller),
    status: 'SUCCEEDED',
    refundedAmount: 0,
  } as const
  const paid = decimalOf(previous.amountPaid).plus(decimalOf(amount))
  const amounts = amountsWhenPaid(previous, paid)
  const isVoid = previous.status === 'VOID'
  const status = isVoid ? 'VOID' : statusByAmounts({ ...previous, ...amounts }, await todayOf(ctx))
  const event = previous.status === 'PAID' ? undefined : eventOfStatus[status]
  return {
    implied: { ...amounts, status, payments: [...previous.payments, payment], lastPaymentAt: now },
    events: ['payment.recorded', ...(event ? [event] : [])],
  }
}

/** Records a payment. Concurrent payments wait for each other, so that they never exceed what is due together. */
export const recordPayment = (
  ctx: RequestContext,
  id: string,
  given: GivenPayment,
  expectedVersion: Version,
): Promise<Invoice> => changeInvoice(ctx, id, expectedVersion, (previous, inner) => withPayment(inner, previous, given))
