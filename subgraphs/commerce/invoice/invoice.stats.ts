import { Directive, Field, Float, Int, ObjectType } from 'type-graphql'
import { baseSumOf, ratesOf } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { ratedSums } from '../../kernel/record/aggregate/rated-sums.ts'
import { withCondition, type FilterInput } from '../../kernel/record/filter-input.ts'
import { count, countBy, sum } from '../../kernel/record/aggregates.ts'
import { figuresBy } from '../../kernel/record/figures-by.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, sumOf } from '../../kernel/values/decimal.ts'
import { addDays, todayOf } from './invoice-day.ts'
import { InvoiceStatus } from './invoice.enumerations.ts'
import { invoice } from './invoice.record.ts'
import { issuedStatuses, openStatuses } from './invoice.status.ts'
import type { Invoice } from './invoice.ts'
import { lateOf, salesInBaseCurrency, salesSince } from './sales.ts'

/** The number of days over whose sales the days sales outstanding are computed. */
export const salesDays = 90

const InvoiceStatusCounts = valueCounts(InvoiceStatus, 'INVOICES', 'invoices')

const texts = {
  totalInvoiced: 'Sum of `total` of the invoices that are neither DRAFT nor VOID',
  totalPaid: 'Sum of `amountPaid` of the invoices that are neither DRAFT nor VOID',
  totalCredited: 'Sum of `amountCredited` of the invoices that are neither DRAFT nor VOID',
  totalOutstanding: 'Sum of `amountDue` of the invoices that are SENT, PARTIALLY_PAID or OVERDUE',
  totalOverdue:
    'Sum of `amountDue` of the open invoices whose due day has passed, whatever a part payment made their status',
  averageDaysToPay:
    'Average number of days from the day of an invoice to its last payment, over the PAID invoices; null without one.',
  dso: `Days sales outstanding: \`totalOutstanding\` divided by the invoiced sales of the last ${salesDays} days, times ${salesDays}; null without sales.`,
  collectionRate: '`totalPaid` divided by `totalInvoiced`, 0 to 1; above 1 after overpayments. Null without invoices.',
}

@ObjectType({ description: 'Figures of the invoices in one currency.' })
@Directive('@shareable')
@RequiresScope('INVOICES')
export class InvoiceCurrencyStats {
  @Field(() => String, { description: 'ISO 4217 code of the currency.' })
  currency!: string

  @Field(() => Int, { description: 'Number of invoices in this currency.' })
  count!: number

  @Field(() => Decimal, { description: `${texts.totalInvoiced}.` })
  totalInvoiced!: ExactNumber

  @Field(() => Decimal, { description: `${texts.totalPaid}.` })
  totalPaid!: ExactNumber

  @Field(() => Decimal, { description: `${texts.totalCredited}.` })
  totalCredited!: ExactNumber

  @Field(() => Decimal, { description: `${texts.totalOutstanding}.` })
  totalOutstanding!: ExactNumber

  @Field(() => Decimal, { description: `${texts.totalOverdue}.` })
  totalOverdue!: ExactNumber

  @Field(() => Float, { nullable: true, description: texts.averageDaysToPay })
  averageDaysToPay!: number | null

  @Field(() => Float, { nullable: true, description: texts.dso })
  dso!: number | null

  @Field(() => Float, { nullable: true, description: texts.collectionRate })
  collectionRate!: number | null
}

const rounding =
  'and the sum is rounded once half to even. Invoices in a currency without an exchange rate are left out.'
const ofTheirDay = ` in \`currency\`: each is converted at the exchange rate of its \`issueDate\`, ${rounding}`
const ofToday = ` in \`currency\`: what is due is converted at the exchange rates of today, ${rounding}`

@ObjectType({ description: 'Statistics of the live invoices that the caller sees.' })
@RequiresScope('INVOICES')
export class InvoiceStats {
  @Field(() => Int, { description: 'Number of invoices.' })
  total!: number

  @Field(() => InvoiceStatusCounts, { description: 'Number of invoices by `status`.' })
  byStatus!: Counts

  @Field(() => InvoiceStatusCounts, { description: 'The same as `byStatus`.' })
  countByStatus!: Counts

  @Field(() => String, {
    description: 'Base currency of the organization as ISO 4217 code, the currency of the totals.',
  })
  currency!: string

  @Field(() => Decimal, { description: texts.totalInvoiced + ofTheirDay })
  totalInvoiced!: ExactNumber

  @Field(() => Decimal, { description: texts.totalPaid + ofTheirDay })
  totalPaid!: ExactNumber

  @Field(() => Decimal, { description: texts.totalCredited + ofTheirDay })
  totalCredited!: ExactNumber

  @Field(() => Decimal, { description: texts.totalOutstanding + ofToday })
  totalOutstanding!: ExactNumber

  @Field(() => Decimal, { description: texts.totalOverdue + ofToday })
  totalOverdue!: ExactNumber

  @Field(() => Float, { nullable: true, description: texts.averageDaysToPay })
  averageDaysToPay!: number | null

  @Field(() => Float, { nullable: true, description: texts.dso })
  dso!: number | null

  @Field(() => Float, { nullable: true, description: texts.collectionRate })
  collectionRate!: number | null

  @Field(() => [InvoiceCurrencyStats], { description: 'The same figures by currency.' })
  byCurrency!: InvoiceCurrencyStats[]
}

interface Group {
  readonly status: InvoiceStatus
  readonly currency: string
  readonly count: number
  readonly total: ExactNumber
  readonly amountPaid: ExactNumber
  readonly amountCredited: ExactNumber
  readonly amountDue: ExactNumber
  readonly daysToPay: number | null
}

/** A quotient with two decimals, or more; null without a divisor. */
export function ratio(of: ExactNumber, to: ExactNumber, factor = 1, decimals = 2): number | null {
  const divisor = decimalOf(to)
  if (divisor.eq(0)) return null
  return Number(decimalOf(of).times(factor).div(divisor).round(decimals).toFixed())
}

/** Those that were issued and not voided. */
const countedStatuses: readonly InvoiceStatus[] = issuedStatuses
const countedNames = ['total', 'amountPaid', 'amountCredited'] as const

const totalsOf = (groups: readonly Group[], late: ExactNumber) => {
  const counting = groups.filter(({ status }) => countedStatuses.includes(status))
  const open = groups.filter(({ status }) => (openStatuses as readonly string[]).includes(status))
  const add = (some: readonly Group[], name: (typeof countedNames)[number] | 'amountDue') =>
    exactOf(sumOf(some.map((group) => decimalOf(group[name]))))
  return {
    totalInvoiced: add(counting, 'total'),
    totalPaid: add(counting, 'amountPaid'),
    totalCredited: add(counting, 'amountCredited'),
    totalOutstanding: add(open, 'amountDue'),
    totalOverdue: exactOf(
      decimalOf(late).plus(
        decimalOf(
          add(
            open.filter(({ status }) => status === 'OVERDUE'),
            'amountDue',
          ),
        ),
      ),
    ),
  }
}

function averageDays(groups: readonly Group[]): number | null {
  const paid = groups.filter(({ status }) => status === 'PAID')
  const days = paid.reduce((sumOfDays, group) => sumOfDays + (group.daysToPay ?? 0), 0)
  return ratio(
    days,
    paid.reduce((all, group) => all + group.count, 0),
  )
}

type Totals = ReturnType<typeof totalsOf>

const figuresOf = (totals: Totals, sales: ExactNumber) => ({
  ...totals,
  dso: ratio(totals.totalOutstanding, sales, salesDays),
  collectionRate: ratio(totals.totalPaid, totals.totalInvoiced, 1, 4),
})

export async function invoiceStats(ctx: RequestContext, filter: FilterInput | null): Promise<InvoiceStats> {
  const [counts, grouped] = await Promise.all([
    figures(ctx, invoice, { total: count(), byStatus: countBy('status') }, filter),
    figuresBy(
      ctx,
      invoice,
      ['status', 'currency'],
      {
        count: count<Invoice>(),
        total: sum<Invoice>('total'),
        amountPaid: sum<Invoice>('amountPaid'),
        amountCredited: sum<Invoice>('amountCredited'),
        amountDue: sum<Invoice>('amountDue'),
        daysToPay: sum<Invoice>('daysToPay'),
      },
      { filter },
    ),
  ])
  // No profile can hide these columns, because they are never null.
  const groups = grouped as unknown as Group[]
  const currencies = [...new Set(groups.map(({ currency }) => currency))].toSorted()
  const today = await todayOf(ctx)
  const since = addDays(today, -salesDays)
  const sales = await salesSince(ctx, since, today, filter)
  const late = await lateOf(ctx, today, filter)
  const rates = await ratesOf(ctx, currencies)
  const byCurrency = currencies.map((currency) => {
    const own = groups.filter((group) => group.currency === currency)
    return {
      currency,
      count: own.reduce((all, group) => all + group.count, 0),
      averageDaysToPay: averageDays(own),
      ...figuresOf(totalsOf(own, late.get(currency) ?? 0), sales.get(currency) ?? 0),
    }
  })
  const counted = withCondition(filter, { status: { in: [...countedStatuses] } })
  const { total, amountPaid, amountCredited } = await ratedSums(ctx, invoice, countedNames, counted, currencies)
  const dueToday = (name: 'totalOutstanding' | 'totalOverdue') =>
    baseSumOf(
      rates,
      byCurrency.map((one) => ({ currency: one.currency, sum: one[name], count: 1 })),
    )
  const totals = {
    totalInvoiced: total,
    totalPaid: amountPaid,
    totalCredited: amountCredited,
    totalOutstanding: dueToday('totalOutstanding'),
    totalOverdue: dueToday('totalOverdue'),
  }
  const salesInBase = await salesInBaseCurrency(ctx, since, today, filter, sales)
  return {
    ...counts,
    countByStatus: counts.byStatus,
    currency: rates.baseCurrency,
    averageDaysToPay: averageDays(groups),
    ...figuresOf(totals, salesInBase),
    byCurrency,
  } as InvoiceStats
}
