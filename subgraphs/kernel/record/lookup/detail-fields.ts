import { noUserId } from '../../context.ts'
import type { RequestContext } from '../../request.ts'
import { recordTypeIn } from '../custom-object.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import { Values } from '../predicate.ts'
import { shapeFor } from '../shape-source.ts'

/** Its subgraph creates it, and carries out what is in it. */
export const detailTable = 'extensions.detail_change'

export type DetailOperation = 'DELETE' | 'RESTORE'

export type Detail = StoredRow & { customFields: object; deletedWithId: string | null }

/** A field by which the records of a type are details of those of another. */
export interface DetailField {
  readonly detail: RecordDefinition<Detail>
  readonly key: string
}

/** The fields by which records are details of those of the type. */
export function detailFieldsOf(ctx: RequestContext, { lookedUpBy = [] }: RecordShape): DetailField[] {
  return lookedUpBy.flatMap(({ object, key, onDelete }) => {
    const builtIn = onDelete === 'CASCADE' ? recordTypeIn(ctx, object) : null
    return builtIn ? [{ detail: shapeFor(ctx, builtIn) as RecordDefinition<Detail>, key }] : []
  })
}

/** How many details an operation may still delete or restore. */
export interface Budget {
  left: number
}

/** Has the details of a record changed in the background. */
export function queueChange(
  ctx: RequestContext,
  master: RecordShape,
  id: string,
  operation: DetailOperation,
): Promise<void> {
  const values = new Values()
  return queueChanges(ctx, master, values, `select ${values.add(id)}::uuid as id`, operation)
}

/** Has the details of each of the records changed in the background, however many they are; `idsSql` selects their `id`. */
export async function queueChanges(
  { db, caller }: RequestContext,
  { object }: RecordShape,
  values: Values,
  idsSql: string,
  operation: DetailOperation,
): Promise<void> {
  const { organizationId, userId } = caller
  const named = [object, operation].map((text) => values.add(text)).join('::text, ')
  await db.query(
    `insert into ${detailTable} (organization_id, id, record_id, object, operation, requested_by_id)
     select ${values.add(organizationId)}::uuid, gen_random_uuid(), n.id, ${named}::text, ${values.add(userId === noUserId ? null : userId)}::uuid
     from (${idsSql}) n`,
    values.list,
    'WRITE',
  )
}
