import type { RequestContext } from '../request.ts'
import { customFieldKey } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'

type Noting = Pick<RequestContext, 'caller' | 'cachedExtensions' | 'clock' | 'queryName'>

/** Notes that the request names these custom fields of a record type (`FieldUsage`). Unknown names are left out. */
export function noteFields(
  { caller, cachedExtensions, clock, queryName }: Noting,
  { object, columns: { customFields } }: RecordShape,
  names: readonly string[],
): void {
  if (customFields.size === 0) return
  const named = names.filter((name) => customFields.has(name))
  if (named.length > 0) cachedExtensions.fieldUsage.note({ caller, queryName }, object, named, clock.now())
}

/** The same for columns, of which those of custom fields are named `customFields.<name>`. */
export function noteColumns(ctx: Noting, shape: RecordShape, names: readonly string[]): void {
  if (shape.columns.customFields.size === 0) return
  noteFields(
    ctx,
    shape,
    names.flatMap((name) => customFieldKey(name) ?? []),
  )
}
