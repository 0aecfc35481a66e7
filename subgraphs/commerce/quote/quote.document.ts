import { addresseeOf } from '../../crm/public.ts'
import { activeOrganizationName, organizationSettings } from '../../identity/public.ts'
import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { documentDay } from '../document/document-day.ts'
import type { PricedDocument } from '../document/priced-document.ts'
import { renderDocument } from '../document/render-document.ts'
import { paymentTexts } from './payment-texts.ts'
import type { Quote } from './quote.ts'

/** What the PDF of a quote shows, as it is stored. It does not contain `notes`, which are for the organization only. */
export async function documentOfQuote(ctx: RequestContext, quote: Quote): Promise<PricedDocument> {
  const { accountName, contactName, ...customer } = await addresseeOf(ctx, quote)
  const { timezone = 'UTC' } = await organizationSettings(ctx)
  const day = documentDay(timezone)
  const { acceptedAt, acceptedByName, validUntil, revision } = quote
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
    organization: { name: (await activeOrganizationName(ctx)) ?? '' },
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
      remark: acceptedAt && acceptedByName && `Accepted electronically by ${acceptedByName} on ${day(acceptedAt)}.`,
    },
  }
}

export const quoteFile = ({ quoteNumber }: Pick<Quote, 'quoteNumber'>, content: Buffer): MailAttachment => ({
  filename: `${quoteNumber}.pdf`,
  contentType: 'application/pdf',
  content,
})

/** The PDF of a quote, outside of a transaction. */
export const quotePdf = async (ctx: RequestContext<'work'>, quote: Quote): Promise<MailAttachment> =>
  quoteFile(quote, await renderDocument(ctx, await documentOfQuote(ctx, quote)))
