import { unrestricted, type RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'
import { visibleIds } from './read.ts'

/** Whether a record exists that the caller does not see. A rule that would change it refuses the change from which that follows. */
export async function isOutOfSight(ctx: RequestContext, definition: RecordShape, id: string | null): Promise<boolean> {
  if (id === null || ctx.caller.ownerIds === null) return false
  if ((await visibleIds(ctx, definition, [id])).has(id)) return false
  return (await visibleIds(unrestricted(ctx), definition, [id])).has(id)
}
