import { amountOf, amountRows, isZero, lineTable } from '../pages/document-lines.ts'
import { escaped } from '../pages/escaped.ts'
import { customerPage, factList, keyFacts, termsSection, type CustomerPage } from '../pages/customer-page.ts'
import type { ShownInvoice } from './documents.ts'

/** Days are stored as midnight UTC. */
const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const dayOf = (time: string): string => dayFormat.format(new Date(time))

/** What the customer should know about the status, with the style of the sentence; null while it only has to be paid. */
function statusOf({
  status,
  amountToPay,
  amountPaid,
  currency,
  dueDate,
}: ShownInvoice): readonly [style: string, text: string] | null {
  switch (status) {
    case 'PAID':
      return ['done', 'This invoice is paid. Thank you.']
    case 'VOID':
      return ['warning', 'This invoice is void. Please do not pay it.']
    case 'OVERDUE':
      return ['warning', `This invoice was due on ${dayOf(dueDate)}. Please pay ${amountOf(amountToPay, currency)}.`]
    default:
      return isZero(amountPaid) ? null : ['done', `${amountOf(amountPaid, currency)} is paid. Thank you.`]
  }
}

function payForm(path: string, charged: string): string {
  return `<form method="post" action="${escaped(path)}/pay"><button>Pay ${escaped(charged)}</button></form>`
}

const sums = (invoice: ShownInvoice): string =>
  amountRows(invoice.currency, [
    ['Subtotal', invoice.subtotal],
    ['Discount', invoice.discountTotal, '−'],
    ['Tax', invoice.taxTotal],
    ['Shipping', invoice.shippingTotal],
    ['Total', invoice.total],
    ['Paid', invoice.amountPaid, '−'],
    ['Credited', invoice.amountCredited, '−'],
    ...(isZero(invoice.amountPaid) && isZero(invoice.amountCredited)
      ? []
      : ([['Amount due', invoice.amountDue]] as const)),
    ['Reminder fees', invoice.dunningFees],
    ['Interest', invoice.dunningInterest],
    ...(isZero(invoice.dunningFees) && isZero(invoice.dunningInterest)
      ? []
      : ([['To pay', invoice.amountToPay]] as const)),
  ])

/** The page of an invoice. `path` is its address, below which its form posts. */
export function invoicePage(invoice: ShownInvoice, path: string): CustomerPage {
  const { invoiceNumber, seller, customerName, lineItems, currency, terms, status } = invoice
  const said = statusOf(invoice)
  const isDue = status !== 'PAID' && status !== 'VOID'
  const instructions = isDue ? invoice.paymentInstructions : null
  const asked = amountOf(invoice.amountToPay, currency)
  const charged = invoice.isPayableOnline ? amountOf(invoice.onlineAmount ?? invoice.amountToPay, currency) : null
  return customerPage({
    title: `Invoice ${invoiceNumber}`,
    seller,
    content: `${said === null ? '' : `<p role="status" class="${said[0]}">${escaped(said[1])}</p>`}
${keyFacts([
  isDue ? ['Please pay', asked] : ['Total', amountOf(invoice.total, currency)],
  ['Due date', isDue ? dayOf(invoice.dueDate) : null, status === 'OVERDUE'],
])}
<div class="actions">${charged === null ? '' : payForm(path, charged)}<a href="${escaped(path)}/document">Download as PDF</a></div>
${charged === null || charged === asked ? '' : `<p>Online payments cannot be exactly ${escaped(asked)}; the amount is rounded up to ${escaped(charged)}.</p>`}
${factList([
  ['For', customerName],
  ['Date', dayOf(invoice.issueDate)],
  ['Due date', dayOf(invoice.dueDate)],
  ['Your order', invoice.purchaseOrderNumber],
])}
${lineTable(lineItems, currency, sums(invoice))}
${instructions ? `<h2>How to pay</h2><p>Please state ${escaped(invoiceNumber)}.</p><p class="terms">${escaped(instructions)}</p>` : ''}
${termsSection(terms)}`,
  })
}

/** A link instead of a redirect, because the policy of the page forbids that its forms lead to another origin. */
export const checkoutPage = (url: string, invoiceNumber: string, path: string): CustomerPage =>
  customerPage({
    title: `Pay invoice ${invoiceNumber}`,
    seller: null,
    content: `<p>The payment is made on the page of our payment provider, ${escaped(new URL(url).host)}.</p>
<p><a href="${escaped(url)}" rel="noreferrer">Continue to the payment</a></p>
<p><a href="${escaped(path)}">Back to the invoice</a></p>`,
  })

export const refusedPage = (message: string, path: string): CustomerPage =>
  customerPage({
    title: 'This invoice cannot be paid now',
    seller: null,
    content: `<p role="alert">${escaped(message)}</p><p><a href="${escaped(path)}">Back to the invoice</a></p>`,
  })

export const missingPage = (): CustomerPage =>
  customerPage({
    title: 'This invoice is not available',
    seller: null,
    content: '<p>The link is not complete, or the invoice does not exist. Please ask the sender for a new link.</p>',
  })
