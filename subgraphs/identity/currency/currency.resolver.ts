import { Arg, Args, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg, InputArg } from '../../kernel/record/args.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { filterOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { readPage } from '../../kernel/record/list.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { baseCurrencyOf } from './convert.ts'
import { deleteRate, requireRate, setBaseCurrency, setRate } from './currency.actions.ts'
import { exchangeRateTable } from './currency.migrations.ts'
import { currencySettings, CurrencySettings } from './currency.ts'
import { ExchangeRate } from './exchange-rate.ts'
import { exchangeRate } from './exchange-rate.record.ts'

const ExchangeRateFilter = filterOf('ExchangeRateFilter', ExchangeRate)
const ExchangeRateOrder = orderOf('ExchangeRateOrder', ExchangeRate)
const ExchangeRatePage = pageRequiring('ExchangeRatePage', ExchangeRate, 'SESSION')
const ExchangeRatePageArgs = pageArgs(ExchangeRateFilter, ExchangeRateOrder)
type ExchangeRatePageArgs = InstanceType<typeof ExchangeRatePageArgs>

@InputType({ description: 'An exchange rate to add, or to replace.' })
export class ExchangeRateInput {
  @Field(() => String, { description: 'ISO 4217 code of the currency, not the base currency.' })
  currency!: string

  @Field(() => String, {
    description: 'First day on which the rate applies, `YYYY-MM-DD`, from 1970-01-01 to 2199-12-31.',
  })
  date!: string

  @Field(() => Decimal, {
    description: 'Value of one unit of the currency in the base currency: 1e-12 to 1e12, at most 12 decimals.',
  })
  rate!: ExactNumber
}

@Resolver()
export class CurrencyResolver {
  @Query(() => CurrencySettings, {
    description: 'The base currency and the currencies with exchange rates. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  currencySettings(@Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return currencySettings(ctx)
  }

  @Query(() => ExchangeRate, { nullable: true, description: 'One exchange rate by id. For owners and admins.' })
  @RequiresScopes('SESSION')
  exchangeRate(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return requireRate(ctx, id)
  }

  @Query(() => ExchangeRatePage, {
    description: 'The exchange rates to the present base currency. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  async exchangeRateList(
    @Args(() => ExchangeRatePageArgs) args: ExchangeRatePageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    const ofBase = { baseCurrency: { eq: await baseCurrencyOf(ctx) } }
    const filter = args.filter ? { and: [args.filter, ofBase] } : ofBase
    return readPage(
      ctx,
      exchangeRate,
      { ...args, filter },
      {
        page: selectedFields(info),
        record: selectedFields(info, ['data']),
        total: isAnySelected(info, 'total', 'totalPages'),
      },
    )
  }

  @Mutation(() => CurrencySettings, {
    description:
      'Sets the base currency. Rates are kept by base currency: those to the former one do not apply until it is set again. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  async baseCurrencySet(
    @Arg('baseCurrency', () => String, { description: 'ISO 4217 code of the base currency.' }) baseCurrency: string,
    @Ctx() ctx: RequestContext,
  ) {
    await setBaseCurrency(ctx, baseCurrency)
    return currencySettings(ctx)
  }

  @Mutation(() => ExchangeRate, {
    description:
      'Adds the rate of a currency from a day on, or replaces the rate of that day. Figures use it from the next request on. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  exchangeRateSet(@InputArg(() => ExchangeRateInput) input: ExchangeRateInput, @Ctx() ctx: RequestContext) {
    return setRate(ctx, input)
  }

  @Mutation(() => ID, {
    description: 'Deletes an exchange rate; the rate before it applies instead. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  exchangeRateDelete(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return deleteRate(ctx, id)
  }
}

export const currencyResource: Resource = {
  resolver: CurrencyResolver,
  announces: [exchangeRate],
  migrations: [exchangeRateTable],
}
