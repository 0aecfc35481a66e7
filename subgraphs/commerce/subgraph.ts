import { bulkResource } from '../kernel/record/bulk-resource.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { productResource } from './product/product.resolver.ts'
import { product } from './product/product.record.ts'
import { productBySkuResource } from './product-by-sku/product-by-sku.resolver.ts'

export const commerce: SubgraphDefinition = {
  name: 'commerce',
  resources: [productResource, bulkResource(product, 'PRODUCTS'), productBySkuResource],
}
