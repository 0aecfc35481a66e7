import { Field, Int, ObjectType } from 'type-graphql'
import { baseCurrencyOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { ratedSums } from '../../kernel/record/aggregate/rated-sums.ts'
import { withCondition, type FilterInput } from '../../kernel/record/filter-input.ts'
import { count, countBy, sum } from '../../kernel/record/aggregates.ts'
import { CurrencyFigures, currencyFigures, type CurrencySum } from '../../kernel/record/currency-figures.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { OrderInvoiceStatus, OrderPaymentStatus, OrderStatus } from './order.enumerations.ts'
import { order } from './order.record.ts'
import type { Order } from './order.ts'

const OrderStatusCounts = valueCounts(OrderStatus, 'ORDERS', 'orders')
const OrderPaymentStatusCounts = valueCounts(OrderPaymentStatus, 'ORDERS', 'orders')
const OrderInvoiceStatusCounts = valueCounts(OrderInvoiceStatus, 'ORDERS', 'orders')

@ObjectType({ description: 'Statistics of the live orders that the caller sees.' })
@RequiresScope('ORDERS')
export class OrderStats {
  @Field(() => Int, { description: 'Number of orders.' })
  total!: number

  @Field(() => OrderStatusCounts, { description: 'Number of orders by `status`.' })
  byStatus!: Counts

  @Field(() => OrderPaymentStatusCounts, { description: 'Number of orders by `paymentStatus`.' })
  byPaymentStatus!: Counts

  @Field(() => OrderInvoiceStatusCounts, { description: 'Number of orders by `invoiceStatus`.' })
  byInvoiceStatus!: Counts

  @Field(() => Decimal, {
    description:
      'Sum of `total` of the orders that count as sales (not DRAFT, CANCELLED or RETURNED) in `currency`: each converted exactly at the exchange rate of its `orderDate`, and the sum rounded once half to even. Orders without a rate on that day are left out.',
  })
  totalAmount!: ExactNumber

  @Field(() => String, {
    description: 'Base currency of the organization as ISO 4217 code, the currency of `totalAmount`.',
  })
  currency!: string

  @Field(() => [CurrencyFigures], {
    description: '`total` of the orders that count as sales (not DRAFT, CANCELLED or RETURNED) by currency.',
  })
  totalByCurrency!: CurrencyFigures[]
}

const sales = { status: { in: ['CONFIRMED', 'PROCESSING', 'PARTIALLY_FULFILLED', 'FULFILLED'] } }

export async function orderStats(ctx: RequestContext, filter: FilterInput | null): Promise<OrderStats> {
  const ofSales = withCondition(filter, sales)
  const [counts, sums, currency] = await Promise.all([
    figures(
      ctx,
      order,
      {
        total: count(),
        byStatus: countBy('status'),
        byPaymentStatus: countBy('paymentStatus'),
        byInvoiceStatus: countBy('invoiceStatus'),
      },
      filter,
    ),
    figuresBy(ctx, order, ['currency'], { count: count<Order>(), sum: sum<Order>('total') }, { filter: ofSales }),
    baseCurrencyOf(ctx),
  ])
  // No profile can hide the total or its currency, because neither is ever null.
  const totalByCurrency = currencyFigures(sums as CurrencySum[])
  const currencies = totalByCurrency.map((one) => one.currency)
  const { total: totalAmount } = await ratedSums(ctx, order, ['total'], ofSales, currencies)
  return { ...counts, totalAmount, currency, totalByCurrency } as OrderStats
}
