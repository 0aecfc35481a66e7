import { addresseeOf } from '../../crm/public.ts'
import { organizationSettings } from '../../identity/public.ts'
import { notFound } from '../../kernel/errors.ts'
import { chargeOf } from '../../kernel/payment/provider-currency.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { publicSeller } from '../document/public-document.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import { viewInvoice } from '../invoice/invoice.actions.ts'
import { claimOf } from '../invoice/invoice.amounts.ts'
import { documentOfInvoice } from '../invoice/invoice.document.ts'
import { invoice } from '../invoice/invoice.record.ts'
import type { Invoice } from '../invoice/invoice.ts'
import { isPayable, openCheckout } from './open-checkout.ts'
import { invoiceOfToken, linked, type Context, type Linked } from './linked-invoice.ts'
import type { PublicCheckout, PublicInvoice } from './public-invoice.ts'
import { isCheckoutOf, settleCheckout } from './settle-checkout.ts'

async function shown({ inner, seller }: Linked, whole: Invoice): Promise<PublicInvoice> {
  const { accountName, contactName } = await addresseeOf(inner, {
    accountId: whole.customerId,
    contactId: whole.contactId,
  })
  const { paymentInstructions = null } = await organizationSettings(inner)
  const claim = claimOf(whole)
  const charge = chargeOf(claim.amountToPay, whole.currency)
  const isPayableOnline = inner.settings.payments !== null && charge !== null && isPayable(whole)
  return {
    ...whole,
    ...claim,
    invoiceNumber: whole.invoiceNumber!,
    issueDate: whole.issueDate!,
    dueDate: whole.dueDate!,
    seller: publicSeller(seller),
    customerName: accountName ?? contactName,
    paymentInstructions,
    isPayableOnline,
    onlineAmount: isPayableOnline ? charge : null,
  }
}

/** The invoice of the token as its page shows it; the first time sets `viewedAt`. */
export async function viewPublicInvoice(ctx: Context, token: string): Promise<PublicInvoice> {
  const link = await linked(ctx, token)
  return shown(link, await viewInvoice(link.inner, link.id))
}

export async function publicInvoiceDocument(ctx: Context, token: string): Promise<DocumentFile> {
  const { inner, id } = await linked(ctx, token)
  const shownInvoice = await viewInvoice(inner, id)
  return documentFile(inner, await documentOfInvoice(inner, shownInvoice), shownInvoice, 'OUTSIDE')
}

export async function payPublicInvoice(ctx: Context, token: string): Promise<PublicCheckout> {
  const { inner, id } = await linked(ctx, token)
  return openCheckout(inner, id, token)
}

/** Settles the checkout from which the customer comes back, and returns the invoice. */
export async function returnToPublicInvoice(ctx: Context, token: string, session: string): Promise<PublicInvoice> {
  const link = await linked(ctx, token)
  const { inner, id } = link
  if (!(await isCheckoutOf(inner, id, session))) throw notFound('The payment')
  await settleCheckout(inner, id, session)
  return shown(link, await requireRecord(inner, invoice, id))
}

/**
 * Settles the checkout that a webhook request of the provider names, also in a suspended organization: the money is there. False if the
 * checkout is none of this platform.
 */
export async function settlePaymentEvent(ctx: Context, token: string, session: string): Promise<boolean> {
  const found = await invoiceOfToken(ctx, token)
  if (!found || !(await isCheckoutOf(found.inner, found.id, session))) return false
  await settleCheckout(found.inner, found.id, session)
  return true
}
