import { Resolver } from 'type-graphql'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { productTypes } from './product.inputs.ts'
import { productIndexes, productTable, productTotals } from './product.migrations.ts'
import { ProductStats, productStats } from './product.stats.ts'
import { Product } from './product.ts'
import { product } from './product.record.ts'

@Resolver(() => Product)
export class ProductResolver extends standardResolver(product, {
  scope: 'PRODUCTS',
  types: productTypes,
  stats: { type: ProductStats, read: productStats },
  restoreDescription: 'Restores a deleted product, if no live product has its SKU.',
}) {}

export const productResource: Resource = {
  resolver: ProductResolver,
  entities: { Product: product },
  migrations: [productTable, productIndexes, productTotals],
  rest: restArea(product, {
    path: 'products',
    filters: ['type', 'category', 'isActive', 'billingFrequency', 'externalId', updatedAfter],
  }),
}
