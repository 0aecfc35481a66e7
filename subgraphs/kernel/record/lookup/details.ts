import type { RequestContext } from '../../request.ts'
import type { RecordShape } from '../definition.ts'
import type { Operation } from '../event-types.ts'
import { hasDetails } from './check-lookups.ts'
import { deleteDetails } from './deleted-details.ts'
import { clearLookups } from './deleted-targets.ts'
import { restoreDetails } from './restored-details.ts'

/** What follows from a change of a record for those that name it: its details are deleted and restored with it, and references to it are cleared. */
export async function followTarget(
  ctx: RequestContext,
  definition: RecordShape,
  operation: Operation,
  id: string,
): Promise<void> {
  if (operation === 'RESTORE' && hasDetails(definition)) await restoreDetails(ctx, definition, id)
  if (operation !== 'DELETE') return
  if (hasDetails(definition)) await deleteDetails(ctx, definition, id)
  await clearLookups(ctx, definition, id)
}
