import { Field, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Decimal, Json } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { average, count, countBy } from '../../kernel/record/aggregates.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { product } from './product.record.ts'

@ObjectType({ description: 'Statistics of the live products of the organization.' })
@RequiresScope('PRODUCTS')
export class ProductStats {
  @Field(() => Int, { description: 'Number of products.' })
  total!: number

  @Field(() => Int, { description: 'Number of products with `isActive` true.' })
  active!: number

  @Field(() => Int, { description: 'Number of products with `isActive` false.' })
  inactive!: number

  @Field(() => Json, { description: 'Number of products by `type`; types without products are absent.' })
  byType!: Counts

  @Field(() => Json, { description: 'Number of products by `category`; categories without products are absent.' })
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
