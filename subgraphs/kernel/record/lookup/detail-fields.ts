import { noUserId } from '../../context.ts'
import { newId } from '../../ids.ts'
import type { RequestContext } from '../../request.ts'
import { recordTypeIn } from '../custom-object.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
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
export const queueChange = (
  ctx: RequestContext,
  master: RecordShape,
  id: string,
  operation: DetailOperation,
): Promise<void> => queueChanges(ctx, master, [id], operation)

/** Has the details of each of the records changed in the background. */
export async function queueChanges(
  { db, caller }: RequestContext,
  { object }: RecordShape,
  ids: readonly string[],
  operation: DetailOperation,
): Promise<void> {
  const { organizationId, userId } = caller
  await db.query(
    `insert into ${detailTable} (organization_id, id, object, record_id, operation, requested_by_id)
     select $1, n.id, $3, n.record_id, $5, $6 from unnest($2::uuid[], $4::uuid[]) n(id, record_id)`,
    [organizationId, ids.map(() => newId()), object, ids, operation, userId === noUserId ? null : userId],
    'WRITE',
  )
}
