import type { Sql } from '../../kernel/database/sql.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { shrunkRate, type ShrunkRate } from './shrunk-rate.ts'

/** Deals that were closed in so many months count. */
export const historyMonths = 18
/** From so many closed deals on, the rate is that of the owner or of the teams; below, that of the next level. */
const ownFrom = 20

export type WinRateLevel = 'OWNER' | 'TEAM' | 'ORGANIZATION'

export interface WinRate extends ShrunkRate {
  /** Closed deals that the rate is based on. */
  readonly sampleSize: number
  readonly level: WinRateLevel
}

interface Counted {
  won: number
  closed: number
}

export interface CountRow extends Counted {
  readonly pipelineId: string
  readonly stage: string
  readonly ownerId: string | null
}

/** A stage with the share of its deals that is expected to be won. */
export interface PriorStage {
  readonly pipelineId: string
  readonly stage: string
  readonly prior: number
}

const stageKeyOf = (pipelineId: string, stage: string): string => `${pipelineId}/${stage}`

/** Rates from numbers of closed deals by stage and owner. */
export class WinRates {
  readonly #priors: ReadonlyMap<string, number>
  readonly #byStage = new Map<string, Map<string | null, Counted>>()
  /** The members of the teams of each user, the user included. */
  readonly #teams: ReadonlyMap<string, ReadonlySet<string>>
  readonly #known = new Map<string, WinRate>()

  constructor(
    stages: readonly PriorStage[],
    counts: readonly CountRow[],
    teams: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.#priors = new Map(stages.map(({ pipelineId, stage, prior }) => [stageKeyOf(pipelineId, stage), prior]))
    this.#teams = teams
    for (const { pipelineId, stage, ownerId, won, closed } of counts) {
      const key = stageKeyOf(pipelineId, stage)
      let owners = this.#byStage.get(key)
      if (!owners) this.#byStage.set(key, (owners = new Map()))
      owners.set(ownerId, { won, closed })
    }
  }

  /** The rate of deals of this owner that were once in the stage; without an owner, that of the organization. */
  of(pipelineId: string, stage: string, ownerId: string | null): WinRate {
    const key = stageKeyOf(pipelineId, stage)
    const own = `${key}/${ownerId}`
    let rate = this.#known.get(own)
    if (!rate) this.#known.set(own, (rate = this.#rate(key, ownerId)))
    return rate
  }

  #rate(key: string, ownerId: string | null): WinRate {
    const { level, won, closed } = this.#counted(this.#byStage.get(key) ?? new Map<string | null, Counted>(), ownerId)
    return { ...shrunkRate(won, closed, this.#priors.get(key) ?? 0), sampleSize: closed, level }
  }

  #counted(owners: ReadonlyMap<string | null, Counted>, ownerId: string | null): Counted & { level: WinRateLevel } {
    const own = ownerId === null ? undefined : owners.get(ownerId)
    if (own && own.closed >= ownFrom) return { ...own, level: 'OWNER' }
    const members = ownerId === null ? undefined : this.#teams.get(ownerId)
    const team = members && sumOf([...members].flatMap((member) => owners.get(member) ?? []))
    if (team && team.closed >= ownFrom) return { ...team, level: 'TEAM' }
    return { ...sumOf([...owners.values()]), level: 'ORGANIZATION' }
  }
}

const sumOf = (counts: readonly Counted[]): Counted =>
  counts.reduce((sum, { won, closed }) => ({ won: sum.won + won, closed: sum.closed + closed }), { won: 0, closed: 0 })

/** When the history begins that counts on the day of `now`, a whole day in UTC, so that it stays the same throughout a day. */
export function historyBegin(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - historyMonths, now.getUTCDate())).toISOString()
}

/** The stages of all pipelines of an organization, with their probabilities. */
export const priorStages = (sql: Sql, organizationId: string): Promise<PriorStage[]> =>
  sql.query(
    `select p.id as "pipelineId", s.item ->> 'name' as stage, (s.item ->> 'probability')::float8 / 100 as prior
     from crm.pipeline p, jsonb_array_elements(p.stages) s(item) where p.organization_id = $1`,
    [organizationId],
  )

/** The members of the teams of each user, the user included. */
export async function teammates(sql: Sql, organizationId: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await sql.query<{ userId: string; members: string[] }>(
    `select own.user_id as "userId", array_agg(distinct other.user_id::text) as members
     from identity.team_member own join identity.team_member other using (organization_id, team_id)
     where own.organization_id = $1 group by 1`,
    [organizationId],
  )
  return new Map(rows.map(({ userId, members }) => [userId, new Set(members)] as const))
}

/**
 * The win rates of the caller's organization. They are parameters of the organization: all of its deals count, whatever the caller sees. A deal
 * counts in each stage that it was ever in.
 */
export async function winRatesOf({ db, caller, clock }: RequestContext): Promise<WinRates> {
  const { organizationId } = caller
  const counts = await db.query<CountRow & Record<string, unknown>>(
    `select o.pipeline_id as "pipelineId", e.stage, o.owner_id as "ownerId",
       count(distinct o.id) filter (where o.is_won)::int as won, count(distinct o.id)::int as closed
     from crm.opportunity o join crm.stage_entry e on e.organization_id = $1 and e.opportunity_id = o.id
     where o.organization_id = $1 and o.deleted_at is null and o.is_closed and o.closed_at >= $2
     group by 1, 2, 3`,
    [organizationId, historyBegin(clock.now())],
    'SCAN',
  )
  return new WinRates(await priorStages(db, organizationId), counts, await teammates(db, organizationId))
}
