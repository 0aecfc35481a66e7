import type { Caller } from '../context.ts'
import type { Sql } from '../database/sql.ts'
import { columnOf, type RecordShape } from './definition.ts'
import type { TenantPredicate } from './predicate.ts'

/** Rows with the differences that are not merged yet, and rows with one total for each combination of `by`. */
const groups = ['CHANGE', 'GROUP'] as const

/** The table with the maintained totals of a record type (`maintainedTotals` in `record-table.ts`). */
export const totalsTable = ({ table }: RecordShape): string => `${table.replaceAll('"', '')}_totals`

/** The name of the column of a measure. */
export const measureColumn = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The column with the number of records that have a value in a separate column. */
export const withValueColumn = (definition: RecordShape, name: string): string =>
  `with_${columnOf(definition, name).column}`

export type WithTotals = RecordShape & Required<Pick<RecordShape, 'totals'>>

/** Whether the totals are those of the records that the caller sees: not with a restricted visibility. */
export const hasTotalsFor = (caller: Caller, definition: RecordShape): definition is WithTotals =>
  definition.totals !== undefined && !definition.visibleThrough && !(caller.ownerIds && definition.visibleBy.length > 0)

/** Whether a filter that reads only these columns can be answered from the totals. */
export const isOverTotals = ({ totals }: WithTotals, columns: Iterable<string>): boolean =>
  [...columns].every((name) => totals.by.includes(name))

/** The `from` and `where` of a statement that sums up the totals of all groups, with the alias `t`. */
export const fromTotals = (definition: WithTotals, predicate: TenantPredicate): string =>
  `${totalsTable(definition)} t where ${predicate.totals(definition, 't', groups)}`

/**
 * The number of records as a scalar subquery. The columns of a filter have the same names in the totals, so its SQL with the alias
 * `t` is valid there. It must read only columns of `by` (`isOverTotals`).
 */
export function totalOf(definition: WithTotals, predicate: TenantPredicate, filter: string | null): string {
  const source = filter
    ? `${fromTotals(definition, predicate)} and ${filter}`
    : `${totalsTable(definition)} t where ${predicate.totals(definition, 't', ['CHANGE', 'TOTAL'])}`
  return `(select coalesce(sum(t.n), 0)::int8 from ${source})`
}

const changesMax = 20
const organizationsMax = 200
const mergeLock = 7_211_122

/**
 * Merges the differences of organizations that have many of them. One statement replaces rows by rows with the same sum, so a
 * reader sees the same totals before and after, and a process that is killed leaves nothing half done. The lock lets one worker merge
 * at a time, so that there is one row for each group.
 */
export async function mergeTotals(database: Sql, definitions: readonly RecordShape[]): Promise<void> {
  for (const definition of definitions) {
    if (!definition.totals) continue
    const statement = mergeStatement(definition as WithTotals)
    let organizations: number
    do {
      organizations = await database.transaction(async (sql) => {
        const [lock] = await sql.query<{ isFree: boolean }>(
          `select pg_try_advisory_xact_lock(${mergeLock}) as "isFree"`,
        )
        return lock!.isFree ? (await sql.query(statement)).length : 0
      })
    } while (organizations === organizationsMax)
  }
}

function mergeStatement(definition: WithTotals): string {
  const table = totalsTable(definition)
  const { totals } = definition
  const columnsOf = (names: readonly string[]) => names.map((name) => columnOf(definition, name).column)
  const measures = [
    ...Object.keys(totals.measures ?? {}).map(measureColumn),
    ...(totals.separately ?? []).map((name) => withValueColumn(definition, name)),
  ]
  const merges = [
    merge(table, 'GROUP', columnsOf(totals.by), ['n', ...measures]),
    merge(table, 'TOTAL', [], ['n']),
    ...columnsOf(totals.separately ?? []).map((column) => merge(table, column, [column], ['n'])),
  ]
  return `
    with organization as (
      select organization_id from ${table} where kind = 'CHANGE' group by organization_id having count(*) > ${changesMax}
      limit ${organizationsMax}
    ), change as (
      delete from ${table} t using organization o where t.kind = 'CHANGE' and t.organization_id = o.organization_id returning t.*
    )${merges.join('')}
    select organization_id from organization`
}

/** Statements that replace the merged rows of one kind in the groups that changed. */
function merge(table: string, kind: string, by: readonly string[], sums: readonly string[]): string {
  const name = kind.toLowerCase()
  const columns = ['organization_id', ...by]
  const summed = sums.map((column) => `sum(${column}) as ${column}`)
  const isSeparate = kind === by[0]
  const hasValue = isSeparate ? ` where ${kind} is not null` : ''
  // Arrays compare null as equal to null, and can be hashed. The equality of a separate column can use its index.
  const key = (alias: string) => `array[${by.map((column) => `${alias}.${column}::text`).join(', ')}]::text[]`
  const isSameGroup = isSeparate ? `t.${kind} = c.${kind}` : `${key('t')} = ${key('c')}`
  return `, changed_${name} as (
      select ${[...columns, ...summed].join(', ')} from change${hasValue} group by ${columns.join(', ')}
    ), former_${name} as (
      delete from ${table} t using changed_${name} c
      where t.kind = '${kind}' and t.organization_id = c.organization_id and ${isSameGroup} returning t.*
    ), merged_${name} as (
      insert into ${table} (${['kind', ...columns, ...sums].join(', ')})
      select ${[`'${kind}'`, ...columns, ...summed].join(', ')} from (
        select ${[...columns, ...sums].join(', ')} from changed_${name}
        union all
        select ${[...columns, ...sums].join(', ')} from former_${name}
      ) parts group by ${columns.join(', ')} having ${sums.map((column) => `sum(${column}) <> 0`).join(' or ')}
    )`
}
