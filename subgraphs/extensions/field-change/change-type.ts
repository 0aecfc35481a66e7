import { columnKinds } from '../../kernel/record/column-kind.ts'
import { customFieldProblem } from '../../kernel/record/check-values.ts'
import { customField, type CustomFieldDefinition } from '../../kernel/record/custom-field-column.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { definitionOf } from '../custom-field/field-definition.ts'
import { targetOf } from '../custom-field/type-change.ts'
import type { FieldChange } from './field-change.ts'
import { rewriteValues, valuesIn } from './rewrite-values.ts'

/** The column of what records may have, also values that they can no longer get. */
const storedColumn = (field: CustomField) => {
  const { retired: _retired, ...definition }: CustomFieldDefinition = definitionOf({ ...field, isRequired: false })
  return customField(definition)
}

/** Checks the values of records by the type that the field is to have. Writes are checked by both types from the beginning. */
export const checkValues: FieldChange = {
  name: 'CHECK_VALUES',
  batchSize: 1_000,
  begins: (next, previous) => (next.pending && !previous?.pending ? {} : null),
  async batch(ctx, batch) {
    const { kind } = storedColumn({ ...batch.field, pending: null })
    const target = storedColumn(targetOf(batch.field))
    return (await valuesIn(ctx, batch)).flatMap(({ id, value }) => {
      // A value of another form was stored before the field was defined, and is no value of the field.
      if (columnKinds[kind].parse(value) === undefined) return []
      const problem = customFieldProblem(target, value)
      return problem ? [{ recordId: id, value, code: problem.code, message: problem.message }] : []
    })
  },
  finish: (_ctx, { field }) => Promise.resolve({ ...field.pending, pendingType: null, pending: null }),
  fail: () => Promise.resolve({ pendingType: null, pending: null }),
}

/** Rewrites values whose form the new type stores differently. */
export const convertValues: FieldChange = {
  name: 'CONVERT_VALUES',
  batchSize: 250,
  begins(next, previous) {
    if (!previous || next.fieldType === previous.fieldType) return null
    return next.fieldType === 'MULTI_PICKLIST' || next.fieldType === 'EMAIL' ? {} : null
  },
  async batch(ctx, batch) {
    const column = storedColumn(batch.field)
    const isList = column.kind === 'textList'
    await rewriteValues(ctx, batch, (value) =>
      typeof value !== 'string' ? value : column.stored(isList ? [value] : value),
    )
    return []
  },
}
