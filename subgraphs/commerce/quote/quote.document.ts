import { addresseeOf, requireAddressee } from '../../crm/public.ts'
import { organizationSettings } from '../../identity/public.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { documentDay } from '../document/document-day.ts'
import { documentSeller } from '../document/document-seller.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import type { PricedDocument } from '../document/priced-document.ts'
import { paymentTexts } from './payment-texts.ts'
import type { QuoteDecisionMethod } from './quote-decision.ts'
import { quote as definition } from './quote.record.ts'
import type { Quote } from './quote.ts'

/** What the PDF of a quote shows, as it is stored. It does not contain `notes`, which are for the organization only. */
export async function documentOfQuote(ctx: RequestContext, quote: Quote): Promise<PricedDocument> {
  const { accountName, contactName, ...customer } = await addresseeOf(ctx, quote)
  const { timezone = 'UTC' } = await organizationSettings(ctx)
  const day = documentDay(timezone)
  const { validUntil, revision } = quote
  return {
    title: 'QUOTE',
    number: quote.quoteNumber,
    name: quote.name,
    facts: [
      ['Revision', revision > 1 ? String(revision) : null],
      ['Date', day(quote.sentAt ?? ctx.clock.now().toISOString())],
      ['Valid until', validUntil && day(validUntil)],
      ['Payment', paymentTexts[quote.paymentTerms]],
    ],
    currency: quote.currency,
    organization: await documentSeller(ctx),
    customerLabel: 'Prepared for',
    customer: { ...customer, name: accountName ?? contactName ?? '', contactName: accountName && contactName },
    lines: quote.lineItems,
    subtotal: quote.subtotal,
    discountTotal: quote.discountTotal,
    taxTotal: quote.taxTotal,
    shippingTotal: quote.shippingTotal,
    total: quote.total,
    sections: [['Terms', quote.terms]],
    signatures: {
      title: 'Acceptance',
      statement: 'By signing below, both parties agree to the items, prices and terms of this quote.',
      remark: decisionText(quote, day),
    },
  }
}

const methodTexts: Readonly<Record<QuoteDecisionMethod, string>> = {
  PUBLIC_PAGE: ' electronically',
  PHONE: ' by phone',
  EMAIL: ' by email',
  PAPER: ' on paper',
  IN_PERSON: ' in person',
  OTHER: '',
}

/** Who accepted or declined the quote, how and on which day; null before. The note of the user is not printed. */
function decisionText(
  { acceptedAt, acceptedByName, rejectedAt, rejectedByName, decision }: Quote,
  day: (time: string) => string,
): string | null {
  const at = acceptedAt ?? rejectedAt
  if (at === null) return null
  const name = acceptedAt ? acceptedByName : rejectedByName
  const how = methodTexts[decision?.method ?? 'PUBLIC_PAGE']
  return `${acceptedAt ? 'Accepted' : 'Declined'}${how}${name ? ` by ${name}` : ''} on ${day(at)}.`
}

/** The columns that the document prints. */
const printed = [
  'quoteNumber',
  'name',
  'revision',
  'sentAt',
  'validUntil',
  'paymentTerms',
  'currency',
  'accountId',
  'contactId',
  'lineItems',
  'subtotal',
  'discountTotal',
  'taxTotal',
  'shippingTotal',
  'total',
  'terms',
  'acceptedAt',
  'acceptedByName',
  'rejectedAt',
  'rejectedByName',
  'decision',
] as const satisfies (keyof Quote)[]

/** Refuses with 403 a caller whose profile hides something that the quote shows to the customer. */
export function requireWholeQuote({ caller }: RequestContext): void {
  requireReadable(caller, definition, ...printed)
  requireAddressee(caller)
}

/** The PDF of a quote that the caller sees. 403 if the caller's profile hides a column that it prints. */
export async function quoteFile(ctx: RequestContext<'work'>, id: string): Promise<DocumentFile> {
  requireReadable(ctx.caller, definition, ...printed)
  const quote = await requireRecord(ctx, definition, id)
  return documentFile(ctx, await documentOfQuote(ctx, quote), quote)
}
