import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { productResource } from './product/product.resolver.ts'

export const commerce: SubgraphDefinition = {
  name: 'commerce',
  resources: [productResource],
}
