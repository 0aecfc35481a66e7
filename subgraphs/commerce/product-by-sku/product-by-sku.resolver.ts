import { Arg, Ctx, Info, Query, Resolver } from 'type-graphql'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Product } from '../product/product.ts'
import { product } from '../product/product.record.ts'

const products = recordsOf(product)

@Resolver()
export class ProductBySkuResolver {
  @Query(() => Product, {
    nullable: true,
    description: 'The live product with exactly this SKU; null if there is none.',
  })
  productBySku(
    @Arg('sku', () => String, { description: 'SKU of the product, upper and lower case differ.' }) sku: string,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return products.by(ctx, 'sku', sku, info)
  }
}

export const productBySkuResource: Resource = { resolver: ProductBySkuResolver }
