import type { TriageActionStatus, TriageActionType, TriageEntityType, TriageSignalKey } from './triage.enumerations.ts'

export interface Evidence {
  readonly entityType: TriageEntityType
  readonly entityId: string
}

/** A signal as a case stores it; readers get the evidence that they see. */
export interface StoredSignal {
  readonly key: TriageSignalKey
  /** Absent: the words of its key. */
  readonly label?: string
  readonly value: number
  readonly weight: number
  readonly contribution: number
  readonly evidence: readonly Evidence[]
  readonly detectedAt: string
}

/** An action as a case stores it; readers get those about records that they see. */
export interface StoredAction {
  readonly id: string
  readonly type: TriageActionType
  /** The signal for which it is suggested; null if a plan has added it. */
  readonly reason: TriageSignalKey | null
  readonly subject: Evidence
  readonly title: string
  readonly rationale: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: TriageActionStatus
  readonly executedAt: string | null
  readonly resultId: string | null
  readonly error: string | null
  /** How often it was refused: another attempt is another request. */
  readonly failures: number
}
