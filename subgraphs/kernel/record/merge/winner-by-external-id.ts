import type { RequestContext } from '../../request.ts'
import type { RecordShape } from '../definition.ts'
import { visibleIds } from '../read.ts'
import { mergedTable } from './merged-records.ts'

/**
 * The live record that a record with this external id was merged into; null if there is none that the caller sees. The record that was merged last
 * decides.
 */
export async function winnerByExternalId(
  ctx: RequestContext,
  definition: RecordShape,
  externalId: string,
): Promise<string | null> {
  const [row] = await ctx.db.query<{ winner: string }>(
    `select merged_into_id as winner from ${mergedTable} where organization_id = $1 and object = $2 and external_id = $3
     order by merged_at desc, record_id desc limit 1`,
    [ctx.caller.organizationId, definition.object, externalId],
  )
  return row && (await visibleIds(ctx, definition, [row.winner])).has(row.winner) ? row.winner : null
}
