import type { FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { checkValues } from './check-values.ts'
import { columnKinds } from './column-kind.ts'
import { enumerationOf, type Column } from './column.ts'
import type { RecordShape } from './definition.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether a client could give the column a value in this operation. */
export function isSettable({ columns }: RecordShape, name: string, operation: 'CREATE' | 'UPDATE'): boolean {
  const column = columns.byName.get(name)
  if (!column || column.internal || column.key !== undefined || name === 'id') return false
  const { writable = 'ALWAYS' } = column
  return writable === 'ALWAYS' || (writable === 'ON_CREATE' && operation === 'CREATE')
}

/** The value in the form that GraphQL would give it; undefined if it has another type. */
export function typedValue(column: Column, value: unknown): unknown {
  if (value === null) return null
  const { structure } = column
  if (structure) {
    if (!structure.isList) return typedParts(structure.parts, value)
    if (!Array.isArray(value)) return undefined
    const items = value.map((item) => typedParts(structure.parts, item))
    return items.includes(undefined) ? undefined : items
  }
  const members = column.kind === 'enum' ? enumerationOf(column) : null
  if (members && !(typeof value === 'string' && Object.hasOwn(members, value))) return undefined
  return columnKinds[column.kind].parse(value)
}

function typedParts(parts: readonly Column[], value: unknown): Fields | undefined {
  if (!isJsonObject(value)) return undefined
  const byName = new Map(parts.map((part) => [part.name, part]))
  const result: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(value)) {
    const part = byName.get(name)
    const converted = part && typedValue(part, given)
    if (converted === undefined) return undefined
    result[name] = converted
  }
  return result
}

/** Values that did not come through GraphQL, with its types; or the problems of those that their columns cannot have. */
export function typedValues(
  definition: RecordShape,
  given: Fields,
): { readonly values: Fields } | { readonly problems: FieldProblem[] } {
  const values: Record<string, unknown> = {}
  const problems: FieldProblem[] = []
  for (const [name, value] of Object.entries(given)) {
    const converted = typedValue(definition.columns.byName.get(name)!, value)
    if (converted !== undefined) values[name] = converted
    else problems.push({ path: name, code: 'WRONG_TYPE', message: `${name} must not have a value of this type.` })
  }
  problems.push(...checkValues(definition, values))
  return problems.length > 0 ? { problems } : { values }
}
