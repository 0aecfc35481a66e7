import { v5 } from 'uuid'
import { checkedCall } from '../../extensions/public.ts'
import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { StoredAction } from './stored-parts.ts'
import { actionNamespace } from './suggest-actions.ts'
import type { TriageCase } from './triage-case.ts'

/** A run of a custom action that a plan contains. */
export interface WantedAction {
  /** Id or apiName. */
  readonly action: string
  readonly input?: unknown
}

const actionsMax = 20
const inputMax = 4_000

/** What is wrong with the action, by its place in the plan. */
function problemsOf({ code, message, extensions }: Refusal, path: string): FieldProblem[] {
  const errors = extensions['errors'] as readonly FieldProblem[] | undefined
  if (!errors)
    return [
      {
        path: `${path}.action`,
        code: code === 'NOT_FOUND' ? 'UNKNOWN_REFERENCE' : code,
        message: `${path}.action: ${message}`,
      },
    ]
  return errors.map((one) => {
    const place = one.path.replace(/^input/, path)
    return { path: place, code: one.code, message: one.message.replace(one.path, place) }
  })
}

async function planned(
  ctx: RequestContext,
  { id: caseId, accountId }: TriageCase,
  { action: key, input: wanted }: WantedAction,
  path: string,
): Promise<StoredAction> {
  // What follows from the account is read when the action runs, by whom it is run.
  const { action, given: input } = await checkedCall(ctx, { key, recordId: accountId, input: wanted }).catch(
    (thrown: unknown) => {
      if (!(thrown instanceof Refusal) || thrown.status >= 500) throw thrown
      throw invalid(...problemsOf(thrown, path))
    },
  )
  const text = JSON.stringify(input)
  if (text.length > inputMax) {
    const message = `${path}.input must have at most ${inputMax} characters as JSON.`
    throw invalid({ path: `${path}.input`, code: 'TOO_LONG', message })
  }
  return {
    id: v5(`${caseId} CUSTOM_ACTION ${action.id} ${text}`, actionNamespace),
    type: 'CUSTOM_ACTION',
    reason: null,
    subject: { entityType: 'ACCOUNT', entityId: accountId },
    title: action.label,
    rationale: action.description ?? 'A plan contains it.',
    payload: { action: action.id, input },
    status: 'PLANNED',
    executedAt: null,
    resultId: null,
    error: null,
    failures: 0,
  }
}

/** The actions of the case with these runs of custom actions, which are PLANNED; what was executed stays. */
export async function withCustomActions(
  ctx: RequestContext,
  previous: TriageCase,
  actions: readonly StoredAction[],
  wanted: readonly WantedAction[],
): Promise<readonly StoredAction[]> {
  const all = new Map(actions.map((action) => [action.id, action]))
  for (const [index, one] of wanted.entries()) {
    const action = await planned(ctx, previous, one, `customActions.${index}`)
    const earlier = all.get(action.id)
    if (earlier?.status !== 'EXECUTED') all.set(action.id, { ...action, failures: earlier?.failures ?? 0 })
  }
  const result = [...all.values()]
  if (result.filter(({ type }) => type === 'CUSTOM_ACTION').length <= actionsMax) return result
  const message = `customActions must not make more than ${actionsMax} custom actions of a case.`
  throw invalid({ path: 'customActions', code: 'TOO_MANY', message })
}
