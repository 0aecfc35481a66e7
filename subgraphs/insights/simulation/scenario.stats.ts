import { Field, Int, ObjectType } from 'type-graphql'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { filteredRows } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { figures } from '../../kernel/record/stats.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { scenario } from './scenario.record.ts'

@ObjectType({ description: 'Statistics of the live scenarios that the caller sees.' })
@RequiresScope('SIMULATIONS')
export class ScenarioStats {
  @Field(() => Int, { description: 'Number of scenarios.' })
  total!: number

  @Field(() => Json, { description: 'Number of scenarios by status.' })
  byStatus!: object

  @Field(() => Int, { description: 'Runs that were completed in the last 24 hours.' })
  runs24h!: number

  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds within which 95 % of these runs were completed, without waiting; null if there were none.',
  })
  p95Ms!: number | null
}

export async function scenarioStats(ctx: RequestContext, filter: FilterInput | null): Promise<ScenarioStats> {
  const counts = await figures(ctx, scenario, { total: count(), byStatus: countBy('status') }, filter)
  const { source, predicate } = filteredRows(ctx, scenario, filter)
  const [runs] = await ctx.db.query<{ runs24h: number; p95Ms: number | null }>(
    `select count(*)::int as "runs24h", percentile_disc(0.95) within group (order by r.ran_ms) as "p95Ms"
     from insights.scenario_run r
     where r.organization_id = ${predicate.organization()} and r.state = 'DONE' and r.created_at > now() - interval '24 hours'
       and r.scenario_id in (select t.id from ${source})`,
    predicate.values.list,
    'SCAN',
  )
  return { ...(counts as Pick<ScenarioStats, 'total' | 'byStatus'>), ...runs! }
}
