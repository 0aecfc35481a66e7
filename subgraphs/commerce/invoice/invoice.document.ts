import { addresseeOf } from '../../crm/public.ts'
import { activeOrganizationName, organizationSettings } from '../../identity/public.ts'
import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoicePdf } from '../document/invoice-pdf.ts'
import { paymentTexts } from '../quote/payment-texts.ts'
import type { Invoice } from './invoice.ts'
import { publicPageOf } from './public-page.ts'

/** The PDF of an issued invoice as it is stored. It does not contain `notes`, which are for the organization only. */
export async function invoiceDocument(ctx: RequestContext, invoice: Invoice): Promise<MailAttachment> {
  const { accountName, contactName, ...customer } = await addresseeOf(ctx, {
    accountId: invoice.customerId,
    contactId: invoice.contactId,
  })
  const { timezone = 'UTC', paymentInstructions = null } = await organizationSettings(ctx)
  const number = invoice.invoiceNumber ?? ''
  const content = await invoicePdf(
    {
      number,
      issueDate: invoice.issueDate ?? invoice.createdAt,
      dueDate: invoice.dueDate,
      currency: invoice.currency,
      customer: { ...customer, name: accountName ?? contactName ?? '', contactName: accountName && contactName },
      lines: invoice.lineItems,
      subtotal: invoice.subtotal,
      discountTotal: invoice.discountTotal,
      taxTotal: invoice.taxTotal,
      shippingTotal: invoice.shippingTotal,
      total: invoice.total,
      amountPaid: invoice.amountPaid,
      amountDue: invoice.amountDue,
      purchaseOrderNumber: invoice.purchaseOrderNumber,
      paymentTerms: paymentTexts[invoice.paymentTerms],
      paymentInstructions,
      publicUrl: publicPageOf(ctx, invoice),
      isVoid: invoice.status === 'VOID',
      terms: invoice.terms,
    },
    { name: (await activeOrganizationName(ctx)) ?? '', timezone },
  )
  return { filename: `${number}.pdf`, contentType: 'application/pdf', content }
}
