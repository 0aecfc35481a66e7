import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { accountExtensionResource } from './account-extension/account-extension.resolver.ts'
import { productResource } from './product/product.resolver.ts'
import { productBulkResource } from './product-bulk/product-bulk.resolver.ts'
import { productBySkuResource } from './product-by-sku/product-by-sku.resolver.ts'
import { quoteResource } from './quote/quote.resolver.ts'

export const commerce: SubgraphDefinition = {
  name: 'commerce',
  resources: [productResource, productBulkResource, productBySkuResource, quoteResource, accountExtensionResource],
}
