import type { RequestContext } from '../../kernel/request.ts'
import { latencyBounds, latencyBucketOf, percentile } from '../../kernel/values/latency.ts'
import { answerSeconds } from './kept-answers.ts'
import type { EngagementStats } from './portfolio.types.ts'

// The counts are rows, because all processes share them.

/** Counts a computation, or a request that a kept answer has answered. */
export async function countUse(
  { db, caller }: RequestContext,
  computed: { readonly entities: number; readonly durationMs: number } | null,
): Promise<void> {
  const durations = latencyBounds.map(() => 0)
  if (computed) durations[latencyBucketOf(computed.durationMs)]! += 1
  const values = [caller.organizationId, computed ? 1 : 0, computed?.entities ?? 0, computed ? 0 : 1, durations]
  await db.query(
    `insert into insights.engagement_use as known (organization_id, computations, entities, hits, durations)
     values ($1, $2, $3, $4, $5)
     on conflict (organization_id) do update set computations = known.computations + excluded.computations,
       entities = known.entities + excluded.entities, hits = known.hits + excluded.hits,
       durations = (select array_agg(mine + more order by place)
         from unnest(known.durations, excluded.durations) with ordinality as both_of (mine, more, place))`,
    values,
    'WRITE',
  )
}

interface Use {
  readonly computations: number
  readonly entities: number
  readonly hits: number
  readonly durations: readonly number[]
}

export async function engagementStats({ db, caller, clock }: RequestContext): Promise<EngagementStats> {
  const since = new Date(clock.now().getTime() - answerSeconds * 1000).toISOString()
  const [[use], [kept]] = await Promise.all([
    db.query<Use>(
      `select computations::float8, entities::float8, hits::float8, durations::float8[] from insights.engagement_use
       where organization_id = $1`,
      [caller.organizationId],
    ),
    db.query<{ entries: number }>(
      'select count(*)::int as entries from insights.engagement_answer where organization_id = $1 and computed_at > $2',
      [caller.organizationId, since],
    ),
  ])
  const { computations = 0, entities = 0, hits = 0, durations = [] } = use ?? {}
  return {
    computations,
    entities,
    p50Ms: percentile(durations, 50),
    p95Ms: percentile(durations, 95),
    cache: { entries: kept!.entries, hits, misses: computations },
  }
}
