import { batchOf } from '../../kernel/record/batch.ts'
import type { RequestContext } from '../../kernel/request.ts'

const none: ReadonlySet<string> = new Set()

/** The share of the run of a scenario that is done; that of the last run if it was completed. */
export function progressOf(ctx: RequestContext, scenarioId: string): Promise<number> {
  return batchOf(ctx, none, 'scenarioProgress', (ids) => progressOfAll(ctx, ids)).load(scenarioId)
}

async function progressOfAll({ db, caller }: RequestContext, ids: readonly string[]): Promise<number[]> {
  const rows = await db.query<{ id: string; progress: number }>(
    `select s.id, case s.status when 'COMPLETED' then 1 when 'RUNNING' then coalesce(r.progress, 0) else 0 end as progress
     from insights.scenario s left join insights.scenario_run r
       on r.organization_id = s.organization_id and r.scenario_id = s.id and r.state = 'QUEUED'
     where s.organization_id = $1 and s.id = any($2::uuid[])`,
    [caller.organizationId, ids],
  )
  const found = new Map(rows.map(({ id, progress }) => [id, progress]))
  return ids.map((id) => found.get(id) ?? 0)
}
