import type { FieldProblem } from '../errors.ts'
import { isId } from '../ids.ts'
import { isJsonObject } from '../json/exact-number.ts'
import { isDerived, type Column } from './column.ts'
import { columnKinds } from './column-kind.ts'
import { withoutKeysSql } from './computed-values.ts'
import { customFieldsName } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import { isOneValue, operandDescription, operatorSql, parseOperand } from './operators.ts'
import type { TenantPredicate, Values } from './predicate.ts'
import { parentsWith } from './rollup/rollup-parents.ts'
import { isStorable } from './scalars.ts'
import { containsCandidates } from './search.ts'
import { isInValueIndex, valueColumn, valueCondition, type ValueCondition } from './value-index/value-range.ts'

const listItemsMax = 500

/** One operator of a filter with the operand that the client sent; `path` is where. */
export interface GivenOperator {
  readonly operator: string
  readonly operand: unknown
  readonly path: string
}

/** The conditions of an operator, and what the index of values has of it; null where it has nothing. */
export interface OperatorConditions {
  readonly conditions: readonly string[]
  readonly inValueIndex: ValueCondition | null
  /** SQL of the ids of records, of which all for which the operator holds are some; null where no index gives them. */
  readonly candidates: string | null
}

const none: OperatorConditions = { conditions: [], inValueIndex: null, candidates: null }

/** The conditions of one operator on a column; none when the operand is refused, which adds to `problems`. */
export function operatorConditions(
  definition: RecordShape,
  column: Column,
  { operator, operand, path }: GivenOperator,
  alias: string,
  predicate: TenantPredicate,
  problems: FieldProblem[],
): OperatorConditions {
  const { values } = predicate
  const refused = operandProblems(column, operand, path)
  problems.push(...refused)
  if (refused.length > 0) return none
  // GraphQL has not checked the operand of a custom field, because custom fields have no GraphQL type.
  const parsed = column.key === undefined ? operand : customOperand(column, operator, operand, path, problems)
  if (parsed === undefined) return none
  const candidates = indexedCandidates(definition, column, operator, parsed, alias, values)
  // The record and the index of values are compared with the same parameters.
  const compared = operatorSql(column, comparedValue, operator, parsed, values)
  const condition = compared.replaceAll(comparedValue, () => column.sql(alias))
  const inValueIndex = isInValueIndex(column, operator, parsed)
    ? valueCondition(definition, column, predicate.organization(), {
        compared: compared.replaceAll(comparedValue, valueColumn(column)),
        isEquality: isOneValue(operator, parsed),
      })
    : null
  const ofRollup = column.rollup
    ? parentsWith(column.rollup, operator, parsed, predicate.organization(), (value) =>
        compared.replaceAll(comparedValue, () => value),
      )
    : null
  return { conditions: candidates ? [candidates, condition] : [condition], inValueIndex, candidates: ofRollup }
}

/** Stands for the value in the SQL of an operator. */
const comparedValue = '\u0000'

const textSearches: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith'])

/** A condition that an index answers and that holds wherever the operator holds; null when there is none. */
function indexedCandidates(
  definition: RecordShape,
  column: Column,
  operator: string,
  operand: unknown,
  alias: string,
  values: Values,
): string | null {
  // What is stored of a formula may be older than its definition until all records have its value, and nothing is stored of a rollup.
  if (isDerived(column) && !column.isStored) return null
  if (textSearches.has(operator)) return containsCandidates(definition, column, operand as string, alias, values)
  if (column.key === undefined || operator !== 'eq' || column.kind === 'timestamp' || column.kind === 'date')
    return null
  if (isInValueIndex(column, operator, operand)) return null
  // Records without a value have it, too.
  if (column.kind === 'boolean' && operand === column.default) return null
  return `${alias}.${column.column} @> ${values.add(JSON.stringify({ [column.key]: operand }))}::jsonb`
}

function customOperand(
  column: Column,
  operator: string,
  given: unknown,
  path: string,
  problems: FieldProblem[],
): unknown {
  const { operators } = columnKinds[column.kind]
  if (!operators.includes(operator)) {
    const message = `The operator for ${column.name} must be one of ${operators.join(', ')}.`
    problems.push({ path, code: 'UNKNOWN_OPERATOR', message })
    return undefined
  }
  const operand = parseOperand(column, operator, given)
  const message = `${operator} of ${column.name} must be ${operandDescription(column, operator)}.`
  if (operand === undefined) problems.push({ path, code: 'WRONG_TYPE', message })
  return operand
}

function operandProblems(column: Column, operand: unknown, path: string): FieldProblem[] {
  const items = Array.isArray(operand) ? operand : [operand]
  const problems: FieldProblem[] = []
  if (items.length > listItemsMax)
    problems.push({ path, code: 'TOO_MANY', message: `A list must have at most ${listItemsMax} items.` })
  for (const item of items) {
    if (typeof item !== 'string') continue
    if (column.kind === 'id' && !isId(item))
      problems.push({ path, code: 'NOT_AN_ID', message: `${column.name} must be compared with ids (UUIDs).` })
    else if (!isStorable(item))
      problems.push({
        path,
        code: 'NOT_TEXT',
        message: 'Text must not contain a NUL character or an unpaired surrogate.',
      })
  }
  return problems
}

/** A JSON column, for custom fields without what is stored of formulas that are not in use. */
export function jsonOf({ columns: { droppedKeys } }: RecordShape, column: Column, alias: string): string {
  const sql = column.sql(alias)
  return column.name === customFieldsName && droppedKeys.size > 0 ? withoutKeysSql(sql, droppedKeys) : sql
}

/** The condition that a JSON column contains a value. Custom fields without a value are not stored, so null matches records without the key. */
export function jsonCondition({ name }: Column, value: unknown, sql: string, values: Values): string {
  const members = name === 'customFields' && isJsonObject(value) ? Object.entries(value) : []
  const absent = members.filter(([, member]) => member === null).map(([key]) => key)
  const required = absent.length === 0 ? value : Object.fromEntries(members.filter(([, member]) => member !== null))
  const contains = `${sql} @> ${values.add(JSON.stringify(required))}::jsonb`
  return absent.length === 0 ? contains : `(${contains} and not ${sql} ?| ${values.add(absent)}::text[])`
}
