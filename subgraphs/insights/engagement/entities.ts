import type { RankShares } from './rank.ts'
import type { ScoredActivity } from './weights.ts'

/** What a request describes, as the scores read it. */
export interface EngagementEntity {
  readonly id: string
  readonly type: string
  readonly name?: string | null
  readonly properties?: { readonly openAmount?: number | null } | null
  readonly relationships?: readonly Relationship[] | null
  readonly activities?: readonly DatedActivity[] | null
}

export interface Relationship {
  readonly targetId: string
  readonly type: string
  readonly strength?: number | null
}

export interface DatedActivity extends ScoredActivity {
  /** ISO 8601. */
  readonly timestamp: string
}

/** What a request may set instead of the defaults. */
export interface EngagementSettings {
  readonly halfLifeDays?: number | null
  readonly weights?: readonly { readonly type: string; readonly weight: number }[] | null
  readonly edges?: readonly { readonly type: string; readonly weight: number }[] | null
  readonly rank?: RankShares | null
  readonly k?: number | null
  readonly windowDays?: number | null
}

/** Weight of a relationship of each type with a strength of 1. For INTERACTED the strength is the decayed number of contacts. */
export const defaultEdges: Readonly<Record<string, number>> = {
  EMPLOYED_AT: 1,
  DECISION_MAKER_ON: 1,
  CHAMPION_ON: 0.9,
  REPORTS_TO: 0.6,
  INTERACTED: 1,
  PARENT_OF: 0.5,
}
