import { Field, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { count, countBy, sum } from '../../kernel/record/aggregates.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import { CurrencyFigures, currencyFigures, type CurrencySum } from '../../kernel/record/currency-figures.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import { baseAverageOf, ratesOf } from '../../identity/public.ts'
import { product } from './product.record.ts'
import { type Product, ProductCategory, ProductType } from './product.ts'

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
    description:
      'Average list price in `currency`: each price is converted at the exchange rate of today, and the average is rounded half to even. Products in a currency without an exchange rate are left out; null without other products.',
  })
  averageListPrice!: ExactNumber | null

  @Field(() => String, {
    description: 'Base currency of the organization as ISO 4217 code, the currency of `averageListPrice`.',
  })
  currency!: string

  @Field(() => [CurrencyFigures], { description: 'List prices by currency, ordered by code.' })
  listPriceByCurrency!: CurrencyFigures[]
}

export async function productStats(ctx: RequestContext, filter: FilterInput | null): Promise<ProductStats> {
  const [counts, prices] = await Promise.all([
    figures(
      ctx,
      product,
      {
        total: count(),
        active: count({ isActive: true }),
        inactive: count({ isActive: false }),
        byType: countBy('type'),
        byCategory: countBy('category'),
      },
      filter,
    ),
    figuresBy(ctx, product, ['currency'], { count: count<Product>(), sum: sum<Product>('listPrice') }, { filter }),
  ])
  // No profile can hide the price or its currency, because neither is ever null.
  const listPriceByCurrency = currencyFigures(prices as CurrencySum[])
  const rates = await ratesOf(
    ctx,
    prices.map(({ currency }) => currency),
  )
  const averageListPrice = baseAverageOf(rates, listPriceByCurrency)
  return { ...counts, averageListPrice, currency: rates.baseCurrency, listPriceByCurrency } as ProductStats
}
