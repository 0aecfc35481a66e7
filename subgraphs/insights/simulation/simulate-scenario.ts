import { textOfNumber } from '../../kernel/json/exact-number.ts'
import { organizationZone, dateIn } from '../../kernel/time/days.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { adjustmentOf } from './adjustment.ts'
import { runDraws } from './bounds.ts'
import type { HorizonDays } from './horizon.ts'
import { takeSnapshot } from './model/snapshot.ts'
import type { Settings } from './model/simulation-input.ts'
import { resultOf } from './present.ts'
import type { SimulationResult } from './result.types.ts'
import { runSimulations, type Watch } from './run-simulation.ts'
import { requireReadable } from './scenario.rules.ts'
import type { Scenario } from './scenario.ts'

export const settingsOf = ({
  seed,
  iterations,
  target,
}: Pick<Scenario, 'seed' | 'iterations' | 'target'>): Settings => ({
  seed,
  iterations,
  target: target === null ? null : Number(textOfNumber(target)),
})

/** The days of a stored scenario, in the present time zone of the organization. */
export async function daysOf(
  ctx: RequestContext,
  { horizonStart, horizonEnd }: Pick<Scenario, 'horizonStart' | 'horizonEnd'>,
): Promise<HorizonDays> {
  const zone = await organizationZone(ctx)
  return { zone, first: dateIn(zone, new Date(horizonStart)), last: dateIn(zone, new Date(horizonEnd)) }
}

/** Computes a scenario and its baseline, with what the caller sees at this moment. */
export async function simulateScenario(
  ctx: RequestContext<'work'>,
  scenario: Scenario,
  watch: Watch,
): Promise<SimulationResult> {
  requireReadable(ctx, scenario)
  const snapshot = await takeSnapshot(ctx, scenario.filters, await daysOf(ctx, scenario))
  runDraws(snapshot.deals.length, scenario.iterations)
  const settings = settingsOf(scenario)
  const adjustments = scenario.adjustments.map(adjustmentOf)
  const [own, baseline] = await runSimulations(
    ctx,
    snapshot,
    [
      { settings, adjustments, withMedians: true },
      { settings, adjustments: [], withMedians: false },
    ],
    watch,
  )
  return resultOf(snapshot, own!, baseline!)
}
