import type { ExchangeRate } from '../identity/currency/exchange-rate.ts'
import type { RatesOfDay } from '../identity/public.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, iso } from './calendar.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

const monthsOfRates = 16

const currencyOfCountry: Readonly<Record<string, string>> = {
  Sweden: 'SEK',
  'United Kingdom': 'GBP',
  'United States': 'USD',
  Canada: 'CAD',
  Australia: 'AUD',
}

/** The exchange rates of the organization: one for the first day of each month and currency. */
export function demoRates({ profile, organizationId, midnightMs }: GeneratorInput): GeneratedRecord<ExchangeRate>[] {
  const random = new Random(`rates ${profile.code}`)
  return Object.entries(profile.exchangeRates).flatMap(([currency, first]) => {
    let rate = first
    return Array.from({ length: monthsOfRates }, (_, index) => {
      const atMs = firstOfMonth(midnightMs, index - monthsOfRates + 1)
      rate *= 0.985 + 0.03 * random.next()
      return {
        values: {
          id: random.id(atMs),
          organizationId,
          baseCurrency: profile.currency,
          currency,
          date: iso(atMs).slice(0, 10),
          rate: Number(rate.toPrecision(5)),
          createdAt: iso(atMs),
          updatedAt: iso(atMs),
        },
        actorId: null,
        eventId: random.id(atMs),
      }
    })
  })
}

/** The rate of the day in the organization's currency: 1 for that currency itself. */
export function rateAt(
  { profile }: GeneratorInput,
  rates: readonly GeneratedRecord<ExchangeRate>[],
  currency: string,
  atMs: number,
): number {
  if (currency === profile.currency) return 1
  const day = iso(atMs).slice(0, 10)
  const found = rates.findLast(({ values }) => values.currency === currency && values.date! <= day)
  return Number(found!.values.rate)
}

/** The same as the functions for conversion need it. */
export const ratesAt = (
  input: GeneratorInput,
  rates: readonly GeneratedRecord<ExchangeRate>[],
  currency: string,
  atMs: number,
): RatesOfDay => ({
  baseCurrency: input.profile.currency,
  rates: new Map([[currency, rateAt(input, rates, currency, atMs)]]),
})

/** The currency in which customers of the country sometimes pay: the organization's currency if there are no rates for theirs. */
export function foreignCurrency({ profile }: GeneratorInput, country: string): string {
  const currency = currencyOfCountry[country] ?? 'EUR'
  return currency in profile.exchangeRates ? currency : profile.currency
}

function firstOfMonth(midnightMs: number, months: number): number {
  const today = new Date(midnightMs)
  return Math.floor(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1) / dayMs) * dayMs
}
