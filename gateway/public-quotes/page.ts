import { amountOf, amountRows, lineTable } from '../pages/document-lines.ts'
import { escaped } from '../pages/escaped.ts'
import { customerPage, factList, keyFacts, termsSection, type CustomerPage } from '../pages/customer-page.ts'
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

/** What the customer should know about the status, with the style of the sentence; null while the quote can be answered. */
function statusOf({
  status,
  acceptedAt,
  acceptedByName,
  rejectedAt,
}: ShownQuote): readonly [style: string, text: string] | null {
  switch (status) {
    case 'SENT':
      return null
    case 'ACCEPTED':
    case 'CONVERTED':
      return [
        'done',
        `${acceptedByName ?? 'Somebody'} accepted this quote${acceptedAt ? ` on ${timeOf(acceptedAt)}` : ''}. Thank you.`,
      ]
    case 'REJECTED':
      return ['note', `This quote was rejected${rejectedAt ? ` on ${timeOf(rejectedAt)}` : ''}.`]
    case 'EXPIRED':
      return ['warning', 'This quote has expired and can no longer be accepted. Please ask for a new one.']
    default:
      return ['warning', 'This quote was withdrawn and can no longer be accepted.']
  }
}

const forms = (path: string): string => `<div class="answers" id="answer"><h2>Accept this quote</h2>
<form method="post" action="${escaped(path)}/accept">
<label>Your full name <input type="text" name="name" maxlength="200" autocomplete="name" required></label>
<label><input type="checkbox" name="consent" value="yes" required> I accept this quote and its terms, and I may do so for the customer.</label>
<button>Accept</button>
</form>
<h2>Reject this quote</h2>
<form method="post" action="${escaped(path)}/reject">
<label>Reason (optional) <textarea name="reason" maxlength="2000" rows="3"></textarea></label>
<button class="second">Reject</button>
</form></div>`

/** The page of a quote. `path` is its address, below which its forms post; `problem` is what was wrong with a form. */
export function quotePage(quote: ShownQuote, path: string, problem: string | null = null): CustomerPage {
  const { quoteNumber, seller, customerName, name, validUntil, lastDay, paymentTerms, terms, lineItems, currency } =
    quote
  const status = statusOf(quote)
  const lastDayText = lastDay ? dayFormat.format(new Date(lastDay)) : validUntil && timeOf(validUntil)
  return customerPage({
    title: `Quote ${quoteNumber}`,
    seller,
    content: `<p class="quiet">${escaped(name)}</p>
${status === null ? '' : `<p role="status" class="${status[0]}">${escaped(status[1])}</p>`}
${problem === null ? '' : `<p role="alert">${escaped(problem)}</p>`}
${keyFacts([
  ['Total', amountOf(quote.total, currency)],
  ['Valid until', lastDayText, quote.status === 'EXPIRED'],
])}
<p class="actions">${status === null ? '<a class="button" href="#answer">Accept or reject</a>' : ''}<a href="${escaped(path)}/document">Download as PDF</a></p>
${factList([
  ['For', customerName],
  ['Payment', paymentText(paymentTerms)],
])}
${lineTable(lineItems, currency, totalRows(quote))}
${termsSection(terms)}
${status === null ? forms(path) : ''}`,
  })
}

export const missingPage = (): CustomerPage =>
  customerPage({
    title: 'This quote is not available',
    seller: null,
    content: '<p>The link is not complete, or the quote was deleted. Please ask the sender for a new link.</p>',
  })
