import type { ConditionOperator } from '../../condition/condition.ts'
import type { ConditionField } from '../../condition/condition-fields.ts'
import type { Literal } from '../../condition/operand.ts'
import type { Comparison } from '../../condition/operator-rules.ts'
import type { ParsedCondition, ParsedGroup } from '../../condition/parse-conditions.ts'
import { plainDigits, textOfNumber } from '../../json/exact-number.ts'
import type { Column } from '../column.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import { comparedEmailSql } from '../email-equality.ts'

/** The SQL of a column with an alias of its table. */
type ColumnSql = (name: string) => { readonly column: Column; readonly sql: string }

/** Operators whose result follows from the record alone, so that it changes with a write only. */
const comparisons: Partial<Record<ConditionOperator, string>> = {
  EQUALS: '=',
  GREATER_THAN: '>',
  AFTER: '>',
  GREATER_OR_EQUAL: '>=',
  LESS_THAN: '<',
  BEFORE: '<',
  LESS_OR_EQUAL: '<=',
}

const others: readonly ConditionOperator[] = [
  'NOT_EQUALS',
  'IN',
  'NOT_IN',
  'CONTAINS',
  'NOT_CONTAINS',
  'STARTS_WITH',
  'ENDS_WITH',
  'BETWEEN',
  'IS_EMPTY',
  'IS_NOT_EMPTY',
]

/** The operators that conditions in SQL can have. */
export const sqlOperators: readonly ConditionOperator[] = [
  ...(Object.keys(comparisons) as ConditionOperator[]),
  ...others,
]

/** Whether a condition can be evaluated in SQL: it compares with given values or another field of the record, not with the time or another version. */
export const hasSql = ({ field, operator, comparand }: ParsedCondition): boolean =>
  field.kind !== 'any' &&
  sqlOperators.includes(operator) &&
  (comparand.from === 'LITERAL' || (comparand.from === 'FIELD' && comparand.other.kind !== 'any'))

export const conditionsIn = ({ conditions }: ParsedGroup): readonly ParsedCondition[] =>
  conditions.flatMap((each) => ('conditions' in each ? conditionsIn(each) : [each]))

/** The names of the fields that the conditions read. */
export const fieldsIn = (group: ParsedGroup): readonly string[] =>
  conditionsIn(group).flatMap(({ field, comparand }) =>
    comparand.from === 'FIELD' ? [field.name, comparand.other.name] : [field.name],
  )

/** A value in the type in which it is compared. Text without characters counts as no value. */
function comparedSql({ kind, isEmail }: ConditionField, sql: string, isOfEmails: boolean): string {
  switch (kind) {
    case 'text':
      return `nullif(${isEmail || isOfEmails ? comparedEmailSql(sql) : sql}, '') collate "C"`
    case 'enum':
      return `${sql} collate "C"`
    case 'id':
      return `(${sql})::text collate "C"`
    case 'integer':
      return `(${sql})::numeric`
    case 'number':
      return `(${sql})::text::numeric`
    case 'date':
      return `((${sql})::timestamp at time zone 'UTC')`
    default:
      return sql
  }
}

function literalSql(comparison: Comparison, value: Literal): string {
  switch (comparison) {
    case 'NUMBER':
      return `${plainDigits(textOfNumber(value as number))!}::numeric`
    case 'TIME':
      return `timestamptz '${new Date(value as number).toISOString()}'`
    case 'BOOLEAN':
      return String(value === true)
    default:
      return sqlLiteral(value as string)
  }
}

function emptySql({ kind }: ConditionField, { sql }: { readonly sql: string }): string {
  if (kind === 'textList') return `coalesce(cardinality(${sql}), 0) = 0`
  if (kind === 'json') return `coalesce(${sql}, 'null'::jsonb) in ('null', '""', '[]', '{}')`
  return kind === 'text' ? `coalesce(${sql}, '') = ''` : `${sql} is null`
}

/** `text` is in lower case. */
function textSql({ field, operator, comparand }: ParsedCondition, sql: string): string {
  const text = sqlLiteral((comparand as { operand: string }).operand)
  if (field.kind === 'textList')
    return `exists (select from unnest(${sql}) item where lower(${field.isEmail ? 'btrim(item)' : 'item'}) = ${text})`
  const lower = `lower(${field.kind === 'id' ? `(${sql})::text` : sql})`
  switch (operator) {
    case 'STARTS_WITH':
      return `starts_with(${lower}, ${text})`
    case 'ENDS_WITH':
      return `right(${lower}, length(${text})) = ${text}`
    default:
      return `strpos(${lower}, ${text}) > 0`
  }
}

const valuesOf = ({ comparand }: ParsedCondition): readonly Literal[] => {
  const { operand } = comparand as { operand: Literal | readonly Literal[] }
  return (Array.isArray(operand) ? operand : [operand]) as readonly Literal[]
}

/** Null where the field, or the other one, has no value. */
function comparisonSql(condition: ParsedCondition, columnSql: ColumnSql): string {
  const { field, operator, comparison, comparand } = condition
  const isOfEmails = comparand.from === 'FIELD' && Boolean(field.isEmail || comparand.other.isEmail)
  const value = comparedSql(field, columnSql(field.name).sql, isOfEmails)
  const operands =
    comparand.from === 'FIELD'
      ? [comparedSql(comparand.other, columnSql(comparand.other.name).sql, isOfEmails)]
      : valuesOf(condition).map((one) => literalSql(comparison, one))
  switch (operator) {
    case 'IN':
    case 'NOT_IN':
      return `${value} in (${operands.join(', ')})`
    case 'BETWEEN':
      return `${value} between ${operands.join(' and ')}`
    default:
      return `${value} ${comparisons[operator] ?? '='} ${operands[0]!}`
  }
}

function oneSql(condition: ParsedCondition, columnSql: ColumnSql): string {
  const { field, operator } = condition
  switch (operator) {
    case 'IS_EMPTY':
      return emptySql(field, columnSql(field.name))
    case 'IS_NOT_EMPTY':
      return `not (${emptySql(field, columnSql(field.name))})`
    case 'CONTAINS':
    case 'STARTS_WITH':
    case 'ENDS_WITH':
      return `coalesce(${textSql(condition, columnSql(field.name).sql)}, false)`
    case 'NOT_CONTAINS':
      return `not coalesce(${textSql(condition, columnSql(field.name).sql)}, false)`
    case 'NOT_EQUALS':
    case 'NOT_IN':
      return `not coalesce(${comparisonSql(condition, columnSql)}, false)`
    default:
      return `coalesce(${comparisonSql(condition, columnSql)}, false)`
  }
}

/** SQL of the conditions, which must have some (`hasSql`); true or false for every record. It has no parameters. */
export const conditionsSql = ({ logic, conditions }: ParsedGroup, columnSql: ColumnSql): string =>
  `(${conditions
    .map((each) => ('conditions' in each ? conditionsSql(each, columnSql) : oneSql(each, columnSql)))
    .join(logic === 'AND' ? ' and ' : ' or ')})`
