import { Entity } from '@mikro-orm/decorators/legacy'
import { Float, Int, ObjectType } from 'type-graphql'
import { numberMax } from '../../kernel/record/check-values.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { Part, Structure, StructureColumn } from '../../kernel/record/structure.ts'
import { patternCharactersMax } from '../../kernel/values/pattern.ts'
import { formulaLimits } from '../../kernel/formula/limits.ts'
import { entityMax, picklistValuesMax, precisionMax, textMax } from './bounds.ts'
import {
  CustomFieldChange,
  CustomFieldState,
  CustomFieldType,
  FormulaBlanks,
  FormulaReturnType,
} from './custom-field.enumerations.ts'

@Structure('PicklistValue', 'One value of a PICKLIST or MULTI_PICKLIST.')
export class PicklistValue {
  @Part(() => String, {
    max: 255,
    filled: true,
    description: 'The value that records store, unique in its field. It cannot be changed: add another one instead.',
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
      'The formula: fields by their names (`annualRevenue`, `customFields.margin`), numbers, texts in double quotation marks, operators and functions, as the guide about custom fields describes.',
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

export type DependentValues = Readonly<Record<string, readonly string[]>>

@ObjectType({
  description:
    'A field that the organization has added to a record type. Its values are in `customFields` of the records, under its name. Owners and admins change it.',
})
@RequiresScope('CUSTOM_FIELDS')
@Entity({ schema: 'extensions', tableName: 'field_definition' })
export class CustomField extends OrgRecord {
  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: entityMax,
    description:
      'The record type that has the field: LEAD, CONTACT, ACCOUNT, OPPORTUNITY, PRODUCT, QUOTE, or `custom:` and the name of a custom object, such as `custom:site_visit`. It never changes.',
    example: 'ACCOUNT',
  })
  entity!: string

  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: 64,
    filled: true,
    description:
      'API name: the key of its values in `customFields`, 1 to 64 ASCII letters, digits and underscores, first no digit. Unique in the record type, also among deleted fields until their values are removed, without regard to upper and lower case. It never changes.',
    example: 'tier',
  })
  name!: string

  @Column(() => String, {
    max: 255,
    filled: true,
    description: 'Name for people.',
    example: 'Tier',
  })
  label!: string

  @Column(() => CustomFieldType, {
    writable: 'ON_CREATE',
    indexed: true,
    description: 'What its values are. It never changes.',
    example: 'PICKLIST',
  })
  fieldType!: CustomFieldType

  @Column(() => String, {
    nullable: true,
    max: 1_000,
    description: 'What the field means, for people; null if not described.',
    example: 'Level of service that the account has bought.',
  })
  description!: string | null

  @Column(() => Boolean, {
    default: false,
    description:
      'Whether a new record must have a value, and no change may take it away. Records without a value can still be changed otherwise.',
    example: false,
  })
  isRequired!: boolean

  @Column(() => Boolean, {
    default: true,
    description:
      'Whether the field is in use. Records keep the values of an inactive field and show them; they can only be set to null.',
    example: true,
  })
  isActive!: boolean

  @Column(() => Boolean, {
    default: false,
    description:
      'TEXT, TEXTAREA, EMAIL, PHONE, URL, and FORMULA that gives a text: whether `search` of lists looks in it. Such a search reads every record that the other filters leave.',
    example: false,
  })
  isSearchable!: boolean

  @Column(() => String, {
    nullable: true,
    max: 1_000,
    description:
      'Value of a new record for which none is given, as text: `12.5`, `2026-03-01`, `true`; null: none. Values of MULTI_PICKLIST have `isDefault` instead.',
    example: null,
  })
  defaultValue!: string | null

  @StructureColumn(() => PicklistValue, {
    list: true,
    maxItems: picklistValuesMax,
    description:
      'The values of a PICKLIST or MULTI_PICKLIST; empty for other types. At least one is active. A value that records have cannot be removed, only made inactive.',
    example: [
      { value: 'GOLD', label: 'Gold', color: '#c9a227', isDefault: false, isActive: true, sortOrder: 0 },
      { value: 'SILVER', label: 'Silver', color: null, isDefault: true, isActive: true, sortOrder: 1 },
    ],
  })
  picklistValues!: PicklistValue[]

  @Column(() => String, {
    nullable: true,
    max: 64,
    description:
      'PICKLIST and MULTI_PICKLIST: name of the PICKLIST of the same record type whose value decides which values are allowed; null if none does.',
    example: null,
  })
  controllingField!: string | null

  @Column(() => Json, {
    nullable: true,
    description:
      'The allowed values by the value of `controllingField`: `{"GOLD": ["24h", "8h"]}`. Where it is not named, or has no value, none is allowed. Null without `controllingField`.',
    example: null,
  })
  dependentValues!: DependentValues | null

  @Column(() => String, {
    nullable: true,
    max: patternCharactersMax,
    description:
      'TEXT, EMAIL, PHONE and URL: a regular expression in RE2 syntax of which a value must contain a match; ^ and $ make it match the whole value. Null: none.',
    example: null,
  })
  pattern!: string | null

  @StructureColumn(() => FormulaConfig, {
    nullable: true,
    description: 'FORMULA: how its value is computed; null for other types.',
    example: null,
  })
  formulaConfig!: FormulaConfig | null

  @Column(() => Int, {
    nullable: true,
    minimum: 0,
    maximum: precisionMax,
    description: `NUMBER and CURRENCY: maximum number of decimals; null: ${precisionMax}.`,
    example: null,
  })
  precision!: number | null

  @Column(() => Int, {
    nullable: true,
    minimum: 1,
    maximum: textMax.TEXTAREA!,
    description:
      'TEXT, TEXTAREA, PHONE and URL: maximum number of characters, at most that of the type; null: that of the type.',
    example: null,
  })
  maxLength!: number | null

  @Column(() => Float, {
    nullable: true,
    minimum: -numberMax,
    maximum: numberMax,
    description: 'NUMBER and CURRENCY: smallest value; null: none but -1e15.',
    example: null,
  })
  minValue!: number | null

  @Column(() => Float, {
    nullable: true,
    minimum: -numberMax,
    maximum: numberMax,
    description: 'NUMBER and CURRENCY: largest value; null: none but 1e15.',
    example: null,
  })
  maxValue!: number | null

  @Column(() => Int, {
    derivedDefault: 'after the last field of the record type',
    minimum: 0,
    maximum: 1_000_000,
    description:
      'Position among the fields of the record type, for display; equal ones are in the order of their creation.',
    example: 0,
  })
  sortOrder!: number

  @Column(() => CustomFieldState, {
    writable: 'NEVER',
    default: 'READY',
    description:
      'BUILDING while a change of the field is carried out on all records, which may take minutes, and DELETING while the values of a field that was deleted more than 30 days ago are removed. Only in the state READY can the field be changed.',
    example: 'READY',
  })
  state!: CustomFieldState

  @StructureColumn(() => CustomFieldProgress, {
    nullable: true,
    writable: 'NEVER',
    isUnversioned: true,
    description:
      'How far the change that is under way has come, or how far the last one had come when it failed; null if the last one has succeeded. The version of the field does not change with it.',
    example: null,
  })
  progress!: CustomFieldProgress | null
}
