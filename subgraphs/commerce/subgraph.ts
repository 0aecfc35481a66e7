import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { product } from './product/product.ts'
import { ProductResolver } from './product/product.resolver.ts'

export const commerce: SubgraphDefinition = {
  name: 'commerce',
  resolvers: [ProductResolver],
  entities: { Product: product },
}
