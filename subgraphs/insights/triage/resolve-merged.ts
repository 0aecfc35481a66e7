import { changeAll } from '../../kernel/record/change-all.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import type { Merged } from '../../kernel/record/merge/merged.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { TriageCase } from './triage-case.ts'

const resolution = 'The account was merged into another one that has an open case.'

/** An account has one case that is not resolved. Of those of merged accounts, that of the account that stays is kept, or else the oldest one. */
export async function resolveMergedCases(
  ctx: RequestContext,
  triageCase: RecordDefinition<TriageCase>,
  { winner, losers }: Merged,
): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from insights.triage_case
     where organization_id = $1 and account_id = any($3::uuid[]) and deleted_at is null and status <> 'RESOLVED'
     order by account_id <> $2, created_at, id for update`,
    [ctx.caller.organizationId, winner, [winner, ...losers]],
    'WRITE',
  )
  const resolvedAt = ctx.clock.now().toISOString()
  await changeAll(
    ctx,
    triageCase,
    rows.slice(1).map(({ id }) => id),
    () => ({ status: 'RESOLVED' as const, resolution, resolvedAt }),
    ['triage.resolved'],
  )
}
