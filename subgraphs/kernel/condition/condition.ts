import { enumeration } from '../record/column.ts'
import { Json } from '../record/scalars.ts'
import { Part, Structure, structureInput } from '../record/structure.ts'

export const ConditionOperator = enumeration(
  'ConditionOperator',
  'How a condition compares its field. Upper and lower case matter, except for CONTAINS, NOT_CONTAINS, STARTS_WITH and ENDS_WITH, and in email addresses, where surrounding spaces do not matter either. A field without a value meets only NOT_EQUALS, NOT_IN, NOT_CONTAINS, IS_EMPTY and operators about changes. A record without a previous version, such as a created one, meets no operator about changes.',
  {
    EQUALS: 'The value is the given one.',
    NOT_EQUALS: 'The value is another one, or there is none.',
    IN: 'The value is one of a list of at most 100.',
    NOT_IN: 'The value is none of a list of at most 100.',
    CONTAINS: 'The text contains the given text; a list contains the given item.',
    NOT_CONTAINS: 'The text does not contain the given text; a list does not contain the given item.',
    STARTS_WITH: 'The text begins with the given text.',
    ENDS_WITH: 'The text ends with the given text.',
    MATCHES:
      'The first 1,000 characters of the text contain a match of a regular expression (RE2 syntax, without back-references and look-around, at most 256 characters; at most 5 such conditions together). Use ^ and $ to match the whole text and (?i) to ignore case.',
    GREATER_THAN: 'The number, date or time is greater than the given one.',
    GREATER_OR_EQUAL: 'The number, date or time is the given one or greater.',
    LESS_THAN: 'The number, date or time is less than the given one.',
    LESS_OR_EQUAL: 'The number, date or time is the given one or less.',
    BETWEEN: 'The number, date or time is in a range, given as a list of its two ends, which belong to it.',
    IS_EMPTY: 'There is no value: null, an empty text, list or object.',
    IS_NOT_EMPTY: 'There is a value.',
    BEFORE: 'The date or time is before the given one.',
    AFTER: 'The date or time is after the given one.',
    WITHIN_LAST: 'The date or time is in the past, at most a duration ago: `P7D` or a number of days.',
    WITHIN_NEXT: 'The date or time is in the future, at most a duration ahead: `PT2H` or a number of days.',
    CHANGED: 'The value differs from that of the previous version.',
    CHANGED_FROM: 'The value was the given one and differs from it.',
    CHANGED_TO: 'The value is the given one and was another one.',
    INCREASED: 'The number, date or time is greater than that of the previous version.',
    DECREASED: 'The number, date or time is less than that of the previous version.',
  },
)
export type ConditionOperator = keyof typeof ConditionOperator

export const ConditionValueType = enumeration('ConditionValueType', 'What the value of a condition is.', {
  LITERAL: 'The value itself.',
  FIELD: 'The name of another field of the same record.',
  FORMULA:
    'In validation rules: a formula over fields of the same record, without relations and without TODAY, NOW and the day of a time, of the type of the field. Elsewhere it is refused with FORMULA_NOT_SUPPORTED.',
  RELATIVE_DATE:
    'A time relative to the event: `NOW` or `TODAY` (00:00 UTC), plus or minus an ISO 8601 duration: `TODAY-P7D`, `NOW+PT2H`.',
})
export type ConditionValueType = keyof typeof ConditionValueType

export const ConditionLogic = enumeration('ConditionLogic', 'How several conditions are combined.', {
  AND: 'All of them must be met.',
  OR: 'At least one of them must be met.',
})
export type ConditionLogic = keyof typeof ConditionLogic

@Structure(
  'Condition',
  'A condition on one field of a record, with `field`, `operator` and `value`; or a group of conditions, with `logic` and `conditions`. All levels together have at most 50 conditions, nested at most 5 levels deep.',
)
export class Condition {
  @Part(() => String, {
    nullable: true,
    max: 200,
    description: 'Name of the field, `customFields.<API name>` for a custom field; null for a group.',
    example: 'amount',
  })
  field!: string | null

  @Part(() => ConditionOperator, {
    nullable: true,
    description: 'How the field is compared; null for a group.',
    example: 'GREATER_THAN',
  })
  operator!: ConditionOperator | null

  @Part(() => Json, {
    nullable: true,
    description:
      'What the field is compared with, of the type of the field: a list for IN, NOT_IN and BETWEEN, null for operators that need no value and for a group.',
    example: 10000,
  })
  value!: unknown

  @Part(() => ConditionValueType, {
    nullable: true,
    description: 'What the value is; null means LITERAL.',
    example: 'LITERAL',
  })
  valueType!: ConditionValueType | null

  @Part(() => ConditionLogic, {
    nullable: true,
    description: 'Groups: how their conditions are combined; null means AND.',
    example: null,
  })
  logic!: ConditionLogic | null

  @Part(() => Json, {
    nullable: true,
    description: 'Groups: their conditions, a list of objects of this same form; null for a condition on a field.',
    example: null,
  })
  conditions!: unknown
}

/** The input type of a condition, for arguments: `[ConditionInput!]`. */
export const ConditionInput = structureInput(Condition)
