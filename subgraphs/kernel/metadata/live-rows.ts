import type { Row } from '../database/sql.ts'
import type { RecordDefinition, StoredRow } from '../record/definition.ts'
import { selectList } from '../record/selection.ts'
import type { RequestContext } from '../request.ts'

/** Records that one statement reads: 100 of the largest pages have 6.5 MB, and a statement may read 8 MiB. */
const batchMax = 100

/** The live records of the organization with all their columns, the oldest first. */
export async function liveRows<T extends StoredRow>(
  { db, caller }: RequestContext,
  definition: RecordDefinition<T>,
): Promise<(T & Row)[]> {
  const names = new Set(definition.columns.stored.map(({ name }) => name))
  const read = (after: string | null): Promise<(T & Row & { readonly age: string })[]> =>
    db.query(
      `select ${selectList(definition, names, 't', null)}, extract(epoch from t.created_at)::text as age from ${definition.table} t
       where t.organization_id = $1 and t.deleted_at is null and ($2::uuid is null or t.id > $2)
       order by t.id limit ${batchMax}`,
      [caller.organizationId, after],
    )
  const all = await read(null)
  for (let last = all; last.length === batchMax; all.push(...last)) last = await read(last.at(-1)!.id)
  return all.toSorted((one, other) => Number(one.age) - Number(other.age) || (one.id < other.id ? -1 : 1))
}
