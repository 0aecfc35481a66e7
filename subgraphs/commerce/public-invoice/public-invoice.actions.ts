import { addresseeOf } from '../../crm/public.ts'
import { activeOrganizationName, organizationSettings } from '../../identity/public.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import { isCheckoutId } from '../../kernel/payment/hosted-checkout.ts'
import type { CheckoutState } from '../../kernel/payment/payment.ts'
import { paymentProvider } from '../../kernel/payment/payment-provider.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { asSystem, inTransaction, type RequestContext } from '../../kernel/request.ts'
import { decimalOf, zero } from '../../kernel/values/decimal.ts'
import { viewInvoice } from '../invoice/invoice.actions.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import { claimOf } from '../invoice/invoice.amounts.ts'
import { documentOfInvoice } from '../invoice/invoice.document.ts'
import { invoice } from '../invoice/invoice.record.ts'
import type { Invoice } from '../invoice/invoice.ts'
import { publicPageOf } from '../invoice/public-page.ts'
import { paymentsMax } from '../invoice/invoice-payment.ts'
import { recordPayment, requirePayable } from '../invoice/record-payment.ts'
import type { PublicCheckout, PublicInvoice } from './public-invoice.ts'

type Context = RequestContext<'outbound' | 'work'>

const form = /^[A-Za-z0-9_-]{43}$/
const unknown = () => notFound('The invoice')

interface Linked {
  /** The context of the platform in the organization of the invoice. */
  readonly inner: Context
  readonly organizationName: string
  readonly id: string
}

/** The invoice of a token, of any organization. 404 for an unknown token and a suspended organization. */
async function linked(ctx: Context, token: string): Promise<Linked> {
  if (!form.test(token)) throw unknown()
  const [found] = await ctx.db.query<{ organizationId: string; id: string }>(
    `select i.organization_id as "organizationId", i.id from commerce.invoice i
     where i.public_token = $1 and i.deleted_at is null and i.status <> 'DRAFT'`,
    [token],
  )
  if (!found) throw unknown()
  const inner = asSystem(ctx, found.organizationId)
  const organizationName = await activeOrganizationName(inner)
  if (organizationName === null) throw unknown()
  return { inner, organizationName, id: found.id }
}

async function shown({ inner, organizationName }: Linked, whole: Invoice): Promise<PublicInvoice> {
  const { accountName, contactName } = await addresseeOf(inner, {
    accountId: whole.customerId,
    contactId: whole.contactId,
  })
  const {
    paymentInstructions = null,
    postalAddress: organizationAddress = null,
    taxId: organizationTaxId = null,
  } = await organizationSettings(inner)
  return {
    ...whole,
    ...claimOf(whole),
    invoiceNumber: whole.invoiceNumber!,
    issueDate: whole.issueDate!,
    dueDate: whole.dueDate!,
    organizationName,
    organizationAddress,
    organizationTaxId,
    customerName: accountName ?? contactName,
    paymentInstructions,
    isPayableOnline: inner.settings.payments !== null && isPayable(whole),
  }
}

const isPayable = ({ status, amountDue, payments }: Invoice): boolean =>
  status !== 'DRAFT' && status !== 'VOID' && decimalOf(amountDue).gt(zero) && payments.length < paymentsMax

/** The invoice of the token as its page shows it; the first time sets `viewedAt`. */
export async function viewPublicInvoice(ctx: Context, token: string): Promise<PublicInvoice> {
  const link = await linked(ctx, token)
  return shown(link, await viewInvoice(link.inner, link.id))
}

export async function publicInvoiceDocument(ctx: Context, token: string): Promise<DocumentFile> {
  const { inner, id } = await linked(ctx, token)
  const shownInvoice = await viewInvoice(inner, id)
  return documentFile(inner, await documentOfInvoice(inner, shownInvoice), shownInvoice)
}

const notPayable = () => new Refusal('INVALID_STATE', 'This invoice cannot be paid online.', { allowed: [] })

function requireProvider({ settings, outbound }: Context) {
  const provider = paymentProvider(settings.payments, outbound)
  if (provider) return provider
  throw notPayable()
}

/** Opens a page of the provider over what is due and what reminders claim. Nothing of the invoice changes before the provider confirms the payment. */
export async function openCheckout(ctx: Context, token: string): Promise<PublicCheckout> {
  const { inner, id } = await linked(ctx, token)
  const provider = requireProvider(inner)
  const whole = await requireRecord(inner, invoice, id)
  requirePayable(whole)
  // A payment that the provider received could not be recorded.
  if (!isPayable(whole)) throw notPayable()
  const page = publicPageOf(inner, whole)!
  const checkout = await provider.open({
    amount: claimOf(whole).amountToPay,
    currency: whole.currency,
    title: `Invoice ${whole.invoiceNumber!}`,
    reference: token,
    successUrl: `${page}/return?session={CHECKOUT_SESSION_ID}`,
    cancelUrl: page,
  })
  await inner.db.query(
    `insert into commerce.invoice_checkout (organization_id, id, invoice_id, created_at) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [inner.caller.organizationId, checkout.id, id, inner.clock.now().toISOString()],
  )
  return { url: checkout.url, invoiceNumber: whole.invoiceNumber! }
}

/**
 * Records the payment of a checkout after asking the provider about it. A browser and a webhook request may both call this, also at
 * once: the payment is recorded once, in the transaction that marks the checkout.
 */
export async function settleCheckout(ctx: Context, token: string, session: string): Promise<PublicInvoice> {
  const link = await linked(ctx, token)
  const { inner, id } = link
  const provider = requireProvider(inner)
  if (!isCheckoutId(session)) throw notFound('The payment')
  const known = await inner.db.query(
    'select 1 from commerce.invoice_checkout where organization_id = $1 and id = $2 and invoice_id = $3',
    [inner.caller.organizationId, session, id],
  )
  if (known.length === 0) throw notFound('The payment')
  const state = await provider.stateOf(session)
  if (state.isPaid) await recordOnce(inner, id, session, state)
  return shown(link, await requireRecord(inner, invoice, id))
}

const recordOnce = (ctx: Context, id: string, session: string, state: CheckoutState): Promise<void> =>
  inTransaction(ctx, async (inner) => {
    const now = inner.clock.now().toISOString()
    const marked = await inner.db.query(
      `update commerce.invoice_checkout set recorded_at = $3
       where organization_id = $1 and id = $2 and recorded_at is null returning 1`,
      [inner.caller.organizationId, session, now],
    )
    if (marked.length === 0) return
    const { amount, currency, paymentReference: reference } = state
    const given = { amount, currency, reference, method: 'CARD', allowOverpayment: true, isReceived: true } as const
    await recordPayment(inner, id, given, null)
  })
