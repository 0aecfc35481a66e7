import { noUserId } from '../../kernel/context.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { WinRates, type PriorStage } from '../win-rate/win-rates.ts'

/** A stage in which the caller's deals are. */
export interface DealStage {
  readonly pipelineId: string
  readonly stage: string
}

interface Outcome extends DealStage {
  readonly ownerId: string | null
  readonly won: number
  readonly closed: number
}

/** The stored win rates (F4) of some stages. */
export async function storedWinRates(
  { db, caller }: RequestContext,
  stages: readonly DealStage[],
  owners: readonly string[],
): Promise<WinRates> {
  const { organizationId } = caller
  const places = [
    organizationId,
    [...new Set(stages.map(({ pipelineId }) => pipelineId))],
    [...new Set(stages.map(({ stage }) => stage))],
  ]
  const [priors, outcomes, teams] = await Promise.all([
    db.query<PriorStage & Record<string, unknown>>(
      `select p.id as "pipelineId", s.value ->> 'name' as stage, (s.value ->> 'probability')::float8 / 100 as prior
       from crm.pipeline p, jsonb_array_elements(p.stages) s
       where p.organization_id = $1 and p.id = any($2::uuid[]) and s.value ->> 'name' = any($3::text[])`,
      places,
    ),
    db.query<Outcome & Record<string, unknown>>(
      `select pipeline_id as "pipelineId", stage, nullif(owner_id, '${noUserId}') as "ownerId", won, closed
       from insights.deal_outcome where organization_id = $1 and pipeline_id = any($2::uuid[]) and stage = any($3::text[])`,
      places,
    ),
    db.query<{ userId: string; members: string[] }>(
      `select own.user_id as "userId", array_agg(distinct other.user_id::text) as members
       from identity.team_member own join identity.team_member other using (organization_id, team_id)
       where own.organization_id = $1 and own.user_id = any($2::uuid[]) group by 1`,
      [organizationId, owners],
    ),
  ])
  return new WinRates(
    priors,
    outcomes,
    new Map(teams.map(({ userId, members }) => [userId, new Set(members)] as const)),
  )
}
