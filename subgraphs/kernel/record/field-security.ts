import type { Caller, FieldRestrictions } from '../context.ts'
import { Refusal, type FieldProblem } from '../errors.ts'
import { isRawNumber } from '../json/exact-number.ts'
import { emptyValue, isDerived, type Column } from './column.ts'
import type { RecordShape } from './definition.ts'
import { customFieldKey, customFieldName, customFieldsName as customFields, sqlLiteral } from './custom-field-column.ts'
import { customObjectName } from './custom-object.ts'
import { recordNamed, recordTypeNames } from './record-registry.ts'

export type FieldLevel = 'HIDDEN' | 'READ'

/** The record type of a GraphQL type: `case_comment` for `CaseComment`. */
export const objectOfType = (type: string): string =>
  type.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Columns that no profile can restrict, because reads, paging and conflict checks need them. */
const unrestrictable: ReadonlySet<string> = new Set([
  'id',
  'organizationId',
  'version',
  'createdAt',
  'updatedAt',
  'deletedAt',
])

/**
 * The strictest level that a profile can set for a column; null when it cannot restrict the column. A hidden column is returned
 * as empty, so only a column that can be empty can be hidden.
 */
export function strictestLevel(column: Column): FieldLevel | null {
  if (column.internal || unrestrictable.has(column.name)) return null
  return column.nullable || column.kind === 'textList' || column.structure?.isList || column.name === customFields
    ? 'HIDDEN'
    : 'READ'
}

/** The restrictions of one profile for one record type. */
export interface FieldRules {
  /** Columns that are returned as empty. */
  readonly hidden: ReadonlySet<string>
  /** Columns that the caller cannot write, including the hidden ones. */
  readonly readOnly: ReadonlySet<string>
  /** Keys of hidden custom fields. */
  readonly hiddenKeys: ReadonlySet<string>
  /** Keys of custom fields that the caller cannot write, including the hidden ones. */
  readonly readOnlyKeys: ReadonlySet<string>
}

const rulesCache = new WeakMap<FieldRestrictions, WeakMap<RecordShape, FieldRules | null>>()

/** Null when the caller's profile restricts nothing of this record type. This is the usual case and costs one comparison. */
export function fieldRules({ fields }: Pick<Caller, 'fields'>, definition: RecordShape): FieldRules | null {
  if (!fields) return null
  let byShape = rulesCache.get(fields)
  if (!byShape) rulesCache.set(fields, (byShape = new WeakMap()))
  let rules = byShape.get(definition)
  if (rules === undefined) byShape.set(definition, (rules = rulesOf(fields, definition)))
  return rules
}

const followsFromOthers = ({ columns }: RecordShape): boolean =>
  [...columns.byName.values()].some(({ hiddenWith }) => hiddenWith)

/** Whether the profile hides a column of another record type, `object.column`, that can be hidden. */
function isHiddenElsewhere(fields: FieldRestrictions, source: string): boolean {
  const dot = source.indexOf('.')
  const [object, name] = [source.slice(0, dot), source.slice(dot + 1)]
  if (customFieldKey(name) !== null && fields[object]?.[customFields] === 'HIDDEN') return true
  if (fields[object]?.[name] !== 'HIDDEN') return false
  if (name === customFields || customFieldKey(name) !== null || customObjectName(object) !== null) return true
  const column = recordNamed(object)?.columns.byName.get(name)
  return column !== undefined && strictestLevel(column) === 'HIDDEN'
}

function rulesOf(fields: FieldRestrictions, definition: RecordShape): FieldRules | null {
  if (!Object.hasOwn(fields, definition.object) && !followsFromOthers(definition)) return null
  const { byName } = definition.columns
  const [hidden, readOnly, hiddenKeys, readOnlyKeys] = [0, 1, 2, 3].map(() => new Set<string>()) as [
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
  ]
  for (const [name, level] of Object.entries(fields[definition.object] ?? {})) {
    const key = customFieldKey(name)
    if (key !== null) {
      readOnlyKeys.add(key)
      if (level === 'HIDDEN') {
        hiddenKeys.add(key)
        hidden.add(name)
      }
      continue
    }
    const column = byName.get(name)
    const strictest = column && strictestLevel(column)
    if (!strictest) continue
    readOnly.add(name)
    if (level === 'HIDDEN' && strictest === 'HIDDEN') hidden.add(name)
  }
  for (const column of byName.values()) {
    const { name, key, derivedFrom = [], hiddenWith = [] } = column
    const isHiddenByOther = hiddenWith.some((source) => isHiddenElsewhere(fields, source))
    if (!isHiddenByOther && !derivedFrom.some((source) => hidden.has(source))) continue
    hidden.add(name)
    readOnly.add(name)
    if (key === undefined || !isDerived(column)) continue
    hiddenKeys.add(key)
    readOnlyKeys.add(key)
  }
  // What an unused formula was computed from is not known.
  for (const key of definition.columns.droppedKeys) hiddenKeys.add(key)
  return readOnly.size + readOnlyKeys.size > 0 ? { hidden, readOnly, hiddenKeys, readOnlyKeys } : null
}

/** Adds the restrictions that follow from the given ones: a column derived from a hidden column, also of another record type, is hidden, too. */
export function addDerivedRestrictions(fields: FieldRestrictions): FieldRestrictions {
  const complete: Record<string, Readonly<Record<string, FieldLevel>>> = {}
  const dependent = recordTypeNames().filter((object) => followsFromOthers(recordNamed(object)!))
  for (const object of new Set([...Object.keys(fields), ...dependent])) {
    const definition = recordNamed(object)
    const hidden = definition && rulesOf(fields, definition)?.hidden
    const derived = hidden
      ? definition.columns.stored.filter(
          ({ name, derivedFrom, hiddenWith }) => (derivedFrom ?? hiddenWith) && hidden.has(name),
        )
      : []
    const levels = { ...fields[object], ...Object.fromEntries(derived.map(({ name }) => [name, 'HIDDEN' as const])) }
    if (Object.keys(levels).length > 0 || Object.hasOwn(fields, object)) complete[object] = levels
  }
  return complete
}

/** What the records consist of, `object.column`, as far as the profile hides it. */
export const hiddenParts = (
  { fields }: Pick<Caller, 'fields'>,
  { partsOf = [] }: Pick<RecordShape, 'partsOf'>,
): string[] => (fields ? partsOf.filter((source) => isHiddenElsewhere(fields, source)) : [])

export const isHidden = (caller: Pick<Caller, 'fields'>, definition: RecordShape, name: string): boolean =>
  fieldRules(caller, definition)?.hidden.has(name) ?? false

export function mayWrite(caller: Pick<Caller, 'fields'>, definition: RecordShape, name: string): boolean {
  const column = definition.columns.byName.get(name)
  if (column && isDerived(column)) return false
  const rules = fieldRules(caller, definition)
  if (!rules) return true
  const key = customFieldKey(name)
  if (key === null) return !rules.readOnly.has(name)
  return !rules.readOnlyKeys.has(key) && !rules.readOnly.has(customFields)
}

const fieldRefusal = (
  code: 'FIELD_NOT_READABLE' | 'FIELD_NOT_WRITABLE',
  verb: string,
  paths: readonly string[],
): Refusal => {
  const messageFor = (what: string): string => `Your profile does not let you ${verb} ${what}.`
  const errors: FieldProblem[] = paths.map((path) => ({ path, code, message: messageFor(path) }))
  return new Refusal(code, paths.length === 1 ? messageFor(paths[0]!) : messageFor(`${paths.length} of these fields`), {
    errors,
  })
}

/** The refusal of a filter, an order or a lookup by hidden fields. It does not depend on their values. */
export const fieldNotReadable = (paths: readonly string[]): Refusal => fieldRefusal('FIELD_NOT_READABLE', 'read', paths)

/** Refuses with 403 unless the caller may read all of these columns. For results that are computed from them. */
export function requireReadable(caller: Caller, definition: RecordShape, ...names: readonly string[]): void {
  refuseHiddenFields(caller, definition, Object.fromEntries(names.map((name) => [name, null])))
}

/** Refuses with 403 a caller whose profile hides columns of other record types of which the records consist. */
export function requireWholeParts(caller: Pick<Caller, 'fields'>, definition: Pick<RecordShape, 'partsOf'>): void {
  const paths = hiddenParts(caller, definition)
  if (paths.length > 0) throw fieldNotReadable(paths)
}

/** Refuses with 403 when `values` contains a field that is hidden from the caller. The values themselves do not matter. */
export function refuseHiddenFields(
  caller: Caller,
  definition: RecordShape,
  values: Readonly<Record<string, unknown>>,
): void {
  const rules = fieldRules(caller, definition)
  const paths = rules ? matchingPaths(values, rules.hidden, rules.hiddenKeys) : []
  if (paths.length > 0) throw fieldNotReadable(paths)
}

/** Refuses with 403 when `values` contains a field that the caller may not write. The values themselves do not matter. */
export function refuseReadOnlyFields(
  caller: Caller,
  definition: RecordShape,
  values: Readonly<Record<string, unknown>>,
): void {
  const rules = fieldRules(caller, definition)
  const paths = rules ? matchingPaths(values, rules.readOnly, rules.readOnlyKeys) : []
  if (paths.length > 0) throw fieldRefusal('FIELD_NOT_WRITABLE', 'change', paths)
}

/** The paths of those given fields that are among these columns or custom field keys. */
function matchingPaths(
  values: Readonly<Record<string, unknown>>,
  columns: ReadonlySet<string>,
  keys: ReadonlySet<string>,
): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (columns.has(name)) return [name]
    return name === customFields ? keysOf(value).flatMap((key) => (keys.has(key) ? [customFieldName(key)] : [])) : []
  })
}

const keysOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !isRawNumber(value) ? Object.keys(value) : []

/** The hidden keys in a filter on custom fields. */
export const hiddenKeysOf = ({ hiddenKeys }: FieldRules, value: unknown): string[] =>
  hiddenKeys.size > 0 ? keysOf(value).filter((key) => hiddenKeys.has(key)) : []

/**
 * Replaces hidden columns of a record by empty values. For records that were not read for this caller, such as the record in an
 * event. Returns the same object when nothing is hidden.
 */
export function redact<T extends object>(caller: Pick<Caller, 'fields'>, definition: RecordShape, record: T): T {
  const rules = fieldRules(caller, definition)
  if (!rules) return record
  const readable = { ...record } as Record<string, unknown>
  for (const column of definition.columns.stored) {
    if (rules.hidden.has(column.name) && column.name in readable) readable[column.name] = emptyValue(column)
  }
  const values = readable[customFields]
  if (rules.hiddenKeys.size > 0 && typeof values === 'object' && values !== null)
    readable[customFields] = Object.fromEntries(Object.entries(values).filter(([key]) => !rules.hiddenKeys.has(key)))
  return readable as T
}

/** The SQL expression that replaces a column, read by `sql`, in the select list for this caller; null when the column is not restricted. */
export function restrictedSql({ hidden, hiddenKeys }: FieldRules, column: Column, sql: string): string | null {
  if (hidden.has(column.name)) {
    if (column.kind === 'textList') return "'{}'::text[]"
    if (column.structure?.isList) return "'[]'::jsonb"
    return column.name === customFields ? "'{}'::jsonb" : 'null'
  }
  if (column.name !== customFields || hiddenKeys.size === 0) return null
  return `${sql} - array[${[...hiddenKeys].map(sqlLiteral).join(', ')}]::text[]`
}
