import { fieldsOfShape, type ConditionFields } from '../../kernel/condition/condition-fields.ts'
import type { Caller } from '../../kernel/context.ts'
import { fieldsOfRecord } from '../../kernel/formula/column-field.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'

/**
 * What conditions of rules can name, rollups and formulas over other records and the time among them, and formulas over what is stored with the record. A rule checks all fields, and what it refuses tells their values: so who sets it up may
 * name only fields that the profile shows. Without a caller, all.
 */
export function ruleFields(shape: RecordShape, caller: Pick<Caller, 'fields'> | null): ConditionFields {
  const formulas = fieldsOfRecord(shape)
  const hidden = caller && fieldRules(caller, shape)?.hidden
  return {
    ...fieldsOfShape(shape, caller, true),
    formulas: { ...formulas, field: (name) => (hidden?.has(name) ? null : formulas.field(name)) },
  }
}
