import { Int } from 'type-graphql'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { formulaLimits } from '../../kernel/formula/limits.ts'
import { ConditionLogic } from '../../kernel/condition/condition.ts'
import { entityMax, precisionMax } from './bounds.ts'
import { CustomFieldChange, FormulaBlanks, FormulaReturnType, RollupAggregate } from './custom-field.enumerations.ts'

@Structure('PicklistValue', 'One value of a PICKLIST or MULTI_PICKLIST.')
export class PicklistValue {
  @Part(() => String, {
    max: 255,
    filled: true,
    description:
      'The value that records store, unique in its field. It cannot be changed: add another one, and replace this one by it in all records.',
    example: 'GOLD',
  })
  value!: string

  @Part(() => String, {
    nullable: true,
    max: 255,
    description: 'What people read instead of the value; null: the value itself.',
    example: 'Gold',
  })
  label!: string | null

  @Part(() => String, {
    nullable: true,
    max: 7,
    description: 'Colour for display, `#rrggbb`; null if not set.',
    example: '#c9a227',
  })
  color!: string | null

  @Part(() => Boolean, {
    default: false,
    description: 'Whether a new record without a value gets it. A PICKLIST has at most one such value.',
    example: false,
  })
  isDefault!: boolean

  @Part(() => Boolean, {
    default: true,
    description: 'Whether records can get the value. Records that have an inactive one keep it.',
    example: true,
  })
  isActive!: boolean

  @Part(() => Int, {
    default: 0,
    description: 'Position among the values, for display; equal ones are in the order of the list.',
    example: 0,
  })
  sortOrder!: number
}

@Structure('PicklistAlias', 'A replaced value of a picklist. A write that has it gets the value that replaced it.')
export class PicklistAlias {
  @Part(() => String, { writable: 'NEVER', description: 'The former value.', example: 'GOLD' })
  from!: string

  @Part(() => String, {
    writable: 'NEVER',
    description: 'The value that records get in its place.',
    example: 'PLATINUM',
  })
  to!: string

  @Part(() => DateTime, {
    writable: 'NEVER',
    description: 'Until when writes may have it; it is removed within an hour after that.',
    example: '2027-03-03T09:00:00.000Z',
  })
  until!: string
}

@Structure('CustomFieldProgress', 'How far a change of a custom field has been carried out on the records of its type.')
export class CustomFieldProgress {
  @Part(() => CustomFieldChange, { writable: 'NEVER', description: 'What is being done.', example: 'REMOVE_VALUES' })
  change!: CustomFieldChange

  @Part(() => Int, { writable: 'NEVER', description: 'Records that are done, deleted ones included.', example: 12_000 })
  processed!: number

  @Part(() => Int, {
    nullable: true,
    writable: 'NEVER',
    description: 'Records of the type when the change began, deleted ones included; null before it has begun.',
    example: 48_000,
  })
  total!: number | null

  @Part(() => Int, {
    writable: 'NEVER',
    description: 'Values that do not allow the change; the change ends at the latest with 100 of them.',
    example: 0,
  })
  failures!: number

  @Part(() => String, {
    nullable: true,
    writable: 'NEVER',
    description: 'Why the change has failed; null while it is under way.',
    example: null,
  })
  message!: string | null
}

@Structure('FormulaConfig', 'How the value of a FORMULA follows from other fields.')
export class FormulaConfig {
  @Part(() => String, {
    max: formulaLimits.characters,
    filled: true,
    description:
      'The formula: fields by their names (`annualRevenue`, `customFields.margin`), rollups among them, those of other records behind relations (`account.owner.name`), numbers, texts in double quotation marks, operators and functions, as the guide about custom fields describes.',
    example: 'IF(customFields.seats > 0, annualRevenue / customFields.seats, 0)',
  })
  expression!: string

  @Part(() => FormulaReturnType, { description: 'What the value is. It never changes.', example: 'CURRENCY' })
  returnType!: FormulaReturnType

  @Part(() => Int, {
    nullable: true,
    minimum: 0,
    maximum: precisionMax,
    description: `NUMBER and CURRENCY: number of decimals to which the value is rounded, half away from zero; null: ${precisionMax}.`,
    example: 2,
  })
  decimals!: number | null

  @Part(() => FormulaBlanks, {
    default: 'ZERO',
    description: 'What a number without a value counts as in arithmetic.',
    example: 'ZERO',
  })
  blankAs!: FormulaBlanks
}

@Structure('RollupConfig', 'How the value of a ROLLUP_SUMMARY follows from the records that refer to its record.')
export class RollupConfig {
  @Part(() => String, {
    max: entityMax,
    filled: true,
    description:
      'The type of the records that are aggregated, which refers to the record type of the field: LEAD, CONTACT, ACCOUNT, OPPORTUNITY, QUOTE, TASK, CASE, or `custom:` and the name of a custom object.',
    example: 'OPPORTUNITY',
  })
  childObject!: string

  @Part(() => String, {
    max: 100,
    filled: true,
    description:
      'The field of these records that has the id of the record with the ROLLUP_SUMMARY; a LOOKUP as `customFields.<API name>`.',
    example: 'accountId',
  })
  relationField!: string

  @Part(() => RollupAggregate, { description: 'What the value says of these records.', example: 'SUM' })
  aggregate!: RollupAggregate

  @Part(() => String, {
    nullable: true,
    max: 100,
    description:
      'The field whose values are aggregated, `customFields.<API name>` for a custom field: a number or an amount, for MIN and MAX also a date or time; formulas among them. Null for COUNT.',
    example: 'amount',
  })
  field!: string | null

  @Part(() => Json, {
    nullable: true,
    description:
      'Only records that meet these conditions count: a list of conditions as in validation rules, on fields of these records. They compare with a value or another field, not with the time or the previous version, and not by MATCHES. Null: all records.',
    example: [{ field: 'isWon', operator: 'EQUALS', value: true }],
  })
  conditions!: unknown

  @Part(() => ConditionLogic, {
    nullable: true,
    description: 'How the conditions are combined; null means AND.',
    example: 'AND',
  })
  logic!: ConditionLogic | null
}
