import { refusalInState } from '../../kernel/record/transitions.ts'
import { scenarioStates } from './scenario-run.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { horizonDays, storedHorizon } from './horizon.ts'
import { scenario } from './scenario.record.ts'
import type { Scenario } from './scenario.ts'

/** Creates a scenario. Its horizon is stored as days, so that a run on another day answers the same question. */
export async function createScenario(ctx: RequestContext, values: Partial<Scenario>): Promise<Scenario> {
  requireWritableRole(ctx)
  return recordsOf(scenario).create(ctx, values, storedHorizon(await horizonDays(ctx, values)))
}

/** Deletes a scenario that is not running. */
export async function deleteScenario(ctx: RequestContext, id: string, expectedVersion: number | null): Promise<string> {
  const deleted = await change(
    ctx,
    scenario,
    id,
    async (previous, inner) => {
      if (previous.status === 'RUNNING')
        throw await refusalInState(inner, scenarioStates, previous, 'The scenario is running. Cancel the run first.')
      return { operation: 'DELETE' as const, values: {} }
    },
    { expectedVersion },
  )
  return deleted.id
}
