import { Field, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { currencyDecimals, currencyName } from '../../kernel/values/currency.ts'
import { baseCurrencyOf, rateDayOf } from './convert.ts'

@ObjectType({ description: 'A currency of the organization: the base currency, or a currency with exchange rates.' })
@RequiresScopes('SESSION')
export class OrganizationCurrency {
  @Field(() => String, { description: 'ISO 4217 code.' })
  code!: string

  @Field(() => String, { description: 'English name of the currency.' })
  name!: string

  @Field(() => Int, { description: 'Number of decimals of amounts by ISO 4217, 0 to 4.' })
  decimals!: number

  @Field(() => Boolean, { description: 'True for the base currency.' })
  isBase!: boolean

  @Field(() => Decimal, {
    nullable: true,
    description:
      'Value of one unit in the base currency today; 1 for the base currency, null if the first rate is in the future.',
  })
  rate!: ExactNumber | null

  @Field(() => String, {
    nullable: true,
    description: 'First day of the rate that applies today, `YYYY-MM-DD`; null if there is none.',
  })
  rateDate!: string | null
}

@ObjectType({ description: 'The base currency of the organization and the currencies with exchange rates to it.' })
@RequiresScopes('SESSION')
export class CurrencySettings {
  @Field(() => String, {
    description:
      'Currency into which sums over several currencies are converted, as ISO 4217 code; USD until it is set. Rates are kept by base currency.',
  })
  baseCurrency!: string

  @Field(() => [OrganizationCurrency], {
    description: 'The base currency first, then the currencies with a rate, ordered by code.',
  })
  currencies!: OrganizationCurrency[]
}

export async function currencySettings(ctx: RequestContext): Promise<CurrencySettings> {
  const baseCurrency = await baseCurrencyOf(ctx)
  const rated = await ctx.db.query<{ code: string; rate: ExactNumber | null; rateDate: string | null }>(
    `select c.currency as code, r.rate, r.date as "rateDate"
     from (select distinct currency from identity.exchange_rate where organization_id = $1 and base_currency = $2) c
     left join lateral (
       select rate, date from identity.exchange_rate
       where organization_id = $1 and base_currency = $2 and currency = c.currency and date <= $3 order by date desc limit 1
     ) r on true order by code`,
    [ctx.caller.organizationId, baseCurrency, await rateDayOf(ctx, ctx.clock.now())],
  )
  const described = [{ code: baseCurrency, rate: 1, rateDate: null }, ...rated].map((currency) => ({
    ...currency,
    name: currencyName(currency.code),
    decimals: currencyDecimals(currency.code),
    isBase: currency.code === baseCurrency,
  }))
  return { baseCurrency, currencies: described }
}
