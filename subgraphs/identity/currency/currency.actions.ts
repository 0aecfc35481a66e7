import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { save } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { currencyProblems } from '../../kernel/values/currency.ts'
import { administering } from '../admin/administer.ts'
import { changeOrganization } from '../organization/organization.actions.ts'
import { defaultBaseCurrency, organizationSettings } from '../organization/organization-settings.ts'
import { refuseAny } from '../text.ts'
import { baseRateProblems, rateDayProblems } from './currency.rules.ts'
import { findRate, type ExchangeRate } from './exchange-rate.ts'
import { exchangeRate } from './exchange-rate.record.ts'

/** Rates are kept by base currency: those of the former one do not apply, until it is the base currency again. */
export function setBaseCurrency(ctx: RequestContext, baseCurrency: string): Promise<void> {
  refuseAny(currencyProblems('baseCurrency', baseCurrency))
  return administering(ctx, async (inner) => {
    await changeOrganization(inner, { settings: { ...(await organizationSettings(inner)), baseCurrency } })
  })
}

/** Adds the rate of a currency from a day on, or replaces the rate of that day. */
export function setRate(
  ctx: RequestContext,
  { currency, date, rate }: Pick<ExchangeRate, 'currency' | 'date' | 'rate'>,
): Promise<ExchangeRate> {
  refuseAny([...currencyProblems('currency', currency), ...rateDayProblems('date', date)])
  return administering(ctx, async (inner) => {
    const { baseCurrency = defaultBaseCurrency } = await organizationSettings(inner)
    refuseAny(baseRateProblems(currency, baseCurrency))
    const key = { baseCurrency, currency, date }
    const previous = await findRate(inner, key)
    const operation = previous ? 'UPDATE' : 'CREATE'
    return save(inner, exchangeRate, { operation, previous, values: { ...key, rate } })
  })
}

export async function requireRate(ctx: RequestContext, id: string): Promise<ExchangeRate> {
  const found = isId(id) ? await findRate(ctx, { id }) : null
  if (!found) throw notFound('The exchange rate')
  return found
}

export function deleteRate(ctx: RequestContext, id: string): Promise<string> {
  return administering(ctx, async (inner) => {
    const previous = await requireRate(inner, id)
    await save(inner, exchangeRate, { operation: 'DELETE', previous, values: {} })
    return previous.id
  })
}
