import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import { appliedOf, type InvoiceCredit } from '../credit-note/credit.ts'
import type { Move } from './change-invoice.ts'
import { todayOf } from './invoice-day.ts'
import { statusAfterRefund, statusByAmounts } from './invoice.status.ts'
import type { Invoice } from './invoice.ts'

/** The invoice with these credits instead of its own, its status and its events. */
export async function withCredits(ctx: RequestContext, previous: Invoice, credits: InvoiceCredit[]): Promise<Move> {
  const credited = appliedOf(credits)
  const amounts = {
    amountCredited: exactOf(credited),
    amountDue: exactOf(decimalOf(previous.total).minus(decimalOf(previous.amountPaid)).minus(credited)),
  }
  const next = { ...previous, ...amounts }
  const today = await todayOf(ctx)
  const isMore = credited.gt(decimalOf(previous.amountCredited))
  const status = isMore ? statusByAmounts(next, today) : statusAfterRefund(next, today)
  const isNewlyOverdue = status === 'OVERDUE' && previous.status !== 'OVERDUE'
  const isNewlyPaid = status === 'PAID' && previous.status !== 'PAID'
  return {
    implied: {
      ...amounts,
      credits,
      status,
      ...(isNewlyOverdue && { overdueAt: ctx.clock.now().toISOString() }),
    },
    events: [...(isNewlyPaid ? ['invoice.paid'] : []), ...(isNewlyOverdue ? ['invoice.overdue'] : [])],
  }
}
