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
export async function queueChange(
  { db, caller }: RequestContext,
  { object }: RecordShape,
  id: string,
  operation: DetailOperation,
): Promise<void> {
  const { organizationId, userId } = caller
  await db.query(
    `insert into ${detailTable} (organization_id, id, object, record_id, operation, requested_by_id) values ($1, $2, $3, $4, $5, $6)`,
    [organizationId, newId(), object, id, operation, userId === noUserId ? null : userId],
    'WRITE',
  )
}
