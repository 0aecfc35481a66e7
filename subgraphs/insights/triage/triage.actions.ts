import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { requireAllowedTransition } from '../../kernel/record/transitions.ts'
import { changeStatus } from '../../kernel/record/change-status.ts'
import { change } from '../../kernel/record/records-of.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { withCustomActions, type WantedAction } from './custom-actions.ts'
import type { StoredAction } from './stored-parts.ts'
import { triageCase } from './triage-case.record.ts'
import { triageStates } from './triage-case.states.ts'
import type { TriageCase } from './triage-case.ts'
import { actionsFor } from './visible-parts.ts'

type Version = number | null

export interface SavedPlan {
  readonly plan?: string | null
  readonly actionIds?: readonly string[] | null
  readonly customActions?: readonly WantedAction[] | null
}

/** Saves the plan; with `actionIds`, these actions are PLANNED and the other visible ones SKIPPED. What was executed stays. */
export async function savePlan(
  ctx: RequestContext,
  id: string,
  { plan, actionIds, customActions }: SavedPlan,
  expectedVersion: Version,
): Promise<TriageCase> {
  return change(
    ctx,
    triageCase,
    id,
    async (previous, inner) => {
      const to = previous.status === 'IN_PROGRESS' ? 'IN_PROGRESS' : 'PLAN_SAVED'
      await requireAllowedTransition(inner, triageStates, previous, to, 'triageSavePlan')
      const actions = actionIds ? await planned(inner, previous, actionIds) : previous.storedActions
      const storedActions = await withCustomActions(inner, previous, actions, customActions ?? [])
      return {
        operation: 'UPDATE',
        values: {},
        implied: { status: to, storedActions, ...(plan !== undefined && { plan }) },
      }
    },
    { expectedVersion },
  )
}

async function planned(
  ctx: RequestContext,
  previous: TriageCase,
  actionIds: readonly string[],
): Promise<readonly StoredAction[]> {
  const visible = new Set((await actionsFor(ctx, previous))?.map(({ id }) => id))
  const wanted = new Set(actionIds.map((id) => id.toLowerCase()))
  const problems = actionIds.flatMap((id, index): FieldProblem[] => {
    const path = `actionIds.${index}`
    if (visible.has(id.toLowerCase())) return []
    return [{ path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the id of an action of the case.` }]
  })
  if (problems.length > 0) throw invalid(...problems)
  return previous.storedActions.map((action) => {
    if (action.status === 'EXECUTED' || !visible.has(action.id)) return action
    if (wanted.has(action.id)) return { ...action, status: 'PLANNED', executedAt: null, error: null }
    return action.status === 'FAILED' ? action : { ...action, status: 'SKIPPED' }
  })
}

export interface Ignored {
  readonly until?: string | null
  readonly reason?: string | null
}

export const ignoreCase = (
  ctx: RequestContext,
  id: string,
  { until = null, reason = null }: Ignored,
  expectedVersion: Version,
): Promise<TriageCase> =>
  changeStatus(ctx, triageCase, id, 'IGNORED', expectedVersion, (_previous, now) => {
    if (until !== null && until <= now)
      throw invalid({ path: 'until', code: 'OUT_OF_RANGE', message: 'until must be in the future.' })
    return { implied: { ignoredUntil: until, ignoreReason: reason, ignoredAt: now } }
  })

export const resolveCase = (
  ctx: RequestContext,
  id: string,
  resolution: string | null,
  expectedVersion: Version,
): Promise<TriageCase> =>
  changeStatus(ctx, triageCase, id, 'RESOLVED', expectedVersion, (_previous, resolvedAt) => ({
    implied: { resolution, resolvedAt },
    events: ['triage.resolved'],
    isEventReplaced: true,
  }))
