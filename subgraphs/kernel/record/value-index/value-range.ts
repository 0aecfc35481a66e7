import { tenantView } from '../../database/tenant-view.ts'
import type { Column } from '../column.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import type { PageRange } from '../list-sections.ts'
import { powerOfTwoFrom } from '../list-window.ts'
import type { Order } from '../order.ts'
import type { Values } from '../predicate.ts'
import { indexedCharacters, valueColumns, valueTable } from './value-column.ts'

/** The rows of one field in the index of values, with the alias `v`, for which a condition of a filter holds. */
export interface ValueCondition {
  /** The API name of the field. */
  readonly key: string
  /** SQL conditions that select the field and compare its value. They have no parameters that the condition on the record does not have. */
  readonly sql: string
  /** Whether the value equals one given value, so that the rows are in the order of creation. */
  readonly isEquality: boolean
}

/** The operators that a range of the index answers. */
const operators: ReadonlySet<string> = new Set(['eq', 'in', 'gt', 'gte', 'lt', 'lte'])

/** Whether the index has the whole of a text. What is longer is compared in the records. */
const isWhole = (operand: unknown): boolean =>
  Array.isArray(operand) ? operand.every(isWhole) : typeof operand !== 'string' || operand.length < indexedCharacters

/** Whether the index of values answers an operator on the column. */
export const isInValueIndex = (column: Column, operator: string, operand: unknown): boolean =>
  column.valueIndex?.isReady === true &&
  ((operators.has(operator) && isWhole(operand)) || (operator === 'isNull' && operand === true))

/** The SQL of the value of a column in the index of values. */
export const valueColumn = ({ valueIndex }: Column): string => `v.${valueColumns[valueIndex!.kind].column}`

/** The conditions that select the rows of a field; `organization` is its placeholder. */
export const rowsOfField = ({ object }: RecordShape, { key, valueIndex }: Column, organization: string): string =>
  `v.organization_id = ${organization} and v.object = ${sqlLiteral(object)} and v.field = ${sqlLiteral(key!)} and v.kind = '${valueIndex!.kind}'`

/** The rows are read through the tenant's view: row-level security would keep PostgreSQL from using the index for numbers. */
const valueSource = `${tenantView(valueTable)} v`

/** SQL of the ids of the records for which all conditions hold. */
export const recordsWithValues = (conditions: readonly ValueCondition[]): string =>
  conditions.map(({ sql }) => `select v.record_id from ${valueSource} where ${sql}`).join(' intersect ')

/** The rows of the index of values in the order of a list, with the alias `v`. */
export interface ValueRows {
  readonly order: Order
  readonly conditions: readonly string[]
  /** Whether they are all rows of the list; otherwise they are more. */
  readonly isWhole: boolean
}

/**
 * The rows that give a list by an indexed custom field, or in the order of creation those with a value; null if there are none. `hasOthers`: the list
 * has conditions that the index does not answer.
 */
export function valueRowsOf(
  definition: RecordShape,
  organization: string,
  order: Order,
  given: readonly ValueCondition[],
  hasOthers: boolean,
): ValueRows | null {
  const { indexedField } = order
  const equality = order.isByCreation ? given.find(({ isEquality }) => isEquality) : undefined
  if (!indexedField && !equality) return null
  const answered = indexedField ? given.filter(({ key }) => key === indexedField.key) : [equality!]
  const conditions =
    answered.length > 0 ? answered.map(({ sql }) => sql) : [rowsOfField(definition, indexedField!, organization)]
  return { order: order.ofValues(), conditions, isWhole: !hasOthers && answered.length === given.length }
}

/** SQL of the ids of records in the order of these rows: those with a value of the field, then those without one. At least `rows` of them. */
export function idsByValue(
  { order, conditions }: ValueRows,
  { cursor, cursorPath }: PageRange,
  rows: number,
  values: Values,
): string {
  const sections = order.sections(cursor, 'v', values, cursorPath).map((section) => {
    const where = section ? [...conditions, section] : conditions
    return `select v.record_id from ${valueSource} where ${where.join(' and ')} order by ${order.sectionSql('v')}`
  })
  const limit = powerOfTwoFrom(rows)
  return sections.length === 1
    ? sections[0]!
    : `select v.record_id from (${sections.map((section) => `(${section} limit ${limit})`).join(' union all ')}) v`
}
