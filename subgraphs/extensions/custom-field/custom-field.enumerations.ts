import { enumeration } from '../../kernel/record/column.ts'

export const CustomFieldType = enumeration('CustomFieldType', 'What the values of a custom field are.', {
  TEXT: 'One line of text, at most 255 characters.',
  TEXTAREA: 'Text of several lines, at most 32,000 characters.',
  NUMBER: 'A decimal number, exact to each digit.',
  CURRENCY: 'An amount of money, exact to each digit.',
  DATE: 'A day without a time zone, `YYYY-MM-DD`.',
  DATETIME: 'A moment, ISO 8601 with an offset; it is stored in UTC.',
  CHECKBOX: 'True or false. Without a value it counts as its default, which is false if none is set.',
  PICKLIST: 'One of `picklistValues`.',
  MULTI_PICKLIST: 'A list of at most 100 of `picklistValues`, each once.',
  EMAIL: 'An email address; it is stored in lower case, without surrounding spaces.',
  PHONE: 'A phone number as it was entered: at least 3 digits, at most 50 characters.',
  URL: 'An address that begins with `https://` or `http://`, at most 1,000 characters.',
  LOOKUP:
    'The id of a record of the type that `lookupEntity` or `lookupObject` names, which must exist and be visible to whoever writes it.',
  MASTER_DETAIL:
    'The id of the record of which the record of a custom object is a detail, of the type that `lookupEntity` or `lookupObject` names. A detail has no owner: it is visible and can be changed when its masters are visible, and it is deleted and restored with them.',
  FORMULA:
    'A value that follows from other fields of the record, of records that it refers to, and of the time (`formulaConfig`). It is computed and never given.',
  ROLLUP_SUMMARY:
    'A value that follows from the records that refer to the record (`rollupConfig`): their number, or the sum, average, least or greatest value of one of their fields. It is computed when it is read and never given. Formulas and validation rules may name it.',
})
export type CustomFieldType = keyof typeof CustomFieldType

export const LookupDeleteBehavior = enumeration(
  'LookupDeleteBehavior',
  'What becomes of the values of a LOOKUP when the record that they name is deleted.',
  {
    CLEAR:
      'They become null, each with an event of its record, as with any other change; where there are more than 200, this is done in the background.',
    RESTRICT: 'While a record that is not deleted has such a value, the deletion is refused with HAS_DEPENDENTS.',
  },
)
export type LookupDeleteBehavior = keyof typeof LookupDeleteBehavior

export const CustomFieldState = enumeration(
  'CustomFieldState',
  'Whether the definition of a custom field may be changed.',
  {
    READY: 'Nothing is under way.',
    BUILDING:
      'A change of the field is being carried out on all records; until then the field is not changed again, except while only the values of a FORMULA are written.',
    DELETING: 'The field was deleted more than 30 days ago, and its values are being removed from all records.',
  },
)
export type CustomFieldState = keyof typeof CustomFieldState

export const CustomFieldChange = enumeration(
  'CustomFieldChange',
  'What is being done on all records for a custom field.',
  {
    BUILD_INDEX: 'The index of the field is built; for a field that becomes unique, its values are compared.',
    REMOVE_INDEX:
      'What the index has of the field is removed, after it has left the index; the field can be changed meanwhile.',
    BUILD_FORMULA:
      'The values of a FORMULA are written into the records; until then reads compute them, which may take longer. The field can be changed meanwhile.',
    BUILD_ROLLUP:
      'The totals of a ROLLUP_SUMMARY are built, or the index of its values; until then reads compute its value from the records, which may take longer.',
    REMOVE_VALUES: 'The values of a field that was deleted are removed.',
    CHECK_VALUES: 'The values are checked by the type that the field is to have.',
    CONVERT_VALUES: 'The values are rewritten in the form of the new type.',
    REPLACE_VALUE: 'A value of a picklist is replaced by another one, or removed.',
  },
)
export type CustomFieldChange = keyof typeof CustomFieldChange

export const FormulaReturnType = enumeration('FormulaReturnType', 'What the values of a formula are.', {
  TEXT: 'Text of at most 4,000 characters; null instead of an empty one.',
  NUMBER: 'A decimal number, exact to each digit.',
  CURRENCY: 'An amount of money, exact to each digit.',
  DATE: 'A day without a time zone, `YYYY-MM-DD`.',
  DATETIME: 'A moment, in UTC.',
  CHECKBOX: 'True or false, never null.',
})
export type FormulaReturnType = keyof typeof FormulaReturnType

export const RollupAggregate = enumeration('RollupAggregate', 'What a ROLLUP_SUMMARY says of the records.', {
  COUNT: 'How many there are; 0 without any.',
  SUM: 'The sum of the values of a field, exact to each digit; 0 without any.',
  MIN: 'The least value of a field; null without any.',
  MAX: 'The greatest value of a field; null without any.',
  AVG: 'The average of the values of a field, with at most 10 decimals, rounded half away from zero; null without any.',
})
export type RollupAggregate = keyof typeof RollupAggregate

export const FormulaBlanks = enumeration('FormulaBlanks', 'What a number without a value counts as in arithmetic.', {
  ZERO: '0.',
  BLANK: 'No value, so that the result has none either.',
})
export type FormulaBlanks = keyof typeof FormulaBlanks
