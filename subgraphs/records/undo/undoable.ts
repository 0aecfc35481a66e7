import { customObjectName, recordTypeIn } from '../../kernel/record/custom-object.ts'
import type { RecordDefinition, StoredRow } from '../../kernel/record/definition.ts'
import { hasPast } from '../../kernel/record/past/past-shape.ts'
import { operationsNamed } from '../../kernel/record/record-operations.ts'
import { recordsOf, type Records } from '../../kernel/record/records-of.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'

/** A record type whose changes can be undone, with the operations of clients. */
export interface Undoable {
  readonly definition: RecordDefinition<StoredRow>
  readonly records: Records<StoredRow>
  readonly scope: string
}

/** The record type with this name; null if its changes cannot be undone. */
export function undoableNamed(ctx: RequestContext, object: string): Undoable | null {
  if (customObjectName(object) !== null) {
    const definition = recordTypeIn(ctx, object) as RecordDefinition<StoredRow> | null
    return definition && { definition, records: recordsOf(definition), scope: 'CUSTOM_OBJECTS' }
  }
  const operations = operationsNamed(object)
  if (!operations || !hasPast(operations.definition)) return null
  return { ...operations, definition: shapeFor(ctx, operations.definition) }
}
