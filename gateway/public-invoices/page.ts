import { amountOf, amountRows, isZero, lineTable } from '../pages/document-lines.ts'
import { escaped } from '../pages/escaped.ts'
import { plainPage } from '../pages/plain-page.ts'
import type { ShownInvoice } from './documents.ts'

/** Days are stored as midnight UTC. */
const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const dayOf = (time: string): string => dayFormat.format(new Date(time))

/** What the customer should know about the status; null while it only has to be paid. */
function statusOf({ status, amountToPay, amountPaid, currency, dueDate }: ShownInvoice): string | null {
  switch (status) {
    case 'PAID':
      return 'This invoice is paid. Thank you.'
    case 'VOID':
      return 'This invoice is void. Please do not pay it.'
    case 'OVERDUE':
      return `This invoice was due on ${dayOf(dueDate)}. Please pay ${amountOf(amountToPay, currency)}.`
    default:
      return isZero(amountPaid) ? null : `${amountOf(amountPaid, currency)} is paid. Thank you.`
  }
}

function payForm(path: string, { amountToPay, onlineAmount, currency }: ShownInvoice): string {
  const charged = amountOf(onlineAmount ?? amountToPay, currency)
  const asked = amountOf(amountToPay, currency)
  return `<h2>Pay online</h2>
<form method="post" action="${escaped(path)}/pay">
<button>Pay ${escaped(charged)}</button>
</form>${charged === asked ? '' : `\n<p>Online payments cannot be exactly ${escaped(asked)}; the amount is rounded up to ${escaped(charged)}.</p>`}`
}

const sums = (invoice: ShownInvoice): string =>
  amountRows(invoice.currency, [
    ['Subtotal', invoice.subtotal],
    ['Discount', invoice.discountTotal, '−'],
    ['Tax', invoice.taxTotal],
    ['Shipping', invoice.shippingTotal],
    ['Total', invoice.total],
    ['Paid', invoice.amountPaid, '−'],
    ...(isZero(invoice.amountPaid) ? [] : ([['Amount due', invoice.amountDue]] as const)),
    ['Reminder fees', invoice.dunningFees],
    ['Interest', invoice.dunningInterest],
    ...(isZero(invoice.dunningFees) && isZero(invoice.dunningInterest)
      ? []
      : ([['To pay', invoice.amountToPay]] as const)),
  ])

/** The page of an invoice. `path` is its address, below which its form posts. */
export function invoicePage(invoice: ShownInvoice, path: string): string {
  const { invoiceNumber, organizationName, customerName, lineItems, currency, terms, status } = invoice
  const said = statusOf(invoice)
  const facts: [string, string | null][] = [
    ['From', organizationName],
    ['Address', invoice.organizationAddress?.split(/\r?\n/).filter(Boolean).join(', ') ?? null],
    ['Tax id', invoice.organizationTaxId],
    ['For', customerName],
    ['Date', dayOf(invoice.issueDate)],
    ['Due date', dayOf(invoice.dueDate)],
    ['Your order', invoice.purchaseOrderNumber],
  ]
  const isDue = status !== 'PAID' && status !== 'VOID'
  const instructions = isDue ? invoice.paymentInstructions : null
  return plainPage(
    `Invoice ${invoiceNumber}`,
    `${said === null ? '' : `<p role="status">${escaped(said)}</p>`}
<dl>${facts.map(([label, value]) => (value ? `<dt>${label}</dt><dd>${escaped(value)}</dd>` : '')).join('')}</dl>
${lineTable(lineItems, currency, sums(invoice))}
<p><a href="${escaped(path)}/document">Download as PDF</a></p>
${invoice.isPayableOnline ? payForm(path, invoice) : ''}
${instructions ? `<h2>How to pay</h2><p>Please state ${escaped(invoiceNumber)}.</p><p class="terms">${escaped(instructions)}</p>` : ''}
${terms ? `<h2>Terms</h2><p class="terms">${escaped(terms)}</p>` : ''}`,
    { isWide: true },
  )
}

/** A link instead of a redirect, because the policy of the page forbids that its forms lead to another origin. */
export const checkoutPage = (url: string, invoiceNumber: string, path: string): string =>
  plainPage(
    `Pay invoice ${invoiceNumber}`,
    `<p>The payment is made on the page of our payment provider, ${escaped(new URL(url).host)}.</p>
<p><a href="${escaped(url)}" rel="noreferrer">Continue to the payment</a></p>
<p><a href="${escaped(path)}">Back to the invoice</a></p>`,
  )

export const refusedPage = (message: string, path: string): string =>
  plainPage(
    'This invoice cannot be paid now',
    `<p role="alert">${escaped(message)}</p><p><a href="${escaped(path)}">Back to the invoice</a></p>`,
  )

export const missingPage = (): string =>
  plainPage(
    'This invoice is not available',
    '<p>The link is not complete, or the invoice does not exist. Please ask the sender for a new link.</p>',
  )
