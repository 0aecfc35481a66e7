import { newId } from '../../kernel/ids.ts'
import { textOfNumber, type ExactNumber } from '../../kernel/json/exact-number.ts'
import type { Checkout } from '../../kernel/payment/payment.ts'
import { chargeOf } from '../../kernel/payment/provider-currency.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { inTransaction } from '../../kernel/request.ts'
import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import { claimOf } from '../invoice/invoice.amounts.ts'
import { paymentsMax } from '../invoice/invoice-payment.ts'
import { invoice } from '../invoice/invoice.record.ts'
import type { Invoice } from '../invoice/invoice.ts'
import { publicPageOf } from '../invoice/public-page.ts'
import { requirePayable } from '../invoice/record-payment.ts'
import type { Context } from './linked-invoice.ts'
import type { PublicCheckout } from './public-invoice.ts'
import { askAgainMs, notPayable, requireProvider, settleCheckout } from './settle-checkout.ts'

const hourMs = 3_600_000
/** Pages of the provider are open for 24 hours. */
const lifeMs = 23 * hourMs

/** Maximum number of pages that are opened for an invoice in 24 hours. One is used again as long as its amount is the same. */
export const checkoutsPerDay = 20

export const isPayable = ({ status, amountDue, payments }: Invoice): boolean =>
  status !== 'DRAFT' && status !== 'VOID' && decimalOf(amountDue).gt(zero) && payments.length < paymentsMax

interface Reserved {
  /** Id of the checkout, or of the row of one that is being opened. */
  readonly id: string
  /** Null until it is open. */
  readonly url: string | null
}

async function requireOpenable(ctx: Context, whole: Invoice): Promise<ExactNumber> {
  await requirePayable(ctx, whole)
  // A payment that the provider received could not be recorded.
  if (!isPayable(whole)) throw notPayable()
  const charge = chargeOf(claimOf(whole).amountToPay, whole.currency)
  if (charge === null) throw notPayable(`An invoice in ${whole.currency} cannot be paid online.`)
  return charge
}

/**
 * The checkout of this amount, or the row of a new one. The row exists before the provider is asked, and its id is the key of that request:
 * a second request, at once or after a crash, gets the same page.
 */
const reserve = (ctx: Context, invoiceId: string) =>
  inTransaction(ctx, async (inner): Promise<Reserved & { whole: Invoice; amount: ExactNumber }> => {
    const whole = await requireRecord(inner, invoice, invoiceId, { isLocked: true })
    const amount = await requireOpenable(inner, whole)
    const { organizationId } = inner.caller
    const now = inner.clock.now()
    const [found] = await inner.db.query<{ id: string; url: string | null }>(
      `select id, url from commerce.invoice_checkout
       where organization_id = $1 and invoice_id = $2 and amount = $3 and currency = $4 and recorded_at is null and ended_at is null
         and expires_at > $5
       order by created_at desc, id limit 1`,
      [organizationId, invoiceId, textOfNumber(amount), whole.currency, now.toISOString()],
    )
    if (found) return { ...found, whole, amount }
    const [{ opened } = { opened: 0 }] = await inner.db.query<{ opened: number }>(
      `select count(*)::int as opened from commerce.invoice_checkout
       where organization_id = $1 and invoice_id = $2 and created_at > $3`,
      [organizationId, invoiceId, new Date(now.getTime() - 24 * hourMs).toISOString()],
    )
    if (opened >= checkoutsPerDay)
      throw notPayable('Too many payments of this invoice were begun in the last 24 hours; please try again tomorrow.')
    const id = `opening_${newId()}`
    const expiresAt = new Date(now.getTime() + lifeMs).toISOString()
    await inner.db.query(
      `insert into commerce.invoice_checkout (organization_id, id, invoice_id, created_at, amount, currency, expires_at, ask_at)
       values ($1, $2, $3, $4, $5, $6, $7, $7)`,
      [organizationId, id, invoiceId, now.toISOString(), textOfNumber(amount), whole.currency, expiresAt],
    )
    return { id, url: null, whole, amount }
  })

async function remember({ db, caller, clock }: Context, openingId: string, { id, url }: Checkout): Promise<void> {
  await db.query(
    `update commerce.invoice_checkout set id = $3, url = $4, ask_at = $5 where organization_id = $1 and id = $2
       and not exists (select from commerce.invoice_checkout where organization_id = $1 and id = $3)`,
    [caller.organizationId, openingId, id, url, new Date(clock.now().getTime() + askAgainMs).toISOString()],
  )
}

/**
 * Opens a page of the provider over what is due and what reminders claim, or finds the one that is open already. Nothing of the invoice
 * changes before the provider confirms the payment.
 */
export async function openCheckout(ctx: Context, invoiceId: string, token: string): Promise<PublicCheckout> {
  const provider = requireProvider(ctx)
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { id, url, whole, amount } = await reserve(ctx, invoiceId)
    const invoiceNumber = whole.invoiceNumber!
    // Once paid or expired at the provider, it is settled, and the invoice is looked at again.
    if (url !== null && (await settleCheckout(ctx, invoiceId, id)).isOpen) return { url, invoiceNumber }
    if (url !== null) continue
    const page = publicPageOf(ctx, whole)!
    const opened = await provider.open({
      amount,
      currency: whole.currency,
      title: `Invoice ${invoiceNumber}`,
      reference: token,
      key: id,
      successUrl: `${page}/return?session={CHECKOUT_SESSION_ID}`,
      cancelUrl: page,
    })
    await remember(ctx, id, opened)
    return { url: opened.url, invoiceNumber }
  }
  throw notPayable('A payment of this invoice is being confirmed; please look at the invoice again later.')
}
