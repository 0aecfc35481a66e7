import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { fieldsOfRecord } from '../../kernel/formula/column-field.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'

/** What conditions of rules can name: all fields, because a rule shows no values, and formulas over them. */
export const ruleFields = (shape: RecordShape): ConditionFields => ({
  ...fieldsOfShape(shape, null),
  formulas: fieldsOfRecord(shape),
})
