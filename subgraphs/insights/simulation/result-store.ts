import { visibleOpportunities } from '../../crm/public.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { opportunityShape } from './model/open-deals.ts'
import type { ScenarioWarning, SimulationResult } from './result.types.ts'
import { mayRead, sightOf, type Sight } from './sight.ts'

/** Stores the result of a scenario in place of the one before, with what was seen for it. */
export async function storeResult(
  { db, caller }: RequestContext,
  scenarioId: string,
  sight: Sight,
  result: SimulationResult,
): Promise<void> {
  await db.query(
    `insert into insights.scenario_result (organization_id, scenario_id, sight, result) values ($1, $2, $3, $4)
     on conflict (organization_id, scenario_id) do update set sight = excluded.sight, result = excluded.result`,
    [caller.organizationId, scenarioId, JSON.stringify(sight), JSON.stringify(result)],
  )
}

export interface ShownResult {
  readonly result: SimulationResult | null
  readonly warnings: readonly ScenarioWarning[]
}

const none: ShownResult = { result: null, warnings: [] }

const hidden: ShownResult = {
  result: null,
  warnings: [
    {
      code: 'RESULT_HIDDEN',
      message:
        'The result was computed by a user who sees more deals or fields than you. Run the scenario, or an own one.',
    },
  ],
}

const selection: ReadonlySet<string> = new Set()

/** The result as the caller may see it, read once for all fields of an answer. */
export const shownResult = (ctx: RequestContext, scenarioId: string): Promise<ShownResult> =>
  batchOf(ctx, selection, 'scenarioResult', (ids) => shownResults(ctx, [...new Set(ids)], ids)).load(scenarioId)

async function shownResults(
  ctx: RequestContext,
  wanted: readonly string[],
  ids: readonly string[],
): Promise<ShownResult[]> {
  const rows = await ctx.db.query<{ id: string; sight: Sight; result: SimulationResult }>(
    'select scenario_id as id, sight, result from insights.scenario_result where organization_id = $1 and scenario_id = any($2::uuid[])',
    [ctx.caller.organizationId, wanted],
  )
  const shown = new Map<string, ShownResult>()
  for (const { id, sight, result } of rows) shown.set(id, await shownOf(ctx, sight, result))
  return ids.map((id) => shown.get(id) ?? none)
}

async function shownOf(ctx: RequestContext, sight: Sight, result: SimulationResult): Promise<ShownResult> {
  // A stored answer with figures is not replayed to a caller who sees less.
  ctx.answered?.aggregate(opportunityShape())
  if (!mayRead(sightOf(ctx), sight)) return hidden
  if (ctx.caller.ownerIds === null) return { result, warnings: [] }
  // Deals may have got another owner since.
  const ids = result.dealContributions.map(({ opportunityId }) => opportunityId)
  const visible = await visibleOpportunities(ctx, ids)
  const dealContributions = result.dealContributions.filter(({ opportunityId }) => visible.has(opportunityId))
  return { result: { ...result, dealContributions }, warnings: [] }
}
