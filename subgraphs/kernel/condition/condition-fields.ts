import type { Caller } from '../context.ts'
import type { FormulaFields } from '../formula/formula.ts'
import type { Column } from '../record/column.ts'
import type { ColumnKind } from '../record/column-kind.ts'
import { customFieldKey } from '../record/custom-field-column.ts'
import { hasColumn, type RecordShape } from '../record/definition.ts'
import { fieldRules } from '../record/field-security.ts'
import { isJsonObject } from '../json/exact-number.ts'

/** `any`: the type is known only from the value, as for a custom field without a definition. */
export type FieldKind = ColumnKind | 'any'

/** A field that a condition can name. */
export interface ConditionField {
  readonly name: string
  readonly kind: FieldKind
  /** The values of an enumeration. */
  readonly members?: readonly string[]
  /** An email address, or a list of them. */
  readonly isEmail?: boolean
  /** The key of a custom field: the value is `record.customFields[key]`. */
  readonly key?: string
  /** What a record without a value has. */
  readonly absent?: unknown
  /** The caller's profile hides the field, so a condition on it is refused. */
  readonly isHidden?: boolean
}

/** The fields of one record type or of one type of custom events. */
export interface ConditionFields {
  /** What has the fields, for error messages: `account`. */
  readonly of: string
  field(name: string): ConditionField | null
  /** The fields that formulas can read; without it, conditions take no formulas. */
  readonly formulas?: FormulaFields
}

const customFieldMax = 100

function columnField(column: Column, isHidden: boolean): ConditionField {
  const { name, kind, key, isEmail = false } = column
  const absent = key !== undefined && kind === 'boolean' ? column.default : undefined
  const members = kind === 'enum' ? Object.keys(column.type) : undefined
  return {
    name,
    kind,
    ...(members && { members }),
    ...(isEmail && { isEmail }),
    ...(key !== undefined && { key }),
    ...(absent !== undefined && { absent }),
    ...(isHidden && { isHidden }),
  }
}

/**
 * The columns and custom fields of a record type. With a caller, the fields that the profile hides are refused; without one, the
 * platform itself states the conditions. A custom field without a definition has the kind `any`.
 */
export function fieldsOfShape(
  shape: RecordShape,
  caller: Pick<Caller, 'fields'> | null,
  hasLive = false,
): ConditionFields {
  const rules = caller && fieldRules(caller, shape)
  return {
    of: shape.object,
    field(name) {
      const column = shape.columns.byName.get(name)
      // What follows from other records or the time has its value in reads only, and where it is computed for the conditions (`hasLive`).
      if (!hasLive && (column?.rollup !== undefined || column?.formula?.isLocal === false)) return null
      if (column) return column.internal ? null : columnField(column, rules?.hidden.has(name) ?? false)
      const key = customFieldKey(name)
      if (key === null || key === '' || key.length > customFieldMax || !hasColumn(shape, 'customFields')) return null
      const isHidden = (rules?.hidden.has('customFields') || rules?.hiddenKeys.has(key)) ?? false
      return { name, kind: 'any', key, ...(isHidden && { isHidden }) }
    },
  }
}

const kindOfFormat: Readonly<Record<string, ColumnKind>> = { 'date-time': 'timestamp', date: 'date' }

function kindOfProperty({ type, format, enum: members }: Readonly<Record<string, unknown>>): FieldKind {
  switch (Array.isArray(type) ? type.find((each) => each !== 'null') : type) {
    case 'string':
      return Array.isArray(members) ? 'enum' : (kindOfFormat[format as string] ?? 'text')
    case 'integer':
    case 'number':
      return 'money'
    case 'boolean':
      return 'boolean'
    default:
      return 'any'
  }
}

/** The properties of a JSON Schema with scalar properties, such as the payload of custom events. */
export function fieldsOfSchema(of: string, schema: Readonly<Record<string, unknown>>): ConditionFields {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  return {
    of,
    field(name) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (!isJsonObject(property)) return null
      const kind = kindOfProperty(property)
      const members = kind === 'enum' && (property['enum'] as unknown[]).filter((each) => typeof each === 'string')
      return { name, kind, ...(members && { members }) }
    },
  }
}
