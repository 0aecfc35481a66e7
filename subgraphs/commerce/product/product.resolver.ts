import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { UnfilteredPageArgs } from '../../kernel/record/list-args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  ProductConnection,
  ProductConnectionArgs,
  ProductCreateInput,
  ProductPage,
  ProductPageArgs,
  ProductUpdateInput,
} from './product.inputs.ts'
import { productIndexes, productTable, productTotals } from './product.migrations.ts'
import { ProductStats, productStats } from './product.stats.ts'
import { Product } from './product.ts'
import { product } from './product.record.ts'

const products = recordsOf(product)

@Resolver(() => Product)
export class ProductResolver {
  @Query(() => Product, { nullable: true })
  product(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return products.one(ctx, id, info)
  }

  @Query(() => ProductPage)
  productList(@Args(() => ProductPageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return products.page(ctx, args, info)
  }

  @Query(() => ProductConnection)
  productConnection(
    @Args(() => ProductConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return products.connection(ctx, args, info)
  }

  @Query(() => [Product], { description: 'Deleted products, most recently deleted first.' })
  productListDeleted(
    @Args(() => UnfilteredPageArgs) args: UnfilteredPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return products.deleted(ctx, args, info)
  }

  @Query(() => ProductStats)
  productStats(@Ctx() ctx: RequestContext) {
    return productStats(ctx)
  }

  @Mutation(() => Product)
  @RequiresScope('PRODUCTS')
  productCreate(@InputArg(() => ProductCreateInput) input: RecordInput<Product>, @Ctx() ctx: RequestContext) {
    return products.create(ctx, input)
  }

  @Mutation(() => Product)
  @RequiresScope('PRODUCTS')
  productUpdate(
    @IdArg() id: string,
    @InputArg(() => ProductUpdateInput) input: RecordInput<Product>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return products.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes a product. It can be restored; until then only `productListDeleted` returns it.',
  })
  @RequiresScope('PRODUCTS')
  productDelete(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return products.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => Product, { description: 'Restores a deleted product, if no live product has its SKU.' })
  @RequiresScope('PRODUCTS')
  productRestore(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return products.restore(ctx, id, expectedVersion)
  }
}

export const productResource: Resource = {
  resolver: ProductResolver,
  entities: { Product: product },
  migrations: [productTable, productIndexes, productTotals],
  rest: restArea(product, {
    path: 'products',
    filters: ['type', 'category', 'isActive', 'billingFrequency', 'externalId', updatedAfter],
  }),
}
