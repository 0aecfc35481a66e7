import type { Refusal } from '../../kernel/errors.ts'
import { isCheckoutId } from '../../kernel/payment/hosted-checkout.ts'
import type { CheckoutState, PaymentProvider } from '../../kernel/payment/payment.ts'
import { paymentProvider } from '../../kernel/payment/payment-provider.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { recordPayment } from '../invoice/record-payment.ts'

/** After how long the platform asks the provider about a checkout of which it has heard nothing; later less often. */
export const askAgainMs = 600_000

export const notPayable = (message = 'This invoice cannot be paid online.'): Refusal => refusalInSituation(message)

export function requireProvider({ settings, outbound }: RequestContext<'outbound'>): PaymentProvider {
  const provider = paymentProvider(settings.payments, outbound)
  if (provider) return provider
  throw notPayable()
}

export async function isCheckoutOf({ db, caller }: RequestContext, invoiceId: string, id: string): Promise<boolean> {
  if (!isCheckoutId(id)) return false
  const known = await db.query(
    `select 1 from commerce.invoice_checkout where organization_id = $1 and id = $2 and invoice_id = $3`,
    [caller.organizationId, id, invoiceId],
  )
  return known.length > 0
}

/**
 * Records the payment of a checkout after asking the provider about it. A browser, a webhook request and the job may do this, also at
 * once: the payment is recorded once, in the transaction that marks the checkout.
 */
export async function settleCheckout(
  ctx: RequestContext<'outbound'>,
  invoiceId: string,
  id: string,
): Promise<CheckoutState> {
  const state = await requireProvider(ctx).stateOf(id)
  if (state.isPaid) await recordOnce(ctx, invoiceId, id, state)
  else if (!state.isOpen) await closeForNewPayments(ctx, id, state)
  return state
}

const recordOnce = (ctx: RequestContext, invoiceId: string, id: string, state: CheckoutState): Promise<void> =>
  inTransaction(ctx, async (inner) => {
    const now = inner.clock.now().toISOString()
    const marked = await inner.db.query(
      `update commerce.invoice_checkout set recorded_at = $3, ask_at = null
       where organization_id = $1 and id = $2 and recorded_at is null returning 1`,
      [inner.caller.organizationId, id, now],
    )
    if (marked.length === 0) return
    const { amount, currency, paymentReference: reference } = state
    const given = { amount, currency, reference, method: 'CARD', allowOverpayment: true, isReceived: true } as const
    await recordPayment(inner, invoiceId, given, null)
  })

/** Nobody can pay on the page any more. The provider is still asked about one that was completed: slow payments take days. */
async function closeForNewPayments({ db, caller, clock }: RequestContext, id: string, state: CheckoutState) {
  await db.query(
    `update commerce.invoice_checkout set ended_at = coalesce(ended_at, $3), ask_at = case when $4 then null else ask_at end
     where organization_id = $1 and id = $2 and recorded_at is null`,
    [caller.organizationId, id, clock.now().toISOString(), state.isExpired],
  )
}
