import type { Caller, FieldRestrictions } from '../context.ts'
import { Refusal, type FieldProblem } from '../errors.ts'
import { isRawNumber } from '../json/exact-number.ts'
import { blank, type Column } from './column.ts'
import type { RecordShape } from './definition.ts'
import { customFieldKey, customFieldName, customFieldsName as customFields, sqlLiteral } from './custom-field-column.ts'
import { recordNamed } from './known-records.ts'

export type FieldLevel = 'HIDDEN' | 'READ'

/** The kind of record of a GraphQL type: `case_comment` of `CaseComment`. */
export const objectOfType = (type: string): string =>
  type.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Who a record is and how it came to be what it is: without them nothing can be read safely. */
const unrestrictable: ReadonlySet<string> = new Set([
  'id',
  'organizationId',
  'version',
  'createdAt',
  'updatedAt',
  'deletedAt',
])

/**
 * The most that a profile can take away of a column. A hidden column reads as if nobody had filled it, so only one that can be
 * empty can be hidden.
 */
export function restrictableTo(column: Column): FieldLevel | null {
  if (column.internal || unrestrictable.has(column.name)) return null
  return column.nullable || column.kind === 'textList' || column.name === customFields ? 'HIDDEN' : 'READ'
}

/** What one profile says about one kind of record. */
export interface FieldRules {
  /** Columns that read as if they were empty. */
  readonly hidden: ReadonlySet<string>
  /** Columns that no input may name; the hidden ones are among them. */
  readonly fixed: ReadonlySet<string>
  /** The same for single custom fields. */
  readonly hiddenKeys: ReadonlySet<string>
  readonly fixedKeys: ReadonlySet<string>
}

const known = new WeakMap<FieldRestrictions, WeakMap<RecordShape, FieldRules | null>>()

/** Null when nothing of this kind of record is withheld from the caller: the usual case, which costs one comparison. */
export function fieldRules({ fields }: Pick<Caller, 'fields'>, definition: RecordShape): FieldRules | null {
  if (!fields) return null
  let byShape = known.get(fields)
  if (!byShape) known.set(fields, (byShape = new WeakMap()))
  let rules = byShape.get(definition)
  if (rules === undefined) byShape.set(definition, (rules = rulesOf(fields, definition)))
  return rules
}

function rulesOf(fields: FieldRestrictions, definition: RecordShape): FieldRules | null {
  if (!Object.hasOwn(fields, definition.object)) return null
  const { byName } = definition.columns
  const [hidden, fixed, hiddenKeys, fixedKeys] = [0, 1, 2, 3].map(() => new Set<string>()) as [
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
  ]
  for (const [name, level] of Object.entries(fields[definition.object]!)) {
    const key = customFieldKey(name)
    if (key !== null) {
      fixedKeys.add(key)
      if (level === 'HIDDEN') {
        hiddenKeys.add(key)
        hidden.add(name)
      }
      continue
    }
    const column = byName.get(name)
    const most = column && restrictableTo(column)
    if (!most) continue
    fixed.add(name)
    if (level === 'HIDDEN' && most === 'HIDDEN') hidden.add(name)
  }
  for (const { name, derivedFrom = [] } of byName.values()) {
    if (!derivedFrom.some((source) => hidden.has(source))) continue
    hidden.add(name)
    fixed.add(name)
  }
  return fixed.size + fixedKeys.size > 0 ? { hidden, fixed, hiddenKeys, fixedKeys } : null
}

/** Restrictions with those that follow from them: a column whose content shows in another takes that one with it. */
export function withDerived(fields: FieldRestrictions): FieldRestrictions {
  const complete: Record<string, Readonly<Record<string, FieldLevel>>> = {}
  for (const [object, levels] of Object.entries(fields)) {
    const definition = recordNamed(object)
    const hidden = definition && rulesOf(fields, definition)?.hidden
    const derived = hidden
      ? definition.columns.stored.filter(({ name, derivedFrom }) => derivedFrom && hidden.has(name))
      : []
    complete[object] = { ...levels, ...Object.fromEntries(derived.map(({ name }) => [name, 'HIDDEN' as const])) }
  }
  return complete
}

export const isHidden = (caller: Pick<Caller, 'fields'>, definition: RecordShape, name: string): boolean =>
  fieldRules(caller, definition)?.hidden.has(name) ?? false

const refusalOf = (
  code: 'FIELD_NOT_READABLE' | 'FIELD_NOT_WRITABLE',
  verb: string,
  paths: readonly string[],
): Refusal => {
  const say = (what: string): string => `Your profile does not let you ${verb} ${what}.`
  const errors: FieldProblem[] = paths.map((path) => ({ path, code, message: say(path) }))
  return new Refusal(code, paths.length === 1 ? say(paths[0]!) : say(`${paths.length} of these fields`), { errors })
}

/** The refusal of a filter, an order or a lookup by fields that are hidden; the same whatever they hold. */
export const notReadable = (paths: readonly string[]): Refusal => refusalOf('FIELD_NOT_READABLE', 'read', paths)

/** 403 unless the caller may read all of these columns: for what is made of them. */
export function requireReadable(caller: Caller, definition: RecordShape, ...names: readonly string[]): void {
  refuseHidden(caller, definition, Object.fromEntries(names.map((name) => [name, null])))
}

/** 403 when one of the named fields is hidden from the caller, whatever value it is given. */
export function refuseHidden(caller: Caller, definition: RecordShape, values: Readonly<Record<string, unknown>>): void {
  const rules = fieldRules(caller, definition)
  const paths = rules ? named(values, rules.hidden, rules.hiddenKeys) : []
  if (paths.length > 0) throw notReadable(paths)
}

/** 403 when an input names a field that the caller may not write, whatever value it gives. */
export function refuseFixed(caller: Caller, definition: RecordShape, values: Readonly<Record<string, unknown>>): void {
  const rules = fieldRules(caller, definition)
  const paths = rules ? named(values, rules.fixed, rules.fixedKeys) : []
  if (paths.length > 0) throw refusalOf('FIELD_NOT_WRITABLE', 'change', paths)
}

/** Paths of what is named and is one of these columns or of these custom fields. */
function named(
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

/** Keys of a custom field filter that are hidden. */
export const hiddenKeysOf = ({ hiddenKeys }: FieldRules, value: unknown): string[] =>
  hiddenKeys.size > 0 ? keysOf(value).filter((key) => hiddenKeys.has(key)) : []

/**
 * A record as this caller may read it: what is hidden is as if nobody had filled it. For records that were not read for the
 * caller, such as the one an event carries. The record itself when nothing is withheld.
 */
export function redact<T extends object>(caller: Pick<Caller, 'fields'>, definition: RecordShape, record: T): T {
  const rules = fieldRules(caller, definition)
  if (!rules) return record
  const readable = { ...record } as Record<string, unknown>
  for (const column of definition.columns.stored) {
    if (rules.hidden.has(column.name) && column.name in readable) readable[column.name] = blank(column)
  }
  const values = readable[customFields]
  if (rules.hiddenKeys.size > 0 && typeof values === 'object' && values !== null)
    readable[customFields] = Object.fromEntries(Object.entries(values).filter(([key]) => !rules.hiddenKeys.has(key)))
  return readable as T
}

/** What a select list has in the place of a column of this caller; null when it is the column itself. */
export function substitute({ hidden, hiddenKeys }: FieldRules, column: Column, alias: string): string | null {
  if (hidden.has(column.name)) {
    if (column.kind === 'textList') return "'{}'::text[]"
    return column.name === customFields ? "'{}'::jsonb" : 'null'
  }
  if (column.name !== customFields || hiddenKeys.size === 0) return null
  return `${column.sql(alias)} - array[${[...hiddenKeys].map(sqlLiteral).join(', ')}]::text[]`
}
