import { tenantView } from '../../database/tenant-view.ts'
import type { Column } from '../column.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import type { IdsOf, PageRange, RowsInOrder } from '../list-sections.ts'
import { powerOfTwoFrom, windowRows } from '../list-window.ts'
import type { Order } from '../order.ts'
import type { Values } from '../predicate.ts'
import { indexedCharacters, valueColumns, valueTable } from './value-column.ts'

/** The rows of one field in the index of values, with the alias `v`, for which a condition of a filter holds. */
export interface ValueCondition {
  /** The API name of the field. */
  readonly key: string
  /** SQL conditions that select the rows of the field. */
  readonly rows: string
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

const fieldSql = ({ object }: RecordShape, { key }: Column, organization: string): string =>
  `v.organization_id = ${organization} and v.object = ${sqlLiteral(object)} and v.field = ${sqlLiteral(key!)}`

/** The conditions that select the rows of a field; `organization` is its placeholder. */
export const rowsOfField = (shape: RecordShape, column: Column, organization: string): string =>
  `${fieldSql(shape, column, organization)} and v.kind = '${column.valueIndex!.kind}'`

/** What the index has of a condition on a column; `compared` is the SQL of the comparison with `valueColumn`. */
export const valueCondition = (
  shape: RecordShape,
  column: Column,
  organization: string,
  { compared, isEquality }: { readonly compared: string; readonly isEquality: boolean },
): ValueCondition => ({
  key: column.key!,
  rows: fieldSql(shape, column, organization),
  sql: `${rowsOfField(shape, column, organization)} and ${compared}`,
  isEquality,
})

/** The rows are read through the tenant's view: row-level security would keep PostgreSQL from using the index for numbers. */
const valueSource = `${tenantView(valueTable)} v`

/** All conditions on a field as one, so that a range is read from its beginning to its end: a record has one row of the field. */
export function byField(conditions: readonly ValueCondition[]): readonly ValueCondition[] {
  const fields = new Map<string, ValueCondition>()
  for (const condition of conditions) {
    const { key, sql, isEquality } = condition
    const other = fields.get(key)
    const both = other && { ...other, sql: `${other.sql} and ${sql}`, isEquality: other.isEquality || isEquality }
    fields.set(key, both ?? condition)
  }
  return [...fields.values()]
}

const idsWhere = (sql: string): string => `select v.record_id from ${valueSource} where ${sql}`

/** SQL of the ids of the records for which the conditions on all of these fields hold. */
export const recordsWithValues = (fields: readonly ValueCondition[]): string =>
  fields.map(({ sql }) => idsWhere(sql)).join(' intersect ')

/**
 * SQL of those of the ids `o.record_id` of `source` for which the conditions on the fields hold, in the same order. Each id is looked up in the primary key when
 * it is its turn, whatever the statistics are: `offset 0` keeps PostgreSQL from a join, and the comparison from other indexes.
 */
function withValues(source: string, fields: readonly ValueCondition[]): string {
  const found = fields.map(({ rows, sql }) => {
    const row = `select v.* from ${valueSource} where ${rows} and v.record_id = o.record_id offset 0`
    return `exists (select from (${row}) v where ${sql} offset 0)`
  })
  return `select o.record_id from (${source}) o${found.length > 0 ? ` where ${found.join(' and ')}` : ''}`
}

/** More rows of a field are neither sorted nor looked up one by one. */
const fewRowsMax = 16_384

/** SQL of the numbers of rows for which the conditions on each of these fields hold, as far as they are few. */
export const countValueRows = (fields: readonly ValueCondition[]): string =>
  `select array[${fields
    .map(({ sql }) => `(select count(*) from (select from ${valueSource} where ${sql} limit ${fewRowsMax + 1}) c)`)
    .join(', ')}]::int[] as counts`

/** The field with the fewest rows, if these are few. */
export class FewestRows {
  constructor(
    private readonly field: ValueCondition,
    private readonly others: readonly ValueCondition[],
    readonly count: number,
  ) {}

  static of(fields: readonly ValueCondition[], counts: readonly number[]): FewestRows | null {
    const count = Math.min(...counts)
    const field = fields[counts.indexOf(count)]!
    const others = fields.filter((other) => other !== field)
    return count <= fewRowsMax ? new FewestRows(field, others, count) : null
  }

  /** SQL of the ids of the records for which the conditions on this field hold. */
  get ids(): string {
    return idsWhere(this.field.sql)
  }

  /** SQL of the ids of the records for which the conditions on all fields hold, in the order of creation. */
  inOrder(order: Order): IdsOf {
    const { field, others } = this
    return (range, _rows, values) => {
      const [source] = sectionsOf({ order: order.ofValues(), conditions: [field.sql] }, range, values) as [string]
      return withValues(source, others)
    }
  }
}

/** Rows of the index of values in the order of a list, with the alias `v`. */
interface ValueRows {
  readonly order: Order
  readonly conditions: readonly string[]
}

/**
 * The rows that give a list by an indexed custom field, or in the order of creation those with a value; null if there are none. `hasOthers`: the list
 * has conditions that the index does not answer.
 */
export function valueRowsOf(
  definition: RecordShape,
  organization: string,
  order: Order,
  fields: readonly ValueCondition[],
  hasOthers: boolean,
): RowsInOrder | null {
  const { indexedField } = order
  const first = indexedField
    ? fields.find(({ key }) => key === indexedField.key)
    : fields.find(({ isEquality }) => order.isByCreation && isEquality)
  if (!indexedField && !first) return null
  const others = fields.filter((field) => field !== first)
  const conditions = [first?.sql ?? rowsOfField(definition, indexedField!, organization)]
  const rows = { order: order.ofValues(), conditions }
  if (!hasOthers && others.length === 0) return { has: 'ALL', ids: (...of) => idsByValue(rows, ...of) }
  return {
    has: hasOthers ? 'CANDIDATES' : 'FIRST',
    ids: (range, _rows, values) => {
      const count = windowRows(range)
      return withValues(`${idsByValue(rows, range, count, values)} limit ${count}`, hasOthers ? [] : others)
    },
  }
}

/** SQL of the ids of records with a value of the field, then of those without one. */
const sectionsOf = (
  { order, conditions }: ValueRows,
  { cursor, cursorPath }: PageRange,
  values: Values,
): readonly string[] =>
  order.sections(cursor, 'v', values, cursorPath).map((section) => {
    const where = section ? [...conditions, section] : conditions
    return `${idsWhere(where.join(' and '))} order by ${order.sectionSql('v')}`
  })

/** SQL of the ids of records in the order of these rows. At least `rows` of them. */
function idsByValue(given: ValueRows, range: PageRange, rows: number, values: Values): string {
  const sections = sectionsOf(given, range, values)
  const limit = powerOfTwoFrom(rows)
  return sections.length === 1
    ? sections[0]!
    : `select v.record_id from (${sections.map((section) => `(${section} limit ${limit})`).join(' union all ')}) v`
}
