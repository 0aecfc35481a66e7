import { v5 } from 'uuid'
import type { AccountFacts } from './account-facts.ts'
import type { RiskSignal } from './churn-risk.ts'
import type { Evidence, StoredAction } from './stored-parts.ts'
import type { TriageActionType, TriageSignalKey } from './triage.enumerations.ts'

export const actionNamespace = '0f9d3a6e-8f0b-4f0e-9a55-6a5f1f0c7d21'

/** The id of an action, and of the task that it creates: the same whenever it is suggested, so that it is executed once. */
export const actionId = (caseId: string, type: TriageActionType, reason: TriageSignalKey, subject: string): string =>
  v5(`${caseId} ${type} ${reason} ${subject}`, actionNamespace)

interface Suggestion {
  readonly reason: TriageSignalKey
  readonly type: TriageActionType
  readonly title: string
  readonly rationale: string
  /** From which value of the signal on it is suggested. */
  readonly from: number
  readonly task?: { readonly type: 'CALL' | 'FOLLOW_UP' | 'MEETING'; readonly priority: 'MEDIUM' | 'HIGH' }
}

const suggestions: readonly Suggestion[] = [
  {
    reason: 'SILENCE',
    type: 'CREATE_TASK',
    title: 'Call the customer',
    rationale: 'The customer has not been heard of for three weeks or longer.',
    from: 0.7,
    task: { type: 'CALL', priority: 'HIGH' },
  },
  {
    reason: 'CHAMPION_LEFT',
    type: 'CREATE_TASK',
    title: 'Find a new champion',
    rationale: 'The champion has left, and nobody has taken the place.',
    from: 1,
    task: { type: 'FOLLOW_UP', priority: 'HIGH' },
  },
  {
    reason: 'CASES_REOPENED',
    type: 'SCHEDULE_MEETING',
    title: 'Meet about the support cases',
    rationale: 'Cases were reopened, so their solutions did not last.',
    from: 0.2,
    task: { type: 'MEETING', priority: 'MEDIUM' },
  },
  {
    reason: 'INVOICES_OVERDUE',
    type: 'CREATE_TASK',
    title: 'Talk about the overdue invoices',
    rationale: 'Invoices are overdue for more than 30 days.',
    from: 0.01,
    task: { type: 'CALL', priority: 'MEDIUM' },
  },
  {
    reason: 'RENEWAL',
    type: 'SCHEDULE_MEETING',
    title: 'Meet about the renewal',
    rationale: 'A renewal is due within 90 days and no deal is open for it.',
    from: 1,
    task: { type: 'MEETING', priority: 'HIGH' },
  },
]

const suggested = { status: 'SUGGESTED', executedAt: null, resultId: null, error: null, failures: 0 } as const

/** What can be done about the signals of a case: one action for each of them, and one for each urgent case that nobody has escalated. */
export function suggestActions(
  caseId: string,
  { id: accountId, toEscalate }: Pick<AccountFacts, 'id' | 'toEscalate'>,
  signals: readonly RiskSignal[],
): StoredAction[] {
  const values = new Map(signals.map(({ key, value }) => [key, value]))
  const account: Evidence = { entityType: 'ACCOUNT', entityId: accountId }
  const ofAccount = suggestions
    .filter(({ reason, from }) => (values.get(reason) ?? 0) >= from)
    .map(({ reason, type, title, rationale, task }) => ({
      ...suggested,
      id: actionId(caseId, type, reason, accountId),
      type,
      reason,
      subject: account,
      title,
      rationale,
      payload: { subject: title, description: rationale, source: 'TRIAGE', ...task },
    }))
  const escalations = toEscalate.map((entityId) => ({
    ...suggested,
    id: actionId(caseId, 'ESCALATE_CASE', 'OPEN_CASES', entityId),
    type: 'ESCALATE_CASE' as const,
    reason: 'OPEN_CASES' as const,
    subject: { entityType: 'CASE' as const, entityId },
    title: 'Escalate the support case',
    rationale: 'An urgent case is open and not escalated.',
    payload: { status: 'ESCALATED' },
  }))
  return [...escalations, ...ofAccount]
}

/** What was decided on stays; a suggestion that no longer applies disappears. */
export function mergeActions(earlier: readonly StoredAction[], now: readonly StoredAction[]): StoredAction[] {
  const decided = earlier.filter(({ status }) => status !== 'SUGGESTED')
  const ids = new Set(decided.map(({ id }) => id))
  return [...decided, ...now.filter(({ id }) => !ids.has(id))]
}
