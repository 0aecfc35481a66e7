import { batchOf } from '../../kernel/record/batch.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Evidence, StoredAction, StoredSignal } from './stored-parts.ts'
import { triageCase } from './triage-case.record.ts'
import type { TriageCase } from './triage-case.ts'
import type { TriageSignalKey } from './triage.enumerations.ts'
import type { TriageSignal } from './triage.types.ts'

const labels: Readonly<Record<TriageSignalKey, string>> = {
  BASE_RATE: 'The risk of any account',
  ENGAGEMENT_VELOCITY: 'How engagement has changed',
  SILENCE: 'How long the customer has been silent',
  CHAMPION_LEFT: 'The champion has left',
  OPEN_CASES: 'Urgent cases are open',
  CASES_REOPENED: 'Cases were reopened',
  INVOICES_OVERDUE: 'Invoices are long overdue',
  PRODUCT_USAGE: 'How product usage has changed',
  RENEWAL: 'A renewal is near and no deal is open for it',
  HEALTH_DROP: 'The health has fallen',
  PAYMENTS: 'How the account pays',
}

const noFields: ReadonlySet<string> = new Set()

/** Whether the profile hides a fact from which the figures follow, so that the caller gets neither figures nor reasons. */
export const areFiguresHidden = ({ caller }: RequestContext): boolean => isHidden(caller, triageCase, 'riskScore')

/**
 * Whether the caller sees a record; all records of an operation are looked up together. A stored answer with such records is not replayed to a caller
 * who sees less.
 */
const isVisible = (ctx: RequestContext, { entityType, entityId }: Evidence): Promise<boolean> => {
  const definition = recordType(entityType.toLowerCase())()
  ctx.answered?.aggregate(definition)
  return batchOf(ctx, noFields, `triage.${entityType}`, async (ids) => {
    const seen = await visibleIds(ctx, definition, [...new Set(ids)])
    return ids.map((id) => seen.has(id))
  }).load(entityId)
}

const visibleOf = async (ctx: RequestContext, evidence: readonly Evidence[]): Promise<Evidence[]> => {
  const seen = await Promise.all(evidence.map((one) => isVisible(ctx, one)))
  return evidence.filter((_, index) => seen[index])
}

type Stored = Pick<TriageCase, 'storedSignals' | 'storedActions'>

/** The signals with the evidence that the caller sees; null if the profile hides the figures. */
export async function signalsFor(ctx: RequestContext, { storedSignals }: Stored): Promise<TriageSignal[] | null> {
  if (areFiguresHidden(ctx)) return null
  const withEvidence = async ({ evidence, ...signal }: StoredSignal): Promise<TriageSignal> => ({
    ...signal,
    label: signal.label ?? labels[signal.key],
    evidence: await visibleOf(ctx, evidence),
  })
  return Promise.all(storedSignals.map(withEvidence))
}

/** The actions about records that the caller sees; null if the profile hides the figures, because an action tells the reason. */
export async function actionsFor(ctx: RequestContext, { storedActions }: Stored): Promise<StoredAction[] | null> {
  if (areFiguresHidden(ctx)) return null
  const seen = await Promise.all(storedActions.map(({ subject }) => isVisible(ctx, subject)))
  return storedActions.filter((_, index) => seen[index])
}
