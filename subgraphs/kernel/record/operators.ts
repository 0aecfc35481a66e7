import { exactNumberOf, isJsonObject } from '../json/exact-number.ts'
import type { Column } from './column.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { isMember, valueDescription } from './custom-field-column.ts'
import { comparedEmailsSql, comparedEmailSql } from './email-equality.ts'
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

interface Compared {
  /** The SQL of the column in the form in which equality compares it. */
  readonly sql: string
  /** Adds one value in that form. */
  one(value: unknown): string
  /** Adds a list of values in that form. */
  list(value: unknown): string
}

function comparedOf({ kind, isEmail = false, isCanonical = false }: Column, sql: string, values: Values): Compared {
  const list = (value: unknown) => `${values.add(value)}::${columnKinds[kind].listType}`
  if (!isEmail) return { sql, one: (value) => values.addOf(kind, value), list }
  return {
    sql: isCanonical ? sql : kind === 'textList' ? comparedEmailsSql(sql) : comparedEmailSql(sql),
    one: (value) => comparedEmailSql(`${values.add(value)}::text`),
    list: (value) => comparedEmailsSql(list(value)),
  }
}

/** The SQL of one filter operator. The operand must have the kind of the column. */
export function operatorSql(column: Column, sql: string, operator: string, operand: unknown, values: Values): string {
  const compared = comparedOf(column, sql, values)
  const like = (pattern: string) => `${sql} ilike ${values.add(pattern)}`
  switch (operator) {
    case 'eq':
      return `${compared.sql} = ${compared.one(operand)}`
    case 'ne':
      return `${compared.sql} is distinct from ${compared.one(operand)}`
    case 'in': {
      // An equality is a range of an index in the order of creation.
      const [only] = operand as readonly unknown[]
      return isOneValue(operator, operand)
        ? `${compared.sql} = ${compared.one(only)}`
        : `${compared.sql} = any(${compared.list(operand)})`
    }
    case 'notIn':
      return `coalesce(not (${compared.sql} = any(${compared.list(operand)})), true)`
    case 'isNull':
      return operand ? `${sql} is null` : `${sql} is not null`
    case 'contains':
      return like(`%${escapeLikePattern(operand as string)}%`)
    case 'startsWith':
      return like(`${escapeLikePattern(operand as string)}%`)
    case 'endsWith':
      return like(`%${escapeLikePattern(operand as string)}`)
    case 'has':
      return `${compared.sql} @> array[${compared.one(operand)}]::text[]`
    case 'hasAny':
      return `${compared.sql} && ${compared.list(operand)}`
    case 'hasAll':
      return `${compared.sql} @> ${compared.list(operand)}`
    case 'isEmpty':
      return operand ? `cardinality(${sql}) = 0` : `cardinality(${sql}) > 0`
    default:
      return comparisonSql(sql, operator, values.addOf(column.kind, operand))
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
  // An address is compared in the form in which it is stored.
  const isAddress = column.isCanonical === true && !textOperators.has(operator)
  const parsed = (value: unknown): unknown =>
    column.kind === 'enum' && !isMember(column, value) ? undefined : parse(isAddress ? column.stored(value) : value)
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
