import { Field, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { average, count, countBy } from '../../kernel/record/aggregates.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import { product } from './product.record.ts'
import { ProductCategory, ProductType } from './product.ts'

const ProductTypeCounts = valueCounts(ProductType, 'PRODUCTS', 'products')
const ProductCategoryCounts = valueCounts(ProductCategory, 'PRODUCTS', 'products')

@ObjectType({ description: 'Statistics of the live products of the organization.' })
@RequiresScope('PRODUCTS')
export class ProductStats {
  @Field(() => Int, { description: 'Number of products.' })
  total!: number

  @Field(() => Int, { description: 'Number of products with `isActive` true.' })
  active!: number

  @Field(() => Int, { description: 'Number of products with `isActive` false.' })
  inactive!: number

  @Field(() => ProductTypeCounts, { description: 'Number of products by `type`.' })
  byType!: Counts

  @Field(() => ProductCategoryCounts, { description: 'Number of products by `category`.' })
  byCategory!: Counts

  @Field(() => Decimal, {
    nullable: true,
    description: 'Average list price over products of all currencies; null without products.',
  })
  averageListPrice!: ExactNumber | null
}

export async function productStats(ctx: RequestContext): Promise<ProductStats> {
  return (await figures(ctx, product, {
    total: count(),
    active: count({ isActive: true }),
    inactive: count({ isActive: false }),
    averageListPrice: average('listPrice', 2),
    byType: countBy('type'),
    byCategory: countBy('category'),
  })) as ProductStats
}
