import { baseCurrencyOf } from '../../../identity/public.ts'
import { Refusal } from '../../../kernel/errors.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { winRatesOf, type WinRates } from '../../win-rate/win-rates.ts'
import { todayIn, type HorizonDays } from '../horizon.ts'
import type { ScenarioFilters } from '../scenario.structures.ts'
import type { KnownStage } from './adjust.ts'
import { amountRatios, pastDeals, stageSlips, type PastDeals, type Slips } from './history.ts'
import { dealsMax, hidesClosing, hidesMoney, openDeals, wonMonths, type OpenDeal, type WonMonth } from './open-deals.ts'

/** Everything in the database that a simulation is computed from, for one caller. */
export interface Snapshot {
  readonly today: string
  readonly days: HorizonDays
  readonly currency: string
  /** In the order of their ids, also those without a rate. */
  readonly deals: readonly OpenDeal[]
  /** Null if the caller must not know when deals were closed. */
  readonly won: readonly WonMonth[] | null
  readonly rates: WinRates
  readonly stages: readonly (KnownStage & { readonly isDefault: boolean })[]
  readonly slips: Slips
  readonly ratios: Float64Array
  readonly past: PastDeals
  readonly hidesMoney: boolean
}

/** More deals match than a simulation may have. */
export const tooManyDeals = (): Refusal => {
  const message = `More than ${dealsMax} open deals match; narrow filters.`
  return new Refusal('VALIDATION_FAILED', message, { errors: [{ path: 'filters', code: 'TOO_MANY_DEALS', message }] })
}

/** The stages of all pipelines of the organization, in their order. */
export function knownStages({ db, caller }: RequestContext): Promise<Snapshot['stages'][number][]> {
  return db.query(
    `select p.id as "pipelineId", s.item ->> 'name' as name, s.item ->> 'kind' as kind, p.is_default as "isDefault"
     from crm.pipeline p, jsonb_array_elements(p.stages) with ordinality s(item, position)
     where p.organization_id = $1 and p.deleted_at is null order by p.created_at, p.id, s.position`,
    [caller.organizationId],
  )
}

export async function takeSnapshot(
  ctx: RequestContext,
  filters: ScenarioFilters | null,
  days: HorizonDays,
): Promise<Snapshot> {
  const today = todayIn(ctx, days.zone)
  const currency = await baseCurrencyOf(ctx)
  const deals = await openDeals(ctx, filters, currency, days, today)
  if (deals.length > dealsMax) throw tooManyDeals()
  const won = hidesClosing(ctx) ? null : await wonMonths(ctx, filters, currency, days)
  const rates = await winRatesOf(ctx)
  const [stages, slips] = [await knownStages(ctx), await stageSlips(ctx)]
  const [ratios, past] = [await amountRatios(ctx), await pastDeals(ctx, filters, currency)]
  return { today, days, currency, deals, won, rates, stages, slips, ratios, past, hidesMoney: hidesMoney(ctx) }
}
