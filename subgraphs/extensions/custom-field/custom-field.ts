import { Entity } from '@mikro-orm/decorators/legacy'
import { Float, Int, ObjectType } from 'type-graphql'
import { numberMax } from '../../kernel/record/check-values.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { patternCharactersMax } from '../../kernel/values/pattern.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import {
  aliasesMax,
  entityMax,
  indexedFieldsMax,
  picklistValuesMax,
  precisionMax,
  textMax,
  trackedMax,
} from './bounds.ts'
import { CustomFieldState, CustomFieldType, LookupDeleteBehavior } from './custom-field.enumerations.ts'
import { CustomFieldProgress, FormulaConfig, PicklistAlias, PicklistValue, RollupConfig } from './custom-field.parts.ts'
import { lookupColumns } from './lookup-columns.ts'

const bound = { nullable: true, minimum: -numberMax, maximum: numberMax, example: null } as const

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
    decidesEdges: true,
    max: entityMax,
    description:
      'The record type that has the field: LEAD, CONTACT, ACCOUNT, OPPORTUNITY, PRODUCT, QUOTE, or `custom:` and the name of a custom object, such as `custom:site_visit`. It never changes.',
    example: 'ACCOUNT',
  })
  entity!: string

  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    decidesEdges: true,
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
    indexed: true,
    description:
      'What its values are. TEXT, TEXTAREA, EMAIL, PHONE and URL can become one another, NUMBER and CURRENCY too, PICKLIST can become TEXT or MULTI_PICKLIST, and TEXT a PICKLIST; for any other type, add a field.',
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

  @Column(() => Boolean, {
    default: false,
    description: `Whether changes of records keep the values that they replace, with time and user, for 24 months: GET \`/v1/accounts/{id}/field-history\`, of a custom object GET \`/v1/custom-objects/{name}/records/{id}/field-history\`. At most ${trackedMax} fields of a record type. Not for a FORMULA that reads other records or the time.`,
    example: false,
  })
  trackHistory!: boolean

  @Column(() => Boolean, {
    default: false,
    description: `Whether lists are filtered by the field and sorted by it through an index, which takes milliseconds with any number of records. Not for TEXTAREA and MULTI_PICKLIST, nor for a FORMULA that reads other records or the time. A record type has at most ${indexedFieldsMax} indexed or unique fields, besides those of the types LOOKUP and MASTER_DETAIL, which are always indexed. Until the index is there, filters and orders read all records.`,
    example: false,
  })
  isIndexed!: boolean

  @Column(() => Boolean, {
    default: false,
    description:
      'TEXT, EMAIL, PHONE, URL, NUMBER and CURRENCY, and a FORMULA over fields of its own record with such a result: whether two records that are not deleted must not have the same value. Texts are the same if they differ only in case, white space or compatible forms of characters, such as full-width letters; phone numbers if their digits and a leading + are the same, where a leading 00 is a +; whatever else stands in them makes no difference. A unique field is indexed, too. Records without a value are not compared. If records already have the same value, the field does not become unique. The expression of a unique FORMULA does not change, nor what it reads.',
    example: false,
  })
  isUnique!: boolean

  @Column(() => Boolean, { internal: true, default: false })
  hasIndex!: boolean

  /** FORMULA: every record has the value of the definition as it is. Never of a formula that reads other records or the time. */
  @Column(() => Boolean, { internal: true, default: false })
  hasValues!: boolean

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

  @StructureColumn(() => RollupConfig, {
    nullable: true,
    description:
      'ROLLUP_SUMMARY: what its value is computed from; null for other types. A change is in effect at once, and builds what reads use again; childObject and the kind of the value never change.',
    example: null,
  })
  rollupConfig!: RollupConfig | null

  /** What reads use of a rollup is there for all records. */
  @Column(() => Boolean, { internal: true, default: false })
  hasTotals!: boolean

  @Column(() => String, lookupColumns.entity)
  lookupEntity!: string | null

  @Column(() => String, lookupColumns.object)
  lookupObject!: string | null

  @Column(() => LookupDeleteBehavior, lookupColumns.deleteBehavior)
  lookupDeleteBehavior!: LookupDeleteBehavior | null

  @Column(() => Boolean, lookupColumns.isReparentable)
  isReparentable!: boolean

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

  @Column(() => Float, { ...bound, description: 'NUMBER and CURRENCY: smallest value; null: none but -1e15.' })
  minValue!: number | null

  @Column(() => Float, { ...bound, description: 'NUMBER and CURRENCY: largest value; null: none but 1e15.' })
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
      'BUILDING while a change of the field is carried out on all records, which may take minutes, and DELETING while the values of a field that was deleted more than 30 days ago are removed. Only in the state READY can the field be changed, and while only the values of a FORMULA are written into the records.',
    example: 'READY',
  })
  state!: CustomFieldState

  @Column(() => CustomFieldType, {
    nullable: true,
    writable: 'NEVER',
    description:
      'The type that the field will have when all values of records have been checked by it; null if no such change is under way. Until then written values must fit both types.',
    example: null,
  })
  pendingType!: CustomFieldType | null

  /** The properties that the definition will have with `pendingType`. */
  @Column(() => Json, { nullable: true, internal: true })
  pending!: Partial<CustomField> | null

  @StructureColumn(() => PicklistAlias, {
    list: true,
    maxItems: aliasesMax,
    writable: 'NEVER',
    description: 'Values that were replaced in the last 30 days, for clients that still write them.',
    example: [],
  })
  aliases!: PicklistAlias[]

  @StructureColumn(() => CustomFieldProgress, {
    nullable: true,
    writable: 'NEVER',
    isUnversioned: true,
    description:
      'How far the change that is under way has come, or how far the last one had come when it failed; null if the last one has succeeded. The version of the field does not change with it.',
    example: null,
  })
  progress!: CustomFieldProgress | null

  @ManagedBy()
  managedBy!: string | null
}
