import { exactNumberOf, isJsonObject } from '../json/exact-number.ts'
import type { Column } from './column.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { isMember, valueDescription } from './custom-field-column.ts'
import type { Values } from './predicate.ts'

const comparison: Readonly<Record<string, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

/** Escapes `%`, `_` and `\` for `like`. */
export const escapeLikePattern = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** A comparison of two SQL expressions. */
export const comparisonSql = (sql: string, operator: string, other: string): string =>
  `${sql} ${comparison[operator]!} ${other}`

/** Whether the operator compares with exactly one value. */
export const isOneValue = (operator: string, operand: unknown): boolean =>
  operator === 'eq' || (operator === 'in' && Array.isArray(operand) && operand.length === 1)

/** The SQL of one filter operator. The operand must have the kind of the column. */
export function operatorSql({ kind }: Column, sql: string, operator: string, operand: unknown, values: Values): string {
  const list = () => `${values.add(operand)}::${columnKinds[kind].listType}`
  const like = (pattern: string) => `${sql} ilike ${values.add(pattern)}`
  switch (operator) {
    case 'eq':
      return `${sql} = ${values.addOf(kind, operand)}`
    case 'ne':
      return `${sql} is distinct from ${values.addOf(kind, operand)}`
    case 'in': {
      // An equality is a range of an index in the order of creation.
      const [only] = operand as readonly unknown[]
      return isOneValue(operator, operand) ? `${sql} = ${values.addOf(kind, only)}` : `${sql} = any(${list()})`
    }
    case 'notIn':
      return `coalesce(not (${sql} = any(${list()})), true)`
    case 'isNull':
      return operand ? `${sql} is null` : `${sql} is not null`
    case 'contains':
      return like(`%${escapeLikePattern(operand as string)}%`)
    case 'startsWith':
      return like(`${escapeLikePattern(operand as string)}%`)
    case 'endsWith':
      return like(`%${escapeLikePattern(operand as string)}`)
    case 'has':
      return `${sql} @> array[${values.add(operand)}]::text[]`
    case 'hasAny':
      return `${sql} && ${list()}`
    case 'hasAll':
      return `${sql} @> ${list()}`
    case 'isEmpty':
      return operand ? `cardinality(${sql}) = 0` : `cardinality(${sql}) > 0`
    default:
      return comparisonSql(sql, operator, values.addOf(kind, operand))
  }
}

/** The operators of a condition on a custom field. A plain value means equality; null means that there is no value. */
export function operatorsOf({ kind }: Column, condition: unknown): Readonly<Record<string, unknown>> {
  const isList = kind === 'textList'
  if (condition === null) return isList ? { isEmpty: true } : { isNull: true }
  if (isJsonObject(condition)) return condition
  if (isList) return Array.isArray(condition) ? { hasAll: condition } : { has: condition }
  return { eq: typeof condition === 'string' ? fromText(kind, condition) : condition }
}

/** Converts the text of a query parameter such as `customFields[seats]=5`. */
function fromText(kind: ColumnKind, text: string): unknown {
  if (kind === 'money') return exactNumberOf(text) ?? text
  if (kind === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text
}

const listOperators: ReadonlySet<string> = new Set(['in', 'notIn', 'hasAny', 'hasAll'])
const booleanOperators: ReadonlySet<string> = new Set(['isNull', 'isEmpty'])
const textOperators: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith', 'has', 'hasAny', 'hasAll'])

/** Converts an operand to the form that is compared; undefined when it has the wrong type. */
export function parseOperand(column: Column, operator: string, operand: unknown): unknown {
  if (booleanOperators.has(operator)) return typeof operand === 'boolean' ? operand : undefined
  const { parse } = columnKinds[textOperators.has(operator) ? 'text' : column.kind]
  const parsed = (value: unknown): unknown =>
    column.kind === 'enum' && !isMember(column, value) ? undefined : parse(value)
  if (!listOperators.has(operator)) return parsed(operand)
  if (!Array.isArray(operand)) return undefined
  const items = operand.map(parsed)
  return items.includes(undefined) ? undefined : items
}

/** Describes what `parseOperand` accepts, for error messages. */
export function operandDescription(column: Column, operator: string): string {
  if (booleanOperators.has(operator)) return 'true or false'
  const one = textOperators.has(operator) ? 'text' : valueDescription(column)
  return listOperators.has(operator) ? `a list in which each item is ${one}` : one
}
