import type { Big } from 'big.js'
import { accountNames } from '../../crm/public.ts'
import { baseCurrencyOf, ratesOf, type RatesOfDay } from '../../identity/public.ts'
import { invalid, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, roundToCurrency, sumOf, zero } from '../../kernel/values/decimal.ts'
import { addDays, dayIn, dayOf, endOfDay, timezoneOf } from '../invoice/invoice-day.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { medianDaysLate } from '../invoice/payment-habit.ts'
import { ratio } from '../invoice/invoice.stats.ts'
import { salesSince } from '../invoice/sales.ts'
import {
  bucketDays,
  periodDays,
  type AgingBucket,
  type AgingCustomer,
  type InvoiceAging,
  type InvoiceAgingArgs,
} from './aging.types.ts'
import { hidesCredits, unappliedAmounts, unappliedOfCustomers, type UnappliedCredit } from './unapplied-credits.ts'
import { customerSums, openAmounts, openSums, type BucketSum, type CustomerSums, type Day } from './open-balances.ts'

/** What customers owed by age is a figure over these columns. */
const needed = ['dueDate', 'issueDate'] as const

function requireReadable(ctx: RequestContext, customerId: string | null): void {
  const names = [...needed, ...(customerId === null ? [] : (['customerId'] as const))]
  const hidden = names.filter((name) => isHidden(ctx.caller, invoice, name))
  if (hidden.length === 0) return
  const message = `Your profile does not let you read ${hidden.join(', ')} of invoices.`
  throw new Refusal('FIELD_NOT_READABLE', message, {
    errors: hidden.map((path) => ({ path, code: 'FIELD_NOT_READABLE', message })),
  })
}

export function dayWithEnd(zone: string, day: string, today: string): Day {
  return { day, end: endOfDay(zone, day), isPresent: day >= today }
}

const hundredthsOf = (part: Big, whole: Big): number =>
  whole.eq(0) ? 0 : Number(part.times(100).div(whole).round(2).toFixed())

/** The ranges with their sums; the total is the sum of the rounded amounts. */
export function bucketsOf(
  sums: readonly BucketSum[],
  currency: string,
  rateOf: (currency: string) => ExactNumber | undefined,
) {
  const amounts = bucketDays.map(({ key }) => {
    const own = sums.filter(({ bucket, currency: from }) => bucket === key && rateOf(from) !== undefined)
    const exact = sumOf(own.map((one) => decimalOf(one.amount).times(decimalOf(rateOf(one.currency)!))))
    return { count: own.reduce((all, { count }) => all + count, 0), amount: roundToCurrency(exact, currency) }
  })
  const total = sumOf(amounts.map(({ amount }) => amount))
  const buckets = bucketDays.map(({ key, min, max }, index): AgingBucket => {
    const { count, amount } = amounts[index]!
    return { key, minDays: min, maxDays: max, count, amount: exactOf(amount), percent: hundredthsOf(amount, total) }
  })
  return { buckets, total: exactOf(total) }
}

const inBase = ({ rates }: RatesOfDay, parts: readonly (readonly [string, ExactNumber])[]): Big =>
  sumOf(parts.map(([currency, amount]) => decimalOf(amount).times(decimalOf(rates.get(currency) ?? 0))))

/** The credit that is left, and what is owed after it. Null for credits that the profile hides. */
function afterCredit(total: ExactNumber, credits: readonly Big[] | null, currency: string) {
  if (!credits) return { unappliedCredit: null, balance: null }
  const credit = roundToCurrency(sumOf(credits), currency)
  return { unappliedCredit: exactOf(credit), balance: exactOf(decimalOf(total).minus(credit)) }
}

type CustomerWithoutCredit = Omit<AgingCustomer, 'unappliedCredit' | 'balance'>

function customerOf(
  sums: CustomerSums,
  currency: string,
  names: ReadonlyMap<string, string>,
  medians: ReadonlyMap<string, number>,
): CustomerWithoutCredit {
  const { customerId, oldestInvoiceId } = sums
  const amount = (value: ExactNumber) => roundToCurrency(decimalOf(value), currency)
  const parts = {
    current: amount(sums.current),
    days1To30: amount(sums.days1To30),
    days31To60: amount(sums.days31To60),
    days61To90: amount(sums.days61To90),
    daysOver90: amount(sums.daysOver90),
  }
  return {
    customerId,
    name: (customerId !== null ? names.get(customerId) : undefined) ?? null,
    ...(Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, exactOf(value)])) as {
      readonly [K in keyof typeof parts]: ExactNumber
    }),
    total: exactOf(sumOf(Object.values(parts))),
    oldestInvoiceId,
    medianDaysLate: (customerId !== null ? medians.get(customerId) : undefined) ?? null,
  }
}

interface Customers {
  readonly customers: readonly CustomerWithoutCredit[]
  /** Null if the profile of the caller hides what they consist of. */
  readonly credits: readonly UnappliedCredit[] | null
}

/** The customers with the names of those that the caller sees. */
async function customersOf(
  ctx: RequestContext,
  day: Day,
  customers: readonly (string | null)[],
  base: string,
): Promise<Customers> {
  if (isHidden(ctx.caller, invoice, 'customerId')) return { customers: [], credits: [] }
  const sums = await customerSums(ctx, day, customers, base)
  const ids = sums.flatMap(({ customerId: id }) => id ?? [])
  const [names, medians, credits] = await Promise.all([
    accountNames(ctx, ids),
    medianDaysLate(ctx, ids),
    hidesCredits(ctx, true) ? null : unappliedOfCustomers(ctx, day, ids),
  ])
  return { customers: sums.map((one) => customerOf(one, base, names, medians)), credits }
}

/** What customers owed at the end of a day. */
export async function invoiceAging(ctx: RequestContext, args: InvoiceAgingArgs): Promise<InvoiceAging> {
  const customerId = args.customerId?.toLowerCase() ?? null
  requireReadable(ctx, customerId)
  if (customerId !== null && !isId(customerId))
    throw invalid({ path: 'customerId', code: 'NOT_AN_ID', message: 'customerId must be an id (UUID).' })
  const zone = await timezoneOf(ctx)
  const today = dayIn(zone, ctx.clock.now())
  const asOf = args.asOf ? dayOf(args.asOf) : today
  const begin = addDays(asOf, -periodDays)
  const base = await baseCurrencyOf(ctx)
  const end = dayWithEnd(zone, asOf, today)
  const [{ buckets: closing, largestCustomers }, opening, sales, credits] = await Promise.all([
    openSums(ctx, end, customerId, base),
    openAmounts(ctx, dayWithEnd(zone, begin, today), customerId),
    salesSince(ctx, begin, asOf, customerId === null ? null : { customerId: { eq: customerId } }),
    hidesCredits(ctx, customerId !== null) ? null : unappliedAmounts(ctx, end, customerId),
  ])
  const listed = await customersOf(ctx, end, largestCustomers, base)
  const currenciesOf = (...rows: readonly (readonly { readonly currency: string }[])[]) =>
    [...new Set(rows.flat().map(({ currency }) => currency))].toSorted()
  const currencies = [
    ...currenciesOf(closing, opening, credits ?? [], listed.credits ?? []),
    ...sales.keys(),
  ].toSorted()
  const rates = await ratesOf(ctx, currencies, asOf.slice(0, 10))
  const { buckets, total } = bucketsOf(closing, rates.baseCurrency, (currency) => rates.rates.get(currency))
  const known = closing.filter(({ currency }) => rates.rates.has(currency))
  const weighted = inBase(
    rates,
    known.map(({ currency, weighted: sum }) => [currency, sum]),
  )
  const exactTotal = inBase(
    rates,
    known.map(({ currency, amount }) => [currency, amount]),
  )
  const salesInBase = inBase(rates, [...sales])
  const openingInBase = inBase(
    rates,
    opening.map(({ currency, amount }) => [currency, amount]),
  )
  const collectible = openingInBase.plus(salesInBase)
  const notOverdue = decimalOf(buckets[0]!.amount)
  const creditInBase = ({ currency, amount }: Pick<UnappliedCredit, 'currency' | 'amount'>): Big =>
    inBase(rates, [[currency, amount]])
  const creditOf = (id: string | null) =>
    listed.credits?.filter((credit) => credit.customerId === id).map(creditInBase) ?? null
  return {
    asOf,
    currency: rates.baseCurrency,
    buckets,
    total,
    ...afterCredit(total, credits?.map(creditInBase) ?? null, rates.baseCurrency),
    byCustomer: listed.customers.map((customer) => ({
      ...customer,
      ...afterCredit(customer.total, creditOf(customer.customerId), rates.baseCurrency),
    })),
    byCurrency: currenciesOf(closing, credits ?? []).map((currency) => {
      const own = bucketsOf(closing, currency, (from) => (from === currency ? 1 : undefined))
      const ownCredits = credits?.filter((credit) => credit.currency === currency) ?? null
      const amounts = ownCredits?.map(({ amount }) => decimalOf(amount)) ?? null
      return { currency, ...own, ...afterCredit(own.total, amounts, currency) }
    }),
    dso: ratio(total, exactOf(salesInBase), periodDays),
    weightedAverageDaysOverdue: exactTotal.gt(zero) ? Number(weighted.div(exactTotal).round(2).toFixed()) : 0,
    cei: ratio(exactOf(collectible.minus(exactTotal)), exactOf(collectible.minus(notOverdue)), 100),
  }
}
