import { exactNumberOf } from '../../kernel/json/exact-number.ts'
import type {
  CustomFieldDefinition,
  CustomFieldKind,
  FormulaDefinition,
} from '../../kernel/record/custom-field-column.ts'
import type { CustomFieldFormat } from '../../kernel/record/custom-field-rules.ts'
import { formulaLimits } from '../../kernel/formula/limits.ts'
import { precisionMax, textMax } from './bounds.ts'
import type { CustomFieldType } from './custom-field.enumerations.ts'
import type { RollupDefinition } from '../../kernel/record/rollup/rollup-definition.ts'
import type { FormulaConfig, RollupConfig } from './custom-field.parts.ts'
import type { CustomField } from './custom-field.ts'
import { lookupOf } from './lookup-rules.ts'
import { references } from './types-of.ts'

/** What writes and reads need to know of a field. */
export type StoredField = Pick<
  CustomField,
  | 'id'
  | 'entity'
  | 'name'
  | 'label'
  | 'fieldType'
  | 'description'
  | 'isRequired'
  | 'isActive'
  | 'isSearchable'
  | 'isIndexed'
  | 'isUnique'
  | 'hasIndex'
  | 'hasValues'
  | 'defaultValue'
  | 'picklistValues'
  | 'controllingField'
  | 'dependentValues'
  | 'pattern'
  | 'precision'
  | 'maxLength'
  | 'minValue'
  | 'maxValue'
  | 'formulaConfig'
  | 'rollupConfig'
  | 'hasTotals'
  | 'lookupEntity'
  | 'lookupObject'
  | 'lookupDeleteBehavior'
  | 'isReparentable'
  | 'trackHistory'
  | 'pending'
  | 'aliases'
>

type ValueType = Exclude<CustomFieldType, 'FORMULA'>

const kinds: Readonly<Record<ValueType, CustomFieldKind>> = {
  TEXT: 'text',
  TEXTAREA: 'text',
  EMAIL: 'text',
  PHONE: 'text',
  URL: 'text',
  NUMBER: 'money',
  CURRENCY: 'money',
  DATE: 'date',
  DATETIME: 'timestamp',
  CHECKBOX: 'boolean',
  PICKLIST: 'enum',
  MULTI_PICKLIST: 'textList',
  LOOKUP: 'id',
  MASTER_DETAIL: 'id',
  // Of a date, if the field whose least or greatest value it is has dates.
  ROLLUP_SUMMARY: 'money',
}

type Typed = Pick<StoredField, 'fieldType' | 'formulaConfig'>

/** The type of the values: of a formula, that of its result. */
const valueTypeOf = ({ fieldType, formulaConfig }: Typed): ValueType =>
  fieldType === 'FORMULA' ? formulaConfig!.returnType : fieldType

const kindOf = (field: Typed): CustomFieldKind => kinds[valueTypeOf(field)]

export const formulaOf = ({ expression, returnType, decimals, blankAs }: FormulaConfig): FormulaDefinition => ({
  expression,
  returnType,
  decimals: decimals ?? precisionMax,
  blankAs,
})

/** The record type of an entity: `opportunity` for `OPPORTUNITY`. */
export const objectOf = (entity: string): string => entity.toLowerCase()

export const rollupOf = ({
  id,
  rollupConfig,
  hasTotals,
}: Pick<StoredField, 'id' | 'hasTotals'> & { readonly rollupConfig: RollupConfig }): RollupDefinition => {
  const { childObject, relationField, aggregate, field, conditions, logic } = rollupConfig
  const child = objectOf(childObject)
  return { id, child, relation: relationField, aggregate, field, conditions, logic, isReady: hasTotals }
}

const formats: Readonly<Partial<Record<CustomFieldType, CustomFieldFormat>>> = {
  EMAIL: 'EMAIL',
  PHONE: 'PHONE',
  URL: 'URL',
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false }

/** The value that a text means for a type; undefined if it means none. */
function valueOf(fieldType: CustomFieldType, text: string): unknown {
  if (fieldType === 'NUMBER' || fieldType === 'CURRENCY') return exactNumberOf(text)
  return fieldType === 'CHECKBOX' && Object.hasOwn(booleans, text) ? booleans[text] : text
}

/** The value of new records; undefined if there is none. */
export function defaultOf({
  fieldType,
  defaultValue,
  picklistValues,
}: Pick<StoredField, 'fieldType' | 'defaultValue' | 'picklistValues'>): unknown {
  if (defaultValue !== null) return valueOf(fieldType, defaultValue) ?? defaultValue
  const chosen = picklistValues.filter(({ isDefault, isActive }) => isDefault && isActive).map(({ value }) => value)
  switch (fieldType) {
    case 'CHECKBOX':
      return false
    case 'PICKLIST':
      return chosen[0]
    case 'MULTI_PICKLIST':
      return chosen.length > 0 ? chosen : undefined
    default:
      return undefined
  }
}

const given = <T>(value: T | null): T | undefined => value ?? undefined

/** The definition of the column. */
export function definitionOf(field: StoredField): CustomFieldDefinition {
  const { name, label, fieldType, description, isRequired, isSearchable, picklistValues, pattern } = field
  const { isIndexed, isUnique, hasIndex, controllingField, dependentValues, precision, maxLength, minValue, maxValue } =
    field
  const { pending, aliases } = field
  const kind = kindOf(field)
  const formula = field.formulaConfig ? formulaOf(field.formulaConfig) : undefined
  const hasValues = fieldType === 'PICKLIST' || fieldType === 'MULTI_PICKLIST'
  const definition: { -readonly [Name in keyof CustomFieldDefinition]?: CustomFieldDefinition[Name] | undefined } = {
    label,
    description: description ?? label,
    isRequired,
    pattern,
    searchable: isSearchable,
    hasHistory: field.trackHistory,
    format: formats[fieldType],
    max: maxLength ?? (formula ? formulaLimits.text : textMax[fieldType]),
    decimals: kind === 'money' ? (formula?.decimals ?? precision ?? precisionMax) : undefined,
    minimum: given(minValue),
    maximum: given(maxValue),
    members: hasValues ? picklistValues.map(({ value }) => value) : undefined,
    retired: hasValues ? picklistValues.flatMap(({ value, isActive }) => (isActive ? [] : [value])) : undefined,
    dependsOn: controllingField === null ? null : { field: controllingField, values: dependentValues ?? {} },
    default: defaultOf(field),
    formula: formula && { ...formula, isStored: field.hasValues },
    rollup: field.rollupConfig ? rollupOf({ ...field, rollupConfig: field.rollupConfig }) : undefined,
    lookup: references.includes(fieldType) ? lookupOf(field) : undefined,
    aliases:
      hasValues && aliases.length > 0 ? Object.fromEntries(aliases.map(({ from, to }) => [from, to])) : undefined,
    also: pending ? definitionOf({ ...field, ...pending, pending: null, isRequired: false }) : undefined,
    index: isIndexed || isUnique ? { isUnique, isReady: hasIndex } : undefined,
  }
  const known = Object.entries(definition).filter(([, value]) => value !== undefined)
  return { name, kind, ...(Object.fromEntries(known) as Partial<CustomFieldDefinition>) }
}
