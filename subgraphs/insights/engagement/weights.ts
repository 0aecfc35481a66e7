/** An activity as the scores read it. */
export interface ScoredActivity {
  readonly type: string
  readonly direction?: string | null
  readonly outcome?: string | null
  readonly sentiment?: string | null
  readonly isAutomated?: boolean | null
}

/** Points of an activity of each type; the key of the largest table of the answer of `config`. */
export const defaultWeights: Readonly<Record<string, number>> = {
  MEETING: 10,
  FORM_SUBMISSION: 8,
  EMAIL: 6,
  CALL: 6,
  SMS: 6,
  CHAT: 6,
  EVENT_ATTENDANCE: 6,
  CLICK: 3,
  DOCUMENT_VIEW: 3,
  WEB_VISIT: 1.5,
  OPEN: 1,
  NOTE: 0,
  PRODUCT_USAGE: 0,
  STAGE_CHANGE: 0,
  SYSTEM: 0,
}

/** The share of its weight that an activity keeps; one without a mood keeps all of it. */
export const qualities: Readonly<Record<string, number>> = { POSITIVE: 1, NEUTRAL: 0.7, NEGATIVE: 0.1 }

const written = new Set(['EMAIL', 'SMS', 'CHAT'])

/** Whether the customer took part. What the organization sent, and what software did, is no engagement. */
export function isEngagement({ type, direction, outcome, isAutomated }: ScoredActivity): boolean {
  if (isAutomated) return false
  if (written.has(type)) return direction === 'INBOUND' || outcome === 'REPLIED'
  if (type === 'CALL') return outcome === 'CONNECTED' || outcome === 'COMPLETED'
  if (type === 'MEETING') return outcome !== 'NO_SHOW'
  return true
}

/** w·q of the formulas F1 and F2: the points of an activity before they decay. */
export function pointsOf(activity: ScoredActivity, weights: Readonly<Record<string, number>> = defaultWeights): number {
  if (!isEngagement(activity)) return 0
  const { type, sentiment } = activity
  return (weights[type] ?? 0) * (sentiment ? (qualities[sentiment] ?? 1) : 1)
}
