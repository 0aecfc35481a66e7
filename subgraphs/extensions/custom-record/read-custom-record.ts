import { isId } from '../../kernel/ids.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import { customObject, recordTypeIn } from '../../kernel/record/custom-object.ts'
import { readReference } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'

const noFields: ReadonlySet<string> = new Set()

/** The names of the custom objects that have the records with these ids, which the caller may not see. */
async function objectsOf({ db, caller }: RequestContext, ids: readonly string[]): Promise<(string | null)[]> {
  const rows = await db.query<{ id: string; object: string }>(
    'select id, object from extensions.custom_record where organization_id = $1 and id = any($2::uuid[])',
    [caller.organizationId, [...new Set(ids.filter(isId))]],
  )
  const byId = new Map(rows.map(({ id, object }) => [id, object]))
  return ids.map((id) => byId.get(id.toLowerCase()) ?? null)
}

/** A record of a custom object by its id alone; null when it is deleted or not visible. All of an operation are read together. */
export async function readCustomRecord(
  ctx: RequestContext,
  id: string,
  selected: ReadonlySet<string>,
): Promise<object | null> {
  const name = await batchOf(ctx, noFields, 'custom_record.object', (ids) => objectsOf(ctx, ids)).load(id)
  const shape = name === null ? null : recordTypeIn(ctx, customObject(name))
  return shape && readReference(ctx, shape, id, selected)
}
