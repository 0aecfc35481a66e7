import { addresseeOf } from '../../crm/public.ts'
import { organizationSettings } from '../../identity/public.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { documentDay } from '../document/document-day.ts'
import { documentSeller } from '../document/document-seller.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import type { PricedDocument } from '../document/priced-document.ts'
import { paymentTexts } from '../quote/payment-texts.ts'
import { order as definition } from './order.record.ts'
import type { Order, OrderStatus } from './order.ts'
import type { PostalAddress } from './postal-address.ts'

const confirmed: ReadonlySet<OrderStatus> = new Set(['CONFIRMED', 'PROCESSING', 'PARTIALLY_FULFILLED', 'FULFILLED'])
const statusTexts: Readonly<Partial<Record<OrderStatus, string>>> = {
  DRAFT: 'Draft, not confirmed',
  CANCELLED: 'Cancelled',
  RETURNED: 'Returned',
}

function addressLines({ street, city, state, postalCode, country }: PostalAddress): (string | null)[] {
  return [street, [postalCode, city, state].filter(Boolean).join(' ') || null, country]
}

/** What the PDF of an order shows. It does not contain `notes`, which are for the organization only. */
async function documentOfOrder(ctx: RequestContext, order: Order): Promise<PricedDocument> {
  const { accountName, contactName, ...customer } = await addresseeOf(ctx, order)
  const { timezone = 'UTC' } = await organizationSettings(ctx)
  const day = documentDay(timezone)
  const { billingAddress, shippingAddress, requestedDate } = order
  const deliverTo = shippingAddress && addressLines(shippingAddress).filter(Boolean).join('\n')
  return {
    title: confirmed.has(order.status) ? 'ORDER CONFIRMATION' : 'ORDER',
    number: order.orderNumber,
    facts: [
      ['Status', statusTexts[order.status]],
      ['Date', day(order.orderDate)],
      ['Your order', order.purchaseOrderNumber],
      ['Requested for', requestedDate && day(requestedDate)],
      ['Payment', paymentTexts[order.paymentTerms]],
    ],
    currency: order.currency,
    organization: await documentSeller(ctx),
    customerLabel: 'Ordered by',
    customer: {
      ...customer,
      ...(billingAddress && { address: addressLines(billingAddress) }),
      name: accountName ?? contactName ?? '',
      contactName: accountName && contactName,
    },
    lines: order.lineItems,
    subtotal: order.subtotal,
    discountTotal: order.discountTotal,
    taxTotal: order.taxTotal,
    shippingTotal: order.shippingTotal,
    total: order.total,
    sections: [
      ['Delivery address', deliverTo],
      ['Terms', order.terms],
    ],
  }
}

/** The columns that the document prints. */
const printed = [
  'orderNumber',
  'status',
  'orderDate',
  'purchaseOrderNumber',
  'requestedDate',
  'paymentTerms',
  'currency',
  'accountId',
  'contactId',
  'billingAddress',
  'shippingAddress',
  'lineItems',
  'subtotal',
  'discountTotal',
  'taxTotal',
  'shippingTotal',
  'total',
  'terms',
] as const satisfies (keyof Order)[]

/** The PDF of an order that the caller sees. 403 if the caller's profile hides a column that it prints. */
export async function orderFile(ctx: RequestContext<'work'>, id: string): Promise<DocumentFile> {
  requireReadable(ctx.caller, definition, ...printed)
  const order = await requireRecord(ctx, definition, id)
  return documentFile(ctx, await documentOfOrder(ctx, order), order)
}
