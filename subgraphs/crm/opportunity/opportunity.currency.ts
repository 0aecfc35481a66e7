import { baseAmountOf, ratesOf } from '../../identity/public.ts'
import { readOnce } from '../../kernel/record/collected-writes.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Opportunity } from './opportunity.ts'

type Converted = Partial<Pick<Opportunity, 'currency' | 'baseAmount' | 'exchangeRate'>>

/**
 * The amount in the base currency, and the base currency as the default of a new opportunity. An open opportunity has the rate of the day
 * on which its amount was last set, a closed one that of its close date.
 */
export async function convertedAmount(
  ctx: RequestContext,
  given: Partial<Opportunity>,
  previous: Opportunity | null,
  isClosed: boolean,
): Promise<Converted> {
  const isConcerned =
    !previous ||
    given.amount !== undefined ||
    given.currency !== undefined ||
    isClosed !== previous.isClosed ||
    (isClosed && given.closeDate !== undefined)
  if (!isConcerned) return {}
  const known = given.currency ?? previous?.currency
  const closeDate = given.closeDate ?? previous?.closeDate
  const day = isClosed ? closeDate : undefined
  const rates = await readOnce(ctx, `rates ${known} ${day}`, () =>
    ratesOf(ctx, known === undefined ? [] : [known], day),
  )
  const currency = known ?? rates.baseCurrency
  const amount = given.amount ?? previous?.amount ?? 0
  const { baseAmount = null, exchangeRate = null } = baseAmountOf(rates, amount, currency) ?? {}
  return { currency, baseAmount, exchangeRate }
}
