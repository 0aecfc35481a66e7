import { amountRows, lineTable } from '../pages/document-lines.ts'
import { escaped } from '../pages/escaped.ts'
import { plainPage } from '../pages/plain-page.ts'
import type { ShownQuote } from './documents.ts'

const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const timeOf = (time: string): string => `${timeFormat.format(new Date(time))} UTC`

const paymentOf: Readonly<Record<string, string>> = { DUE_ON_RECEIPT: 'Due on receipt' }
const paymentText = (terms: string): string => paymentOf[terms] ?? `${terms.replace('NET_', 'Within ')} days`

const totalRows = ({ subtotal, discountTotal, taxTotal, shippingTotal, total, currency }: ShownQuote): string =>
  amountRows(currency, [
    ['Subtotal', subtotal],
    ['Discount', discountTotal, '−'],
    ['Tax', taxTotal],
    ['Shipping', shippingTotal],
    ['Total', total],
  ])

/** What the customer should know about the status; null while the quote can be answered. */
function statusOf({ status, acceptedAt, acceptedByName, rejectedAt }: ShownQuote): string | null {
  switch (status) {
    case 'SENT':
      return null
    case 'ACCEPTED':
    case 'CONVERTED':
      return `${acceptedByName ?? 'Somebody'} accepted this quote${acceptedAt ? ` on ${timeOf(acceptedAt)}` : ''}. Thank you.`
    case 'REJECTED':
      return `This quote was rejected${rejectedAt ? ` on ${timeOf(rejectedAt)}` : ''}.`
    case 'EXPIRED':
      return 'This quote has expired and can no longer be accepted. Please ask for a new one.'
    default:
      return 'This quote was withdrawn and can no longer be accepted.'
  }
}

const forms = (path: string): string => `<h2>Accept this quote</h2>
<form method="post" action="${escaped(path)}/accept">
<label>Your full name <input type="text" name="name" maxlength="200" autocomplete="name" required></label>
<label><input type="checkbox" name="consent" value="yes" required> I accept this quote and its terms, and I may do so for the customer.</label>
<button>Accept</button>
</form>
<h2>Reject this quote</h2>
<form method="post" action="${escaped(path)}/reject">
<label>Reason (optional) <textarea name="reason" maxlength="2000" rows="3"></textarea></label>
<button>Reject</button>
</form>`

/** The page of a quote. `path` is its address, below which its forms post; `problem` is what was wrong with a form. */
export function quotePage(quote: ShownQuote, path: string, problem: string | null = null): string {
  const {
    quoteNumber,
    organizationName,
    customerName,
    name,
    validUntil,
    lastDay,
    paymentTerms,
    terms,
    lineItems,
    currency,
  } = quote
  const status = statusOf(quote)
  const facts: [string, string | null][] = [
    ['From', organizationName],
    ['For', customerName],
    ['Subject', name],
    ['Valid until', lastDay ? dayFormat.format(new Date(lastDay)) : validUntil && timeOf(validUntil)],
    ['Payment', paymentText(paymentTerms)],
  ]
  return plainPage(
    `Quote ${quoteNumber}`,
    `${status === null ? '' : `<p role="status">${escaped(status)}</p>`}
${problem === null ? '' : `<p role="alert">${escaped(problem)}</p>`}
<dl>${facts.map(([label, value]) => (value ? `<dt>${label}</dt><dd>${escaped(value)}</dd>` : '')).join('')}</dl>
${lineTable(lineItems, currency, totalRows(quote))}
<p><a href="${escaped(path)}/document">Download as PDF</a></p>
${terms ? `<h2>Terms</h2><p class="terms">${escaped(terms)}</p>` : ''}
${status === null ? forms(path) : ''}`,
    { isWide: true },
  )
}

export const missingPage = (): string =>
  plainPage(
    'This quote is not available',
    '<p>The link is not complete, or the quote was deleted. Please ask the sender for a new link.</p>',
  )
