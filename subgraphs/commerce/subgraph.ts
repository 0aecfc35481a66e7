import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { productResource } from './product/product.resolver.ts'
import { productBulkResource } from './product-bulk/product-bulk.resolver.ts'
import { productBySkuResource } from './product-by-sku/product-by-sku.resolver.ts'

export const commerce: SubgraphDefinition = {
  name: 'commerce',
  resources: [productResource, productBulkResource, productBySkuResource],
}
