import type { RequestContext } from '../../request.ts'
import type { Column } from '../column.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { readRecords, writeValues } from './value-rows.ts'
import { valueTable } from './value-column.ts'

/** A record whose value another one has, in a field that shall be unique. */
export interface Conflict extends Record<string, unknown> {
  readonly id: string
  readonly value: unknown
  readonly conflictingId: string
}

/**
 * Writes the rows of one field for those of the records that are not deleted. The records are locked, so their rows are of the versions that they have until
 * the transaction ends. A record whose value another one has gets a row without a key, and is returned.
 */
export async function indexRecords(
  { db, caller }: RequestContext,
  shape: RecordShape,
  column: Column,
  ids: readonly string[],
): Promise<readonly Conflict[]> {
  const { object, table } = shape
  const { organizationId } = caller
  const locked = await db.query<{ id: string }>(
    `select t.id from ${table} t where t.organization_id = $1 and t.id = any($2::uuid[]) and t.deleted_at is null
     order by t.id for share`,
    [organizationId, ids],
  )
  const records = locked.map(({ id }) => id)
  const source = readRecords(shape, column)
  const conflicts = column.valueIndex!.unique
    ? await db.query<Conflict>(
        `with given as (select g.record, g.value, kernel.unique_key(g.value, g.form) as key from (${source}) g)
         select record as id, value, "conflictingId" from (
           select record, value, coalesce(
             (select v.record_id from ${valueTable} v where v.organization_id = $1 and v.object = ${sqlLiteral(object)}
                and v.field = ${sqlLiteral(column.key!)} and v.unique_key = given.key and v.record_id <> record),
             nullif(first_value(record) over (partition by key order by record), record)) as "conflictingId"
           from given where key is not null) compared
         where "conflictingId" is not null order by record`,
        [organizationId, records],
      )
    : []
  const withoutKey = conflicts.map(({ id }) => id)
  const keyed = `select g.organization, g.field, g.record, g.created, g.kind, case when g.record <> all($3::uuid[]) then g.form end as form, g.value from (${source}) g`
  await db.query(writeValues(object, `(${keyed}) g`), [organizationId, records, withoutKey], 'WRITE')
  return conflicts
}

/** Removes the rows of a field for these records. */
export async function forgetValues(
  { db, caller }: RequestContext,
  { object }: RecordShape,
  field: string,
  ids: readonly string[],
): Promise<void> {
  await db.query(
    `delete from ${valueTable} where organization_id = $1 and object = $2 and field = $3 and record_id = any($4::uuid[])`,
    [caller.organizationId, object, field, ids],
    'WRITE',
  )
}

/**
 * Removes the rows of deleted records. A deletion does not see a row that was written for the record while it waited for the record. No write may be
 * under way: the transaction has published definitions.
 */
export async function forgetDeleted(
  { db, caller }: RequestContext,
  { object, table }: RecordShape,
  field: string,
): Promise<void> {
  await db.query(
    `delete from ${valueTable} v using ${table} t
     where v.organization_id = $1 and v.object = $2 and v.field = $3 and t.organization_id = $1 and t.id = v.record_id and t.deleted_at is not null`,
    [caller.organizationId, object, field],
    'WRITE',
  )
}
