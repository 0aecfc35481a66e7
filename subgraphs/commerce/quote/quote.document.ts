import { addresseeOf } from '../../crm/public.ts'
import { activeOrganizationName, organizationSettings } from '../../identity/public.ts'
import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { quotePdf } from '../document/quote-pdf.ts'
import { paymentTexts } from './payment-texts.ts'
import type { Quote } from './quote.ts'

/** The PDF of a quote as it is stored. It does not contain `notes`, which are for the organization only. */
export async function quoteDocument(ctx: RequestContext, quote: Quote): Promise<MailAttachment> {
  const { accountName, contactName, ...customer } = await addresseeOf(ctx, quote)
  const { timezone = 'UTC' } = await organizationSettings(ctx)
  const { acceptedAt, acceptedByName } = quote
  const content = await quotePdf(
    {
      number: quote.quoteNumber,
      revision: quote.revision,
      name: quote.name,
      date: quote.sentAt ?? ctx.clock.now().toISOString(),
      validUntil: quote.validUntil,
      currency: quote.currency,
      customer: { ...customer, name: accountName ?? contactName ?? '', contactName: accountName && contactName },
      lines: quote.lineItems,
      subtotal: quote.subtotal,
      discountTotal: quote.discountTotal,
      taxTotal: quote.taxTotal,
      shippingTotal: quote.shippingTotal,
      total: quote.total,
      paymentTerms: paymentTexts[quote.paymentTerms],
      terms: quote.terms,
      acceptance: acceptedAt === null || acceptedByName === null ? null : { name: acceptedByName, acceptedAt },
    },
    { name: (await activeOrganizationName(ctx)) ?? '', timezone },
  )
  return { filename: `${quote.quoteNumber}.pdf`, contentType: 'application/pdf', content }
}
