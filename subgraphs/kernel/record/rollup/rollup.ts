import { fieldsOfShape, type ConditionField } from '../../condition/condition-fields.ts'
import { ConditionParser, type ParsedGroup } from '../../condition/parse-conditions.ts'
import type { FieldProblem } from '../../errors.ts'
import type { Column } from '../column.ts'
import type { ColumnKind } from '../column-kind.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { conditionsIn, conditionsSql, fieldsIn, hasSql, sqlOperators } from './condition-sql.ts'
import type { CompiledRollup, RollupAggregate, RollupDefinition } from './rollup-definition.ts'
import { hasTotals, resultSql } from './rollup-result.ts'
import { rollupDeltaTable, rollupTable, rollupValueTable } from './rollup-tables.ts'
import { valueTable } from '../value-index/value-column.ts'
import { rowsOfField } from '../value-index/value-range.ts'

/** The alias of child records in a subquery; no list has it. */
const child = 'rolled_up'

const numbers: readonly ColumnKind[] = ['integer', 'number', 'money']
const days: readonly ColumnKind[] = ['date', 'timestamp']

/** The kinds of values that can be aggregated. */
export const rolledUpKinds: Readonly<Record<RollupAggregate, readonly ColumnKind[]>> = {
  COUNT: [],
  SUM: numbers,
  AVG: numbers,
  MIN: [...numbers, ...days],
  MAX: [...numbers, ...days],
}

/** What changes without a new version of the record, or in the database, adds no difference, so no rollup can depend on it. */
const isRollable = ({ isUnversioned = false, computed = false, rollup, formula }: Column): boolean =>
  !isUnversioned && !computed && rollup === undefined && (formula === undefined || formula?.isLocal === true)

/** A compiled rollup with the columns of the child that decide its contribution; formulas among them have their own inputs in `derivedFrom`. */
export interface Rollup extends CompiledRollup {
  readonly child: RecordShape
  readonly columns: readonly Column[]
}

/** A custom field whose values are ids of records of another type. */
type NamingColumn = Column & { readonly lookup?: { readonly to: string } }

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

function columnIn({ columns }: RecordShape, name: string): Column | null {
  const column = columns.byName.get(name)
  return column && !column.internal && isRollable(column) ? column : null
}

/** The columns that have the ids of records of the type `parent`: references of the platform, and lookups of the organization. */
export const relationsTo = ({ relations = {}, columns }: RecordShape, parent: string): readonly string[] => [
  ...Object.values(relations).flatMap(({ by, to }) => (by !== undefined && to().object === parent ? [by] : [])),
  ...[...columns.customFields.values()].flatMap((column: NamingColumn) =>
    column.lookup?.to === parent ? [column.name] : [],
  ),
]

function conditionsOf(
  shape: RecordShape,
  { conditions, logic }: RollupDefinition,
  path: string,
): { readonly group: ParsedGroup | null; readonly problems: readonly FieldProblem[] } {
  const parser = new ConditionParser(fieldsOfShape(shape, null))
  const group = parser.parse({ conditions, logic }, path)
  if (parser.problems.length > 0 || !group) return { group, problems: parser.problems }
  const problems = conditionsIn(group).flatMap((condition) => {
    if (!hasSql(condition)) {
      const message = `The conditions of a rollup have the operators ${sqlOperators.join(', ')} and compare with a value or another field; ${condition.operator} of ${condition.field.name} is none of these.`
      return [problem(path, 'NOT_ALLOWED', message)]
    }
    return []
  })
  const unknown = fieldsIn(group).filter((name) => !columnIn(shape, name))
  const message = (name: string): string =>
    `${name} is not a field that rollups can read: it changes without a new version of the record.`
  return { group, problems: [...problems, ...unknown.map((name) => problem(path, 'NOT_ALLOWED', message(name)))] }
}

/** What is wrong with a rollup to the record type `parent`; the paths are below `path`. */
export function rollupProblems(
  definition: RollupDefinition,
  shape: RecordShape,
  parent: string,
  path: string,
): FieldProblem[] {
  const { relation, aggregate, field } = definition
  const problems: FieldProblem[] = []
  const relations = relationsTo(shape, parent).filter((name) => columnIn(shape, name))
  if (!relations.includes(relation)) {
    const allowed = relations.length > 0 ? `one of ${relations.join(', ')}` : 'a field that refers to it; there is none'
    const message = `${path}.relationField must be the field of ${shape.object} that has the id of the ${parent}: ${allowed}.`
    problems.push(problem(`${path}.relationField`, 'NOT_ALLOWED', message))
  }
  const kinds = rolledUpKinds[aggregate]
  if (kinds.length === 0 && field !== null)
    problems.push(problem(`${path}.field`, 'NOT_ALLOWED', `${path}.field is not for ${aggregate}.`))
  if (kinds.length > 0) {
    if (field === null) problems.push(problem(`${path}.field`, 'REQUIRED', `${path}.field must be given.`))
    else if (!kinds.includes(columnIn(shape, field)?.kind ?? 'json')) {
      const what = kinds.includes('date') ? 'a number, an amount or a date' : 'a number or an amount'
      const message = `${path}.field must be the name of a field of ${shape.object} with ${what}.`
      problems.push(problem(`${path}.field`, 'NOT_ALLOWED', message))
    }
  }
  return [...problems, ...conditionsOf(shape, definition, `${path}.conditions`).problems]
}

const numeric = ({ kind, sql }: Column, alias: string): string => {
  if (kind === 'number') return `(${sql(alias)})::text::numeric`
  return kind === 'integer' ? `(${sql(alias)})::numeric` : sql(alias)
}

/** The rows of the totals and of their open differences for one parent. */
export const totalsOf = (table: string, id: string, organization: string, parent: string): string =>
  `select n, total from ${table} where organization_id = ${organization} and rollup_id = ${sqlLiteral(id)}::uuid and parent_id = ${parent}`

/** SQL of `organization_id` and conditions that select the contributing child records, with the alias `rolled_up`, of one parent. */
const childrenOf = (
  { childTable, childIds, parentSql, conditionSql }: CompiledRollup,
  organization: string,
  parent: string,
): string =>
  `${childTable} ${child} where ${child}.organization_id = ${organization} and ${parentSql(child)} = ${parent}${childIds ? ` and ${child}.id in (${childIds(organization, parent)})` : ''} and ${conditionSql(child)}`

/** The sums of all child records of a parent, read from these records. */
export const sumsOf = (rollup: CompiledRollup, organization: string, parent: string): string =>
  `select count(*) as n, coalesce(sum(${rollup.valueSql(child)}), 0) as total from ${childrenOf(rollup, organization, parent)}`

/** The least or greatest value of the children of a parent: the first or last entry of an index. */
function extremeSql(
  { definition: { id, aggregate }, kind }: CompiledRollup,
  organization: string,
  parent: string,
): string {
  const column = kind === 'money' ? 'number_value' : 'time_value'
  const value = `${aggregate.toLowerCase()}(v.${column})`
  return `select ${kind === 'date' ? `(${value} at time zone 'UTC')::date` : value} from ${rollupValueTable} v
    where v.organization_id = ${organization} and v.rollup_id = ${sqlLiteral(id)}::uuid and v.parent_id = ${parent} and v.${column} is not null`
}

/** Until what reads use is built, the children are read. */
function valueSqlOf(rollup: CompiledRollup, alias: string): string {
  const { id, aggregate, isReady } = rollup.definition
  const [organization, parent] = [`${alias}.organization_id`, `${alias}.id`]
  if (!hasTotals(rollup.definition))
    return isReady
      ? `(${extremeSql(rollup, organization, parent)})`
      : `(select ${aggregate.toLowerCase()}(${rollup.valueSql(child)}) from ${childrenOf(rollup, organization, parent)})`
  const sums = isReady
    ? [rollupTable, rollupDeltaTable].map((table) => totalsOf(table, id, organization, parent)).join(' union all ')
    : sumsOf(rollup, organization, parent)
  return `(select ${resultSql(aggregate, 'sum(sums.n)', 'sum(sums.total)')} from (${sums}) sums)`
}

/** The kind of the value of a rollup, by the kinds of the fields of the child. */
export const kindOfRollup = (
  { field }: Pick<RollupDefinition, 'field'>,
  kindOf: (name: string) => ColumnKind | null,
): CompiledRollup['kind'] => {
  const kind = field === null ? null : kindOf(field)
  return kind === 'date' || kind === 'timestamp' ? kind : 'money'
}

/** The names of the fields of the child that a rollup reads, whether there are such fields or not. */
export function fieldsRead({ relation, field, conditions, logic }: RollupDefinition): ReadonlySet<string> {
  const names = new Set(field === null ? [relation] : [relation, field])
  const noted = (name: string): ConditionField => {
    names.add(name)
    return { name, kind: 'any' }
  }
  new ConditionParser({ of: 'the record', field: noted }).parse({ conditions, logic }, 'conditions')
  return names
}

/** Null for a rollup that can no longer be evaluated, so that it is blank. */
export function compileRollup(definition: RollupDefinition, shape: RecordShape, parent: string): Rollup | null {
  if (rollupProblems(definition, shape, parent, 'rollupConfig').length > 0) return null
  return compiled(definition, shape)
}

/** SQL of the ids of the records that name a parent in a custom field, which an index of the table does not have; null for a column with such an index. */
function idsInIndex(shape: RecordShape, relation: Column): CompiledRollup['childIds'] {
  if (relation.key === undefined || !relation.valueIndex?.isReady) return null
  return (organization, parent) =>
    `select v.record_id from ${valueTable} v where ${rowsOfField(shape, relation, organization)} and v.id_value = ${parent}`
}

/** As `compileRollup`, for a definition without problems. */
function compiled(definition: RollupDefinition, shape: RecordShape): Rollup {
  const relation = columnIn(shape, definition.relation)!
  const value = definition.field === null ? null : columnIn(shape, definition.field)!
  const { group } = conditionsOf(shape, definition, 'conditions')
  const named = group ? fieldsIn(group).map((name) => columnIn(shape, name)!) : []
  const object = shape.objectColumn === undefined ? null : shape.columns.byName.get(shape.objectColumn)!
  const deleted = shape.columns.byName.get('deletedAt')
  const conditionSql = (alias: string): string =>
    [
      ...(object ? [`${object.sql(alias)} = ${sqlLiteral(shape.objectKey ?? shape.object)}`] : []),
      ...(deleted ? [`${deleted.sql(alias)} is null`] : []),
      `${relation.sql(alias)} is not null`,
      ...(value ? [`${value.sql(alias)} is not null`] : []),
      ...(group
        ? [
            conditionsSql(group, (name) => {
              const column = columnIn(shape, name)!
              return { column, sql: column.sql(alias) }
            }),
          ]
        : []),
    ].join(' and ')
  const kind = kindOfRollup(definition, () => value!.kind)
  const rollup: Rollup = {
    definition,
    child: shape,
    childTable: shape.table,
    kind,
    columns: [...new Set([relation, ...(value ? [value] : []), ...named])],
    childIds: idsInIndex(shape, relation),
    parentSql: relation.sql,
    valueSql: (alias) => (value ? (kind === 'money' ? numeric(value, alias) : value.sql(alias)) : '1'),
    conditionSql,
    sql: (alias) => valueSqlOf(rollup, alias),
  }
  return rollup
}

/** The columns of the child, as `object.column`, from which the value follows, also through others: who may not read one of them does not see the value. */
export function sourcesOf({ child: shape, columns }: Rollup): readonly string[] {
  const names = new Set<string>()
  const add = ({ name, derivedFrom = [] }: Pick<Column, 'name' | 'derivedFrom'>): void => {
    if (names.has(name)) return
    names.add(name)
    for (const source of derivedFrom) add(shape.columns.byName.get(source) ?? { name: source })
  }
  for (const column of columns) add(column)
  return Array.from(names, (name) => `${shape.object}.${name}`)
}
