import { MikroORM } from '@mikro-orm/postgresql'
import { subgraphs } from '../../subgraphs/all.ts'
import { activityRevision } from '../../subgraphs/crm/activity-revision/activity-revision.record.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { columnsOf } from '../../subgraphs/kernel/record/column.ts'
import { type RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { caseComment } from '../../subgraphs/support/case/case.record.ts'

/** A column, as described by the model or by the database. */
export interface ColumnFacts {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
}

/** The record types with a table of their own, for which migrations are written. */
export const modelledRecords: readonly RecordShape[] = [
  ...subgraphs.flatMap(({ resources }) => resources.flatMap(({ entities = {} }) => Object.values(entities))),
  caseComment,
  activityRevision,
  // The columns of a view are all nullable.
].filter(({ entity, storedIn }) => columnsOf(entity).length > 0 && !storedIn)

export const openModel = (url: string): Promise<MikroORM> =>
  MikroORM.init({ clientUrl: url, entities: modelledRecords.map(({ entity }) => entity as never) })

const byName = (a: ColumnFacts, b: ColumnFacts): number => (a.name < b.name ? -1 : 1)
const inWords: Readonly<Record<string, string>> = { 'timestamp(3) with time zone': 'timestamptz(3)' }

/** Leases belong to the worker that executes a record, and `shares_external_id` to the index of external ids, not to the record. */
const otherColumns = ['lease_token', 'leased_until', 'shares_external_id']

/** The columns that the class of a record type declares. */
export const modelledColumns = (orm: MikroORM, { entity }: RecordShape): ColumnFacts[] =>
  Object.values(orm.getMetadata().get(entity as never).properties)
    .map(({ fieldNames, columnTypes, nullable }) => ({
      name: fieldNames[0]!,
      type: columnTypes[0]!,
      nullable: nullable ?? false,
    }))
    .sort(byName)

/** The columns that a table has; none if there is no such table. */
export async function storedColumns(database: Sql, table: string): Promise<ColumnFacts[]> {
  const columns = await database.query<ColumnFacts & Record<string, unknown>>(
    `select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable
     from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and attgenerated = '' and attname <> all ($2)`,
    [table, otherColumns],
  )
  return columns.map((column) => ({ ...column, type: inWords[column.type] ?? column.type })).sort(byName)
}

/** The columns of the indexes of a table, each index as text. */
export async function storedIndexes(database: Sql, table: string): Promise<string[]> {
  const rows = await database.query<{ columns: string }>(
    `select string_agg(pg_get_indexdef(indexrelid, position, false), ', ' order by position) as columns
     from pg_index, generate_series(1, indnkeyatts) as position where indrelid = to_regclass($1) group by indexrelid`,
    [table],
  )
  return rows.map(({ columns }) => columns)
}

/** The columns that are declared as indexed and have no such index. */
export function columnsWithoutIndex({ columns }: RecordShape, indexes: readonly string[]): string[] {
  const missing = columns.shown.filter(({ indexed, column, name }) => {
    const accepted = new Set([
      `organization_id, ${column}, created_at, id`,
      ...(name === 'createdAt' ? ['organization_id, created_at, id'] : []),
    ])
    // A value of which there is one needs no further columns.
    const isServed = indexes.some((one) => accepted.has(one) || one === `organization_id, ${column}`)
    return indexed && !isServed
  })
  return missing.map(({ column }) => column)
}
