import { Arg, Args, Ctx, ID, Info, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import { BulkResult } from '../../kernel/record/bulk-result.ts'
import { connectionArgs, pageArgs, PartArgs } from '../../kernel/record/list-args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { Asked } from '../../kernel/record/selection.ts'
import { Scope } from '../../kernel/record/scope.ts'
import { product, Product } from './product.ts'
import {
  ProductBulkUpdateItem,
  ProductConnection,
  ProductCreateInput,
  ProductFilter,
  ProductOrder,
  ProductPage,
  ProductUpdateInput,
} from './product.inputs.ts'
import { ProductStats, productStats } from './product.stats.ts'
import { productTable } from './product.migrations.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const products = recordsOf(product)
const ProductPageArgs = pageArgs(ProductFilter, ProductOrder)
const ProductConnectionArgs = connectionArgs(ProductFilter, ProductOrder)
type ProductPageArgs = InstanceType<typeof ProductPageArgs>
type ProductConnectionArgs = InstanceType<typeof ProductConnectionArgs>

@Resolver(() => Product)
export class ProductResolver {
  @Query(() => Product, { nullable: true })
  product(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return products.one(ctx, id, info)
  }

  @Query(() => Product, { nullable: true, description: 'The live product with exactly this SKU.' })
  productBySku(@Arg('sku', () => String) sku: string, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return products.by(ctx, 'sku', sku, info)
  }

  @Query(() => ProductPage)
  productList(@Args(() => ProductPageArgs) args: ProductPageArgs, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return products.page(ctx, args, info)
  }

  @Query(() => ProductConnection)
  productConnection(
    @Args(() => ProductConnectionArgs) args: ProductConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: Asked,
  ) {
    return products.connection(ctx, args, info)
  }

  @Query(() => [Product], { description: 'Deleted products, most recently deleted first.' })
  productListDeleted(@Args(() => PartArgs) args: PartArgs, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return products.deleted(ctx, args, info)
  }

  @Query(() => ProductStats)
  productStats(@Ctx() ctx: RequestContext) {
    return productStats(ctx)
  }

  @Mutation(() => Product)
  @Scope('PRODUCTS')
  productCreate(@Arg('input', () => ProductCreateInput) input: ProductCreateInput, @Ctx() ctx: RequestContext) {
    return products.create(ctx, input)
  }

  @Mutation(() => Product)
  @Scope('PRODUCTS')
  productUpdate(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ProductUpdateInput) input: ProductUpdateInput,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return products.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes a product. It can be restored; until then only `productListDeleted` returns it.',
  })
  @Scope('PRODUCTS')
  productDelete(
    @Arg('id', () => ID) id: string,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return products.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => Product, { description: 'Restores a deleted product, if no live product has its SKU.' })
  @Scope('PRODUCTS')
  productRestore(
    @Arg('id', () => ID) id: string,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return products.restore(ctx, id, expectedVersion)
  }

  @Mutation(() => BulkResult, { description: 'Changes 1 to 500 products, each for itself.' })
  @Scope('PRODUCTS')
  productBulkUpdate(
    @Arg('items', () => [ProductBulkUpdateItem]) items: ProductBulkUpdateItem[],
    @Ctx() ctx: RequestContext,
  ) {
    return products.bulkUpdate(ctx, items)
  }

  @Mutation(() => BulkResult, { description: 'Deletes 1 to 500 products, each for itself.' })
  @Scope('PRODUCTS')
  productBulkDelete(@Arg('ids', () => [ID]) ids: string[], @Ctx() ctx: RequestContext) {
    return products.bulkRemove(ctx, ids)
  }
}

export const productResource: Resource = {
  resolver: ProductResolver,
  entities: { Product: product },
  migrations: [productTable],
}
