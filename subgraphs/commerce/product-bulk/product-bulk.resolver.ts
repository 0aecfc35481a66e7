import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql'
import { BulkResult } from '../../kernel/record/bulk-result.ts'
import { bulkItemOf } from '../../kernel/record/inputs.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Product } from '../product/product.ts'
import { product } from '../product/product.record.ts'

const products = recordsOf(product)

const ProductBulkUpdateItem = bulkItemOf('ProductBulkUpdateItem', Product)
type ProductBulkUpdateItem = InstanceType<typeof ProductBulkUpdateItem>

@Resolver()
export class ProductBulkResolver {
  @Mutation(() => BulkResult, { description: 'Changes 1 to 500 products. Each item succeeds or fails independently.' })
  @RequiresScope('PRODUCTS')
  productBulkUpdate(
    @Arg('items', () => [ProductBulkUpdateItem], {
      description: 'The changes, 1 to 500, each with the id of its product.',
    })
    items: ProductBulkUpdateItem[],
    @Ctx() ctx: RequestContext,
  ) {
    return products.bulkUpdate(ctx, items)
  }

  @Mutation(() => BulkResult, { description: 'Deletes 1 to 500 products. Each item succeeds or fails independently.' })
  @RequiresScope('PRODUCTS')
  productBulkDelete(
    @Arg('ids', () => [ID], { description: 'Ids of the products, 1 to 500.' }) ids: string[],
    @Ctx() ctx: RequestContext,
  ) {
    return products.bulkRemove(ctx, ids)
  }
}

export const productBulkResource: Resource = { resolver: ProductBulkResolver }
