import type { RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'

/** Locks records in the order of their ids, as all changes of many records do, so that no two of them wait for each other. */
export async function lockRows(
  { db, caller }: RequestContext,
  { storedIn, table }: Pick<RecordShape, 'storedIn' | 'table'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await db.query(
    `select from ${storedIn ?? table} t where t.organization_id = $1 and t.id = any($2::uuid[]) order by t.id for update of t`,
    [caller.organizationId, ids],
    'WRITE',
  )
}
