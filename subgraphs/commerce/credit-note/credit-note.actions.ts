import { actorIdOf } from '../../kernel/context.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { nextNumber } from '../../kernel/record/record-number.ts'
import { requireNewStatus } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, sumOf, zero } from '../../kernel/values/decimal.ts'
import { dayIn, dayOf, endOfDay, timezoneOf, todayOf } from '../invoice/invoice-day.ts'
import type { PaymentMethod } from '../invoice/invoice.enumerations.ts'
import { amountProblem, timeProblems } from '../invoice/record-payment.ts'
import { requireText } from '../invoice/typed-text.ts'
import { changeCreditNote, type Version } from './change-credit-note.ts'
import { creditsMax } from './credit.ts'
import { creditNoteStates, isUnused, refuseInState } from './credit-note.states.ts'
import { reasonMax, type CreditNote } from './credit-note.ts'

/** `CN-2026-000007`: counted for each year of issue. */
async function numberFor(ctx: RequestContext, issueDate: string): Promise<string> {
  const year = issueDate.slice(0, 4)
  const number = await nextNumber(ctx, `credit_note:${year}`)
  return `CN-${year}-${String(number).padStart(6, '0')}`
}

function requireComplete({ lineItems, customerId, total }: CreditNote): void {
  const missing = (path: string, message: string) => invalid({ path, code: 'REQUIRED', message })
  if (lineItems.length === 0) throw missing('lineItems', 'lineItems must have at least one line.')
  if (customerId === null) throw missing('customerId', 'customerId is required to issue a credit note.')
  if (decimalOf(total).lte(zero))
    throw invalid({ path: 'lineItems', code: 'OUT_OF_RANGE', message: 'The total of the lines must be above 0.' })
}

/** Refuses to credit more of an invoice than it is over. Credit notes of one invoice are issued one after another. */
async function requireWithinInvoice({ db, caller }: RequestContext, note: CreditNote): Promise<void> {
  if (note.invoiceId === null) return
  const parameters = [caller.organizationId, note.invoiceId]
  const [source] = await db.query<{ total: ExactNumber; status: string }>(
    'select total, status from commerce.invoice where organization_id = $1 and id = $2 and deleted_at is null for update',
    parameters,
  )
  if (!source || source.status === 'VOID') {
    const message = 'invoiceId must be the id of an invoice that is not void.'
    throw invalid({ path: 'invoiceId', code: 'NOT_ALLOWED', message })
  }
  const [sums] = await db.query<{ credited: ExactNumber }>(
    `select coalesce(sum(total), 0) as credited from commerce.credit_note
     where organization_id = $1 and invoice_id = $2 and status = 'ISSUED' and deleted_at is null`,
    parameters,
  )
  const left = decimalOf(source.total).minus(decimalOf(sums!.credited))
  if (decimalOf(note.total).lte(left)) return
  const message = 'The total must be at most what other credit notes leave of the total of the invoice.'
  throw invalid({ path: 'lineItems', code: 'OUT_OF_RANGE', message })
}

/** Issues a DRAFT: it gets its number, and the customer has the credit. */
export const issueCreditNote = (ctx: RequestContext, id: string, expectedVersion: Version): Promise<CreditNote> =>
  changeCreditNote(ctx, id, expectedVersion, async (previous, inner) => {
    await requireNewStatus(inner, creditNoteStates, previous, 'ISSUED', 'creditNoteIssue')
    requireComplete(previous)
    await requireWithinInvoice(inner, previous)
    const issueDate = dayOf(previous.issueDate ?? (await todayOf(inner)))
    return {
      implied: {
        status: 'ISSUED',
        issueDate,
        issuedAt: inner.clock.now().toISOString(),
        // Last, because the counter is locked from here to the end of the transaction.
        creditNoteNumber: await numberFor(inner, issueDate),
      },
      events: ['credit_note.issued'],
    }
  })

/** Voids an issued credit note of which nothing was used. Its number stays used. */
export function voidCreditNote(
  ctx: RequestContext,
  id: string,
  reason: string | null,
  expectedVersion: Version,
): Promise<CreditNote> {
  requireText('reason', reason, reasonMax)
  return changeCreditNote(ctx, id, expectedVersion, async (previous, inner) => {
    await requireNewStatus(inner, creditNoteStates, previous, 'VOID', 'creditNoteVoid')
    if (!isUnused(previous))
      await refuseInState(
        inner,
        previous,
        'A credit note that was applied or refunded cannot be voided; reverse its applications first.',
      )
    return {
      implied: { status: 'VOID', voidedAt: inner.clock.now().toISOString(), voidReason: reason },
      events: ['credit_note.voided'],
    }
  })
}

export interface GivenRefund {
  /** Null: all that is left. */
  readonly amount?: ExactNumber | null
  readonly method?: PaymentMethod | null
  readonly reference?: string | null
  readonly refundedAt?: string | null
  readonly note?: string | null
}

/** Throws INVALID_STATE unless something of the credit is left. */
export async function requireCreditLeft(ctx: RequestContext, previous: CreditNote): Promise<void> {
  const { status, amountLeft } = previous
  if (status !== 'ISSUED')
    await refuseInState(ctx, previous, `A credit note with status ${status} has no credit; issue it first.`)
  if (decimalOf(amountLeft).lte(zero)) await refuseInState(ctx, previous, 'Nothing is left of the credit note.')
}

/** A refund of a past day must leave no day with less than nothing: what was left at its end is subtracted from what customers owed. */
async function notLeftThen(
  ctx: RequestContext,
  { total, applications, refunds }: CreditNote,
  amount: ExactNumber,
  refundedAt: string,
): Promise<FieldProblem[]> {
  const zone = await timezoneOf(ctx)
  const isNotLeft = (end: string): boolean => {
    const applied = applications.filter(
      ({ appliedAt, reversedAt }) => appliedAt < end && !(reversedAt && reversedAt < end),
    )
    const used = [...applied, ...refunds.filter((refund) => refund.refundedAt < end)]
    return decimalOf(total)
      .minus(sumOf(used.map((one) => decimalOf(one.amount))))
      .lt(decimalOf(amount))
  }
  const times = [refundedAt, ...applications.map(({ appliedAt }) => appliedAt), ...refunds.map((one) => one.refundedAt)]
  const ends = times.filter((time) => time >= refundedAt).map((time) => endOfDay(zone, dayIn(zone, new Date(time))))
  if (![...new Set(ends)].some(isNotLeft)) return []
  const message = 'refundedAt must be a day since which the amount has been left of the credit note.'
  return [{ path: 'refundedAt', code: 'OUT_OF_RANGE', message }]
}

/** Records that what is left of a credit note, or a part of it, was paid to the customer. */
export const refundCreditNote = (
  ctx: RequestContext,
  id: string,
  given: GivenRefund,
  expectedVersion: Version,
): Promise<CreditNote> =>
  changeCreditNote(ctx, id, expectedVersion, async (previous, inner) => {
    await requireCreditLeft(inner, previous)
    const now = inner.clock.now().toISOString()
    const { amount: wanted = null, method, reference = null, refundedAt = null, note = null } = given
    const amount = wanted ?? previous.amountLeft
    const problems = [
      ...amountProblem(amount, previous.currency, decimalOf(previous.amountLeft), ', what is left of the credit note'),
      ...timeProblems('refundedAt', refundedAt, now),
    ]
    if (refundedAt !== null && refundedAt < previous.issueDate!) {
      const message = `refundedAt must not be before ${previous.issueDate!.slice(0, 10)}, the day of the credit note.`
      problems.push({ path: 'refundedAt', code: 'OUT_OF_RANGE', message })
    }
    if (problems.length === 0 && refundedAt !== null)
      problems.push(...(await notLeftThen(inner, previous, amount, refundedAt)))
    if (previous.refunds.length >= creditsMax)
      problems.push({
        path: 'amount',
        code: 'TOO_MANY',
        message: `A credit note has at most ${creditsMax} refunds.`,
      })
    if (problems.length > 0) throw invalid(...problems)
    const refund = {
      id: newId(),
      amount: exactOf(decimalOf(amount)),
      method: method ?? 'BANK_TRANSFER',
      reference,
      refundedAt: refundedAt ?? now,
      note,
      recordedById: actorIdOf(inner.caller),
    }
    return { implied: { refunds: [...previous.refunds, refund] }, events: ['credit_note.refunded'] }
  })
