import { addresseeOf, requireAddressee, seesAddressee } from '../../crm/public.ts'
import { organizationSettings } from '../../identity/public.ts'
import { isHidden, requireReadable } from '../../kernel/record/field-security.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { amountFormat } from '../document/amount-format.ts'
import { documentDay } from '../document/document-day.ts'
import { documentSeller } from '../document/document-seller.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import type { PricedDocument } from '../document/priced-document.ts'
import { taxesByRate } from '../document/taxes-by-rate.ts'
import { paymentTexts } from '../quote/payment-texts.ts'
import { claimOf, isZero } from './invoice.amounts.ts'
import { invoice as definition } from './invoice.record.ts'
import type { Invoice } from './invoice.ts'
import { publicPageOf } from './public-page.ts'

/** Days are stored as midnight UTC. */
const day = documentDay('UTC')

const titles: Readonly<Partial<Record<Invoice['status'], string>>> = { DRAFT: 'DRAFT INVOICE', VOID: 'VOID INVOICE' }

function howToPay(invoice: Invoice, instructions: string | null, page: string | null): string {
  const { status, dueDate, invoiceNumber, currency } = invoice
  if (status === 'VOID') return 'This invoice is void. Please do not pay it.'
  if (status === 'PAID') return 'This invoice is paid. Thank you.'
  const by = dueDate === null ? '' : ` by ${day(dueDate)}`
  const state = invoiceNumber === null ? '' : ` and state ${invoiceNumber}`
  const parts = [
    `Please pay ${amountFormat(currency).amount(claimOf(invoice).amountToPay)}${by}${state}.`,
    instructions,
    page && `This invoice online: ${page}`,
  ]
  return parts.filter((part) => part !== null && part !== '').join('\n')
}

/** What is below the total: what is paid and credited, and what reminders claim in addition. */
function afterTotal(invoice: Invoice): [string, ExactNumber][] {
  const { amountPaid, amountCredited, amountDue } = invoice
  const settled: [string, ExactNumber][] = [
    ['Paid', amountPaid],
    ['Credited', amountCredited],
  ]
  const shown = settled.filter(([, amount]) => !isZero(amount))
  const { dunningFees, dunningInterest, amountToPay } = claimOf(invoice)
  const claims: [string, ExactNumber][] = [
    ['Reminder fees', dunningFees],
    ['Interest', dunningInterest],
  ]
  const claimed = claims.filter(([, amount]) => !isZero(amount))
  return [
    ...shown,
    ...(shown.length > 0 ? ([['Amount due', amountDue]] as [string, ExactNumber][]) : []),
    ...claimed,
    ...(claimed.length > 0 ? ([['To pay', amountToPay]] as [string, ExactNumber][]) : []),
  ]
}

/** What the PDF of an invoice shows, as it is stored. It does not contain `notes`, which are for the organization only. */
export async function documentOfInvoice(ctx: RequestContext, invoice: Invoice): Promise<PricedDocument> {
  const { customerId: accountId, contactId, issueDate, dueDate } = invoice
  const { accountName, contactName, ...customer } = await addresseeOf(ctx, { accountId, contactId })
  const { paymentInstructions = null } = await organizationSettings(ctx)
  return {
    title: titles[invoice.status] ?? 'INVOICE',
    number: invoice.invoiceNumber ?? 'DRAFT',
    facts: [
      ['Invoice date', issueDate && day(issueDate)],
      ['Due date', dueDate && day(dueDate)],
      ['Payment', paymentTexts[invoice.paymentTerms]],
      ['Your order', invoice.purchaseOrderNumber],
    ],
    currency: invoice.currency,
    organization: await documentSeller(ctx),
    customerLabel: 'Bill to',
    customer: { ...customer, name: accountName ?? contactName ?? '', contactName: accountName && contactName },
    lines: invoice.lineItems,
    subtotal: invoice.subtotal,
    discountTotal: invoice.discountTotal,
    taxTotal: invoice.taxTotal,
    taxes: taxesByRate(invoice.lineItems),
    shippingTotal: invoice.shippingTotal,
    total: invoice.total,
    afterTotal: afterTotal(invoice),
    sections: [
      ['How to pay', howToPay(invoice, paymentInstructions, shownPageOf(ctx, invoice))],
      ['Terms', invoice.terms],
    ],
  }
}

/** The columns that the document prints. */
const printed = [
  'invoiceNumber',
  'status',
  'issueDate',
  'dueDate',
  'paymentTerms',
  'purchaseOrderNumber',
  'currency',
  'customerId',
  'contactId',
  'lineItems',
  'subtotal',
  'discountTotal',
  'taxTotal',
  'shippingTotal',
  'total',
  'amountPaid',
  'amountCredited',
  'amountDue',
  'dunningFees',
  'dunningInterest',
  'payments',
  'terms',
] as const satisfies (keyof Invoice)[]

/** The address of the public page; null also for a caller whose profile hides something that the page shows. */
export const shownPageOf = (ctx: RequestContext, invoice: Invoice): string | null =>
  seesAddressee(ctx.caller) && printed.every((name) => !isHidden(ctx.caller, definition, name))
    ? publicPageOf(ctx, invoice)
    : null

/** Refuses with 403 a caller whose profile hides something that the document or the public page shows to the customer. */
export function requireWholeInvoice({ caller }: RequestContext): void {
  requireReadable(caller, definition, ...printed)
  requireAddressee(caller)
}

/** The PDF of an invoice that the caller sees. 403 if the caller's profile hides a column that it prints. */
export async function invoiceFile(ctx: RequestContext<'work'>, id: string): Promise<DocumentFile> {
  requireReadable(ctx.caller, definition, ...printed)
  const invoice = await requireRecord(ctx, definition, id)
  return documentFile(ctx, await documentOfInvoice(ctx, invoice), invoice)
}
