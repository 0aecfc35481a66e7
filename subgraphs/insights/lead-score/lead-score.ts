import { leadFacts, type LeadFact } from '../../crm/public.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { engagementOf } from '../engagement/stored/stored-engagement.ts'
import { modelVersions } from '../model-version.ts'
import { factorWeights, matchOf, priorLeads, scoreOf, type LeadFactor, type LeadRate } from './lead-fit.ts'
import type { LeadComputedScore } from './lead-score.types.ts'

const noFields: ReadonlySet<string> = new Set()
const versionOfModel = modelVersions('lead', { factorWeights, priorLeads })

/** The score of a lead (F11); null if the caller does not see the lead, or nothing that the score is made of. All leads of an operation are read together. */
export async function leadScoreOf(ctx: RequestContext, id: string): Promise<LeadComputedScore | null> {
  const facts = await leadFacts(ctx, id)
  if (!facts) return null
  const [engagement, { all, groups, computedAt }] = await Promise.all([
    engagementOf(ctx, 'lead', id),
    batchOf(ctx, noFields, 'leadScore.rates', (ids) => readRates(ctx, ids)).load(id),
  ])
  const values: Partial<Record<LeadFactor, number>> = {}
  for (const fact of Object.keys(facts) as LeadFact[]) values[fact] = matchOf(groups.get(fact), all)
  if (engagement) values.engagement = engagement.score
  const scored = scoreOf(values)
  return (
    scored && {
      ...scored,
      sampleSize: all.closed,
      modelVersion: versionOfModel(computedAt),
      computedAt: ctx.clock.now().toISOString(),
    }
  )
}

interface RatesOfLead {
  readonly all: LeadRate
  readonly groups: ReadonlyMap<string, LeadRate>
  /** When they were counted; null if the organization has no closed leads. */
  readonly computedAt: string | null
}

interface Row extends LeadRate {
  readonly id: string
  readonly fact: string
  readonly computedAt: string
}

/** The rates of the groups of the leads. Groups are parameters of the organization: they count all its closed leads. */
async function readRates({ db, caller }: RequestContext, ids: readonly string[]): Promise<RatesOfLead[]> {
  const rows = await db.query<Row & Record<string, unknown>>(
    `select ids.id, r.fact, r.closed::int as closed, r.converted::int as converted, r.computed_at as "computedAt"
     from unnest($2::uuid[]) as ids (id)
     join crm.lead l on l.organization_id = $1 and l.id = ids.id
     cross join lateral (
       select '' as fact, '' as member
       union all select fact, member from insights.lead_groups(l.industry, l.number_of_employees, l.title, l.country, l.lead_source)
     ) g
     join insights.lead_rate r on r.organization_id = $1 and r.fact = g.fact and r.member = g.member`,
    [caller.organizationId, [...new Set(ids)]],
  )
  const byLead = Map.groupBy(rows, ({ id }) => id)
  return ids.map((id) => {
    const own = byLead.get(id) ?? []
    const groups = new Map(own.map((row) => [row.fact, row]))
    const all = groups.get('')
    return {
      all: all ?? { closed: 0, converted: 0 },
      groups,
      computedAt: all ? new Date(all.computedAt).toISOString() : null,
    }
  })
}
