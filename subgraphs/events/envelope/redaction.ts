import { emptyValue, type Column } from '../../kernel/record/column.ts'
import { customFieldKey, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { FieldRules } from '../../kernel/record/field-security.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'

type Fields = Readonly<Record<string, unknown>>

/** Names of hidden columns and custom fields, and the keys of these custom fields. */
type Hidden = Pick<FieldRules, 'hidden' | 'hiddenKeys'>

/** What the field-level security of a profile removes from the events of a record type. */
interface Redaction {
  /** The names in `data.redactedFields`. They depend on the profile alone, so they do not tell whether the record has a value. */
  readonly names: readonly string[]
  readonly record: (values: Fields) => Fields
  /** By event type: the added members of `data` that show a hidden column, with their empty values. */
  readonly added: ReadonlyMap<string, Fields>
}

const redactions = new WeakMap<FieldRules, Redaction>()

function redactionOf(rules: FieldRules, shape: RecordShape): Redaction {
  let redaction = redactions.get(rules)
  if (!redaction) redactions.set(rules, (redaction = compile(rules, shape)))
  return redaction
}

function compile({ hidden, hiddenKeys }: FieldRules, shape: RecordShape): Redaction {
  const { byName } = shape.columns
  const names = [...hidden]
    .filter((name) => !byName.get(name)?.internal)
    .filter(
      (name) => name === customFieldsName || !name.startsWith(`${customFieldsName}.`) || !hidden.has(customFieldsName),
    )
  return {
    names: names.toSorted(),
    record: (values) => without(values, { hidden, hiddenKeys }),
    added: new Map(
      Object.entries(shape.events?.types ?? {}).flatMap(([type, { adds = {} }]) => {
        const empty = Object.entries(adds).flatMap(([name, path]): [string, unknown][] => {
          const column = byName.get(path.slice(path.indexOf('.') + 1))
          return column && hidden.has(column.name) ? [[name, emptyValue(column) ?? null]] : []
        })
        return empty.length > 0 ? [[type, Object.fromEntries(empty)] as const] : []
      }),
    ),
  }
}

export function without(values: Fields, { hidden, hiddenKeys }: Hidden): Fields {
  const kept: Record<string, unknown> = {}
  for (const name in values) {
    if (hidden.has(name)) continue
    const value = values[name]
    kept[name] =
      name === customFieldsName && hiddenKeys.size > 0 && isJsonObject(value) ? withoutKeys(value, hiddenKeys) : value
  }
  return kept
}

function withoutKeys(values: Fields, hidden: ReadonlySet<string>): Fields {
  const kept: Record<string, unknown> = {}
  for (const key in values) if (!hidden.has(key)) kept[key] = values[key]
  return kept
}

/** A changed `customFields` counts as changed only if one of its readable fields did. */
export const isReadableChange = (
  name: string,
  { hidden, hiddenKeys }: Hidden,
  record: Fields,
  previous: Fields,
): boolean => {
  if (hidden.has(name) || (hidden.has(customFieldsName) && customFieldKey(name) !== null)) return false
  if (name !== customFieldsName || hiddenKeys.size === 0) return true
  return !isSameValue(record[customFieldsName], previous[customFieldsName])
}

/**
 * The data of an event without what a profile hides: hidden fields are dropped from `record`, `previous` and `changedFields` and named in
 * `redactedFields`; a member that shows one of them is empty. Null for an update of which no changed field is readable.
 */
export function redactedData(rules: FieldRules, shape: RecordShape, type: string, data: Fields): Fields | null {
  const redaction = redactionOf(rules, shape)
  const { names } = redaction
  if (names.length === 0) return data
  const record = isJsonObject(data['record']) ? redaction.record(data['record']) : data['record']
  const previous = isJsonObject(data['previous']) ? redaction.record(data['previous']) : data['previous']
  let changed = data['changedFields']
  if (Array.isArray(changed) && changed.length > 0) {
    changed = (changed as string[]).filter((name) =>
      isReadableChange(name, rules, record as Fields, previous as Fields),
    )
    if ((changed as string[]).length === 0) return null
  }
  return { ...data, ...redaction.added.get(type), record, previous, changedFields: changed, redactedFields: names }
}

const withheld = new WeakMap<RecordShape, Map<string, Fields>>()

/** The members of the data of an event that show the record before the change, with their empty values. */
function addedOfPrevious(shape: RecordShape, type: string): Fields {
  let byType = withheld.get(shape)
  if (!byType) withheld.set(shape, (byType = new Map()))
  let added = byType.get(type)
  if (!added) byType.set(type, (added = Object.fromEntries(previousMembers(shape, type))))
  return added
}

const previousMembers = (shape: RecordShape, type: string): [string, unknown][] =>
  Object.entries(shape.events?.types[type]?.adds ?? {}).flatMap(([name, path]): [string, unknown][] => {
    const [source, column] = path.split('.', 2)
    return source === 'previous' ? [[name, emptyMember(shape.columns.byName.get(column!))]] : []
  })

/** A text stays a text, because receivers may rely on the type of the member. */
const emptyMember = (column: Column | undefined): unknown =>
  (column && emptyValue(column)) ?? (column?.kind === 'text' && !column.nullable ? '' : null)

/** The data for a recipient who could not see the record before the change: nothing tells what it was, or what the change was. */
export const withoutPrevious = (shape: RecordShape, type: string, data: Fields): Fields => ({
  ...data,
  ...addedOfPrevious(shape, type),
  previous: null,
  changedFields: null,
})
