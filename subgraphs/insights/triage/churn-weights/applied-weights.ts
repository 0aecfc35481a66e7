import type { Sql } from '../../../kernel/database/sql.ts'
import { modelVersions } from '../../model-version.ts'
import { riskWeights, type RiskWeights } from '../churn-risk.ts'
import type { TriageWeightsSource } from '../triage.enumerations.ts'

export interface AppliedWeights {
  readonly weights: RiskWeights
  readonly weightsSource: TriageWeightsSource
  readonly modelVersion: string
}

export const isEqual = (a: RiskWeights, b: RiskWeights): boolean =>
  Object.keys(riskWeights).every((name) => a[name as keyof RiskWeights] === b[name as keyof RiskWeights])

const versionOf = (weights: RiskWeights, learnedAt: string | null): string =>
  modelVersions(
    'churn',
    Object.keys(riskWeights).map((name) => weights[name as keyof RiskWeights]),
  )(learnedAt)

/** The version of the weights of every organization at its start. */
export const startVersion = versionOf(riskWeights, null)

/** The weights that the organization has set, or else those that were fitted to its accounts this month, or else those of the start. */
export async function appliedWeights(db: Sql, organizationId: string, stored: RiskWeights): Promise<AppliedWeights> {
  if (!isEqual(stored, riskWeights))
    return { weights: stored, weightsSource: 'ORGANIZATION', modelVersion: versionOf(stored, null) }
  const [row] = await db.query<{ month: string; weights: RiskWeights | null }>(
    `select month::text as month, weights from insights.churn_weights where organization_id = $1 order by month desc limit 1`,
    [organizationId],
  )
  if (!row?.weights) return { weights: riskWeights, weightsSource: 'START', modelVersion: startVersion }
  const weights = { ...riskWeights, ...row.weights }
  return { weights, weightsSource: 'FITTED', modelVersion: versionOf(weights, row.month) }
}
