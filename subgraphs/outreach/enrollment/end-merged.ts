import { changeAll } from '../../kernel/record/change-all.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import type { Merged } from '../../kernel/record/merge/merged.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { SequenceEnrollment } from './enrollment.ts'
import { exitReasons } from './run/decide.ts'
import { endOf } from './run/end-enrollment.ts'

/**
 * A record has one running enrollment in a sequence. Of those of merged records, that of the record that stays goes on, or else the oldest one; the
 * others end.
 */
export async function endMergedEnrollments(
  ctx: RequestContext,
  sequenceEnrollment: RecordDefinition<SequenceEnrollment>,
  { winner, losers }: Merged,
): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>(
    `select id from (
       select id, row_number() over (partition by sequence_id order by entity_id <> $2, created_at, id) as place
       from outreach.sequence_enrollment
       where organization_id = $1 and entity_id = any($3::uuid[]) and deleted_at is null and status in ('ACTIVE', 'PAUSED')
     ) running where place > 1 order by id`,
    [ctx.caller.organizationId, winner, [winner, ...losers]],
    'WRITE',
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return
  await ctx.db.query(
    'select from outreach.sequence_enrollment where organization_id = $1 and id = any($2::uuid[]) order by id for update',
    [ctx.caller.organizationId, ids],
    'WRITE',
  )
  const { implied, events } = endOf('MERGED', exitReasons.merged, ctx.clock.now())
  await changeAll(ctx, sequenceEnrollment, ids, () => implied, events)
}
