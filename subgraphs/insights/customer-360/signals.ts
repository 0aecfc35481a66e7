import { dayMs } from '../../kernel/time/wall-calendar.ts'
import type { Customer360Polarity, Customer360SignalKey } from './enumerations.ts'

/** How far back buying signals, and people who joined or left, are told. */
export const recentDays = 30
/** A renewal is near when its deal should close within so many days. */
const renewalDays = 90
/** A silence counts from so many of the usual gaps between two activities. */
const silentGaps = 3
/** At this many records the strength is 1. */
const fullStrengthRecords = 4
const evidenceMax = 5

export interface Evidence {
  readonly object: 'ACTIVITY' | 'CASE' | 'CONTACT' | 'INVOICE' | 'OPPORTUNITY'
  readonly id: string
}

export interface Signal {
  readonly key: Customer360SignalKey
  readonly polarity: Customer360Polarity
  readonly strength: number
  readonly detectedAt: string
  readonly evidence: readonly Evidence[]
}

interface Dated {
  readonly id: string
  readonly at: string
}

const twoDecimals = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100

const evidenceOf = (object: Evidence['object'], records: readonly { readonly id: string }[]): Evidence[] =>
  records.slice(0, evidenceMax).map(({ id }) => ({ object, id }))

/** A signal of records: the more there are, the stronger; detected when the newest of them gave it. */
function ofRecords(
  key: Customer360SignalKey,
  polarity: Customer360Polarity,
  object: Evidence['object'],
  records: readonly Dated[],
  total = records.length,
): Signal[] {
  if (records.length === 0) return []
  const detectedAt = records.map(({ at }) => at).reduce((latest, at) => (at > latest ? at : latest))
  return [
    {
      key,
      polarity,
      strength: twoDecimals(total / fullStrengthRecords),
      detectedAt,
      evidence: evidenceOf(object, records),
    },
  ]
}

export interface Engagement {
  readonly score: number
  readonly momentum: {
    readonly velocity: number
    readonly trend: string
    readonly significant: boolean
    readonly silenceDays: number | null
    readonly usualGapDays: number | null
  }
}

/** A change counts if it is larger than chance explains. */
export function engagementSignals(engagement: Engagement | null, latest: readonly Dated[], now: Date): Signal[] {
  if (!engagement) return []
  const { velocity, significant, silenceDays, usualGapDays } = engagement.momentum
  const detectedAt = latest[0]?.at ?? now.toISOString()
  const common = { detectedAt, evidence: evidenceOf('ACTIVITY', latest) }
  const signals: Signal[] = []
  if (significant && velocity > 0.1)
    signals.push({ key: 'ENGAGEMENT_UP', polarity: 'POSITIVE', strength: twoDecimals(velocity / 3), ...common })
  if (significant && velocity < -0.1)
    signals.push({ key: 'ENGAGEMENT_DOWN', polarity: 'NEGATIVE', strength: twoDecimals(-velocity), ...common })
  if (silenceDays !== null && usualGapDays !== null && silenceDays > silentGaps * usualGapDays) {
    const gaps = silenceDays / Math.max(usualGapDays, 1)
    signals.push({ key: 'SILENCE', polarity: 'NEGATIVE', strength: twoDecimals(gaps / (4 * silentGaps)), ...common })
  }
  return signals
}

export interface Deal {
  readonly id: string
  readonly stage: string | null
  readonly type: string | null
  readonly closeDate: string | null
  readonly stageEnteredAt: string | null
  readonly pipeline: { readonly stages: readonly { name: string; rottenAfterDays: number | null }[] } | null
}

export function dealSignals(deals: readonly Deal[], now: Date): Signal[] {
  const nowMs = now.getTime()
  const renewals = deals.filter(
    ({ type, closeDate }) => type === 'RENEWAL' && closeDate && Date.parse(closeDate) <= nowMs + renewalDays * dayMs,
  )
  const stalled = deals.flatMap(({ id, stage, stageEnteredAt, pipeline }): Dated[] => {
    const days = pipeline?.stages.find(({ name }) => name === stage)?.rottenAfterDays
    if (!stageEnteredAt || days === null || days === undefined) return []
    const dueMs = Date.parse(stageEnteredAt) + days * dayMs
    return dueMs < nowMs ? [{ id, at: new Date(dueMs).toISOString() }] : []
  })
  const nearSince = ({ id, closeDate }: Deal): Dated => ({
    id,
    at: new Date(Math.min(nowMs, Date.parse(closeDate!) - renewalDays * dayMs)).toISOString(),
  })
  return [
    ...ofRecords('RENEWAL_NEAR', 'NEGATIVE', 'OPPORTUNITY', renewals.map(nearSince)),
    ...ofRecords('DEAL_STALLED', 'NEGATIVE', 'OPPORTUNITY', stalled),
  ]
}

/** A page of records that give a signal, with the number of all of them. */
export interface Found {
  readonly total: number
  readonly data: readonly Readonly<Record<string, string | null>>[]
}

const datedBy = ({ data }: Found, ...names: readonly string[]): Dated[] =>
  data.flatMap((row) => {
    const at = names.map((name) => row[name]).find((value) => value)
    return at ? [{ id: row['id']!, at }] : []
  })

export const caseSignals = (escalated: Found): Signal[] =>
  ofRecords('CASES_ESCALATED', 'NEGATIVE', 'CASE', datedBy(escalated, 'escalatedAt', 'updatedAt'), escalated.total)

export const invoiceSignals = (overdue: Found): Signal[] =>
  ofRecords(
    'INVOICES_OVERDUE',
    'NEGATIVE',
    'INVOICE',
    datedBy(overdue, 'overdueAt', 'dueDate', 'updatedAt'),
    overdue.total,
  )

export const contactSignals = (left: Found, joined: Found): Signal[] => [
  ...ofRecords('CHAMPION_LEFT', 'NEGATIVE', 'CONTACT', datedBy(left, 'updatedAt'), left.total),
  ...ofRecords('DECISION_MAKER_JOINED', 'BUYING', 'CONTACT', datedBy(joined, 'createdAt'), joined.total),
]

export const buyingSignals = (forms: Found, documents: Found): Signal[] => [
  ...ofRecords('FORM_SUBMITTED', 'BUYING', 'ACTIVITY', datedBy(forms, 'occurredAt'), forms.total),
  ...ofRecords('DOCUMENT_VIEWED', 'BUYING', 'ACTIVITY', datedBy(documents, 'occurredAt'), documents.total),
]
