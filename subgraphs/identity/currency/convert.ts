import type { Big } from 'big.js'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { readOnce } from '../../kernel/record/collected-writes.ts'
import type { CurrencySum } from '../../kernel/record/currency-figures.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { dateIn, isDay, organizationZone } from '../../kernel/time/days.ts'
import { decimalOf, exactOf, roundToCurrency, zero } from '../../kernel/values/decimal.ts'
import { defaultBaseCurrency } from '../organization/organization-settings.ts'

export interface BaseAmount {
  /** The amount in the base currency of the organization, rounded half to even to its decimals. */
  readonly baseAmount: ExactNumber
  /** Value of one unit of the currency in the base currency; 1 for the base currency itself. */
  readonly exchangeRate: ExactNumber
}

/** The rates of several currencies on one day. */
export interface RatesOfDay {
  readonly baseCurrency: string
  /** The rate of each currency that has one, the base currency included. */
  readonly rates: ReadonlyMap<string, ExactNumber>
}

const baseCurrencySql = `coalesce(o.settings ->> 'baseCurrency', '${defaultBaseCurrency}')`

interface RateSql {
  /** SQL of the organization's id. */
  readonly organizationId: string
  /** SQL of the base currency. */
  readonly base: string
  /** SQL of the currency to convert. */
  readonly currency: string
  /** SQL of the day, as text `YYYY-MM-DD`. */
  readonly day: string
}

/**
 * SQL of the exchange rate of a currency on a day: 1 for the base currency, null without a rate. Multiply amounts by it in sums over
 * rows of several currencies and days: `sum(t.amount * ${exchangeRateSql(...)})`, and round the sum once.
 */
export const exchangeRateSql = ({ organizationId, base, currency, day }: RateSql): string =>
  `case when ${currency} = ${base} then 1 else (
     select r.rate from identity.exchange_rate r
     where r.organization_id = ${organizationId} and r.base_currency = ${base} and r.currency = ${currency} and r.date <= ${day}
     order by r.date desc limit 1) end`

/** SQL of a select of all rates of an organization: `currency`, `date` as `YYYY-MM-DD`, `rate`. The base currency has none. */
export const exchangeRatesSql = ({ organizationId, base }: Pick<RateSql, 'organizationId' | 'base'>): string =>
  `select r.currency, r.date, r.rate from identity.exchange_rate r
   where r.organization_id = ${organizationId} and r.base_currency = ${base}`

/** SQL of the day of a timestamp for `exchangeRateSql`, in the time zone of the organization; `zone` is the SQL of its name. */
export const rateDaySql = (timestamp: string, zone: string): string =>
  `to_char(${timestamp} at time zone ${zone}, 'YYYY-MM-DD')`

/** A later moment may have a day in the year 10000. */
const lastMoment = Date.parse('9999-12-31T00:00:00.000Z')

/** A day, or the day of a moment in the time zone of the organization: the rate with the latest date up to this day applies. */
export async function rateDayOf(ctx: RequestContext, time: string | Date): Promise<string> {
  if (isDay(time)) return time
  return dateIn(await organizationZone(ctx), new Date(Math.min(new Date(time).getTime(), lastMoment)))
}

/** Reads the base currency and the rates of these currencies on a day (`rateDayOf`); by default today. */
export async function ratesOf(
  ctx: RequestContext,
  currencies: readonly string[],
  time: string | Date = ctx.clock.now(),
): Promise<RatesOfDay> {
  const rate = exchangeRateSql({ organizationId: 'o.id', base: 'b.base', currency: 'c.currency', day: '$3' })
  const rows = await ctx.db.query<{ base: string; currency: string | null; rate: ExactNumber | null }>(
    `select b.base, c.currency, ${rate} as rate from identity.organization o
     cross join lateral (select ${baseCurrencySql} as base) b
     left join unnest($2::text[]) c(currency) on true where o.id = $1`,
    [ctx.caller.organizationId, [...new Set(currencies)], await rateDayOf(ctx, time)],
  )
  const found = rows.flatMap(({ currency, rate: value }) =>
    currency === null || value === null ? [] : [[currency, value] as const],
  )
  const baseCurrency = rows[0]?.base ?? defaultBaseCurrency
  return { baseCurrency, rates: new Map([...found, [baseCurrency, 1]]) }
}

/** The base currency of the caller's organization. */
export const baseCurrencyOf = async (ctx: RequestContext): Promise<string> =>
  (await readOnce(ctx, 'base currency', () => ratesOf(ctx, []))).baseCurrency

/** The amount in the base currency, at the rate of the day of `time` (`rateDayOf`). Null when the currency has no rate on that day. */
export async function baseAmountAt(
  ctx: RequestContext,
  amount: ExactNumber,
  currency: string,
  time: string | Date,
): Promise<BaseAmount | null> {
  return baseAmountOf(await ratesOf(ctx, [currency], time), amount, currency)
}

/** Like `baseAmountAt`, with rates that are already read. */
export function baseAmountOf(
  { baseCurrency, rates }: RatesOfDay,
  amount: ExactNumber,
  currency: string,
): BaseAmount | null {
  const exchangeRate = rates.get(currency)
  if (exchangeRate === undefined) return null
  const exact = decimalOf(amount).times(decimalOf(exchangeRate))
  return { baseAmount: exactOf(roundToCurrency(exact, baseCurrency)), exchangeRate }
}

/** The exact sum in the base currency of the amounts whose currency has a rate, and how many they are. */
function converted({ rates }: RatesOfDay, sums: readonly CurrencySum[]): { sum: Big; count: number } {
  const total = { sum: zero, count: 0 }
  for (const { currency, sum, count } of sums) {
    const rate = rates.get(currency)
    if (rate === undefined) continue
    total.sum = total.sum.plus(decimalOf(sum).times(decimalOf(rate)))
    total.count += count
  }
  return total
}

/** The sum of amounts of several currencies in the base currency: converted exactly and rounded once. Amounts without a rate are left out. */
export const baseSumOf = (rates: RatesOfDay, sums: readonly CurrencySum[]): ExactNumber =>
  exactOf(roundToCurrency(converted(rates, sums).sum, rates.baseCurrency))

/** Like `baseSumOf`, for the average; null without amounts that have a rate. */
export function baseAverageOf(rates: RatesOfDay, sums: readonly CurrencySum[]): ExactNumber | null {
  const { sum, count } = converted(rates, sums)
  return count === 0 ? null : exactOf(roundToCurrency(sum.div(count), rates.baseCurrency))
}
