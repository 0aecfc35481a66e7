import type { Caller } from '../context.ts'
import type { Sql } from '../database/sql.ts'
import { columnOf, type RecordShape } from './definition.ts'
import type { TenantPredicate } from './predicate.ts'
import { databaseLocks } from '../database/locks.ts'

/** Rows with the differences that are not merged yet, and rows with one total for each combination of `by`. */
const groups = ['CHANGE', 'GROUP'] as const

/** The table with the maintained totals of a record type (`maintainedTotals` in `record-table.ts`). */
export const totalsTable = ({ table, storedIn = table }: RecordShape): string =>
  `${storedIn.replaceAll('"', '')}_totals`

/** The name of the column of a measure. */
export const measureColumn = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The column with the number of records that have a value in a separate column. */
export const withValueColumn = (definition: RecordShape, name: string): string =>
  `with_${columnOf(definition, name).column}`

export type WithTotals = RecordShape & Required<Pick<RecordShape, 'totals'>>

/** The totals of a private record type contain what decides who sees a record. */
const decidesByGroup = ({ privateUnless, totals }: WithTotals): boolean =>
  privateUnless === undefined ||
  (!totals.separately && [privateUnless, 'ownerId'].every((name) => totals.by.includes(name)))

export const hasTotals = (definition: RecordShape): definition is WithTotals => definition.totals !== undefined

/** Whether the totals are those of the records that the caller sees: not with a restricted visibility. */
export const hasTotalsFor = (caller: Caller, definition: RecordShape): definition is WithTotals =>
  hasTotals(definition) &&
  !definition.visibleThrough &&
  !definition.visibleThroughRelated &&
  !definition.masters &&
  decidesByGroup(definition) &&
  !(caller.ownerIds && definition.visibleBy.length > 0)

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
  const source =
    filter || definition.privateUnless || definition.objectColumn
      ? [fromTotals(definition, predicate), ...(filter ? [filter] : [])].join(' and ')
      : `${totalsTable(definition)} t where ${predicate.totals(definition, 't', ['CHANGE', 'TOTAL'])}`
  return `(select coalesce(sum(t.n), 0)::int8 from ${source})`
}

const changesMax = 20
const organizationsMax = 1000

/**
 * Merges the differences of organizations that have many of them. One statement replaces rows by rows with the same sum, so a
 * reader sees the same totals before and after, and a process that is killed leaves nothing half done. The lock lets one worker merge
 * at a time, so that there is one row for each group.
 */
export async function mergeTotals(database: Sql, definitions: readonly RecordShape[]): Promise<void> {
  for (const definition of definitions) {
    if (!definition.totals) continue
    const table = totalsTable(definition)
    const organizations = await database.query<{ id: string }>(
      `select organization_id as id from ${table} where kind = 'CHANGE' group by organization_id having count(*) > ${changesMax}
       limit ${organizationsMax}`,
    )
    const statement = mergeStatement(definition as WithTotals)
    for (const { id } of organizations) {
      await database.transaction(async (sql) => {
        const [lock] = await sql.query<{ isFree: boolean }>(
          `select pg_try_advisory_xact_lock(${databaseLocks.mergeOfTotals}) as "isFree"`,
        )
        if (lock!.isFree) await sql.query(statement, [id])
      })
    }
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
    mergeGroups(table, 'GROUP', columnsOf(totals.by), ['n', ...measures]),
    mergeGroups(table, 'TOTAL', [], ['n']),
    ...columnsOf(totals.separately ?? []).map((column) => mergeGroups(table, column, [column], ['n'])),
  ]
  return `with change as (delete from ${table} where kind = 'CHANGE' and organization_id = $1 returning *)${merges.join('')} select`
}

/** Statements that replace the merged rows of one kind in the groups that changed. */
function mergeGroups(table: string, kind: string, by: readonly string[], sums: readonly string[]): string {
  const name = kind.toLowerCase()
  const isSeparate = kind === by[0]
  // The text of an array is equal also where values are null. The equality of a separate column uses its index.
  const key = isSeparate ? kind : `array[${by.map((column) => `${column}::text`).join(', ')}]::text[]::text`
  const columns = [...by, ...sums].join(', ')
  const grouping = by.length > 0 ? `group by ${by.join(', ')}` : ''
  return `, changed_${name} as (
      select ${columns} from change${isSeparate ? ` where ${kind} is not null` : ''}
    ), former_${name} as (
      delete from ${table} where kind = '${kind}' and organization_id = $1
        and ${key} = any(array(select distinct ${key} from changed_${name})) returning ${columns}
    ), merged_${name} as (
      insert into ${table} (${['organization_id', 'kind', ...by, ...sums].join(', ')})
      select ${['$1', `'${kind}'`, ...by, ...sums.map((column) => `sum(${column})`)].join(', ')}
      from (select * from changed_${name} union all select * from former_${name}) parts
      ${grouping} having ${sums.map((column) => `sum(${column}) <> 0`).join(' or ')}
    )`
}
