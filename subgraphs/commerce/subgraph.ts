import { bulkResource } from '../kernel/record/bulk-resource.ts'
import { lookupResources } from '../kernel/record/lookup/lookup-resource.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { accountStatementResource } from './account-statement/statement.resolver.ts'
import { accountEdges } from './edges/account-edges.ts'
import { invoiceAgingResource } from './invoice-aging/aging.resolver.ts'
import { creditNoteResource } from './credit-note/credit-note.resolver.ts'
import { dunningResource } from './dunning/dunning.resolver.ts'
import { contactEdges } from './edges/contact-edges.ts'
import { invoiceActions } from './invoice/invoice.actions.ts'
import { invoice } from './invoice/invoice.record.ts'
import { invoiceResource } from './invoice/invoice.resolver.ts'
import { documentEdges } from './edges/document-edges.ts'
import { order } from './order/order.record.ts'
import { orderResource } from './order/order.resolver.ts'
import { quoteOrderResource } from './order/quote-order.resolver.ts'
import { paymentAggregate, paymentResource } from './payment/payment.resolver.ts'
import { productResource } from './product/product.resolver.ts'
import { quoteDecisionEdges } from './edges/quote-decision-edges.ts'
import { opportunityEdges } from './edges/opportunity-edges.ts'
import { product } from './product/product.record.ts'
import { productBySkuResource } from './product-by-sku/product-by-sku.resolver.ts'
import { publicInvoiceResource } from './public-invoice/public-invoice.resolver.ts'
import { publicQuoteResource } from './public-quote/public-quote.resolver.ts'
import { quoteConversionResource } from './quote-conversion/quote-conversion.resolver.ts'
import { quote } from './quote/quote.record.ts'
import { quoteResource } from './quote/quote.resolver.ts'
import { externalIds } from './external-ids.migrations.ts'

export const commerce: SubgraphDefinition = {
  name: 'commerce',
  ports: ['vault', 'outbound', 'work', 'files'],
  migrations: [externalIds],
  resources: [
    productResource,
    bulkResource(product, 'PRODUCTS'),
    ...lookupResources(product),
    productBySkuResource,
    quoteResource,
    bulkResource(quote, 'QUOTES'),
    ...lookupResources(quote),
    quoteConversionResource,
    publicQuoteResource,
    publicInvoiceResource,
    orderResource,
    bulkResource(order, 'ORDERS'),
    quoteOrderResource,
    invoiceResource,
    bulkResource(invoice, 'INVOICES', invoiceActions),
    paymentResource,
    paymentAggregate,
    creditNoteResource,
    invoiceAgingResource,
    dunningResource,
    accountStatementResource,
    ...documentEdges,
    ...accountEdges,
    ...contactEdges,
    quoteDecisionEdges,
    ...opportunityEdges,
  ],
}
