import type { RequestContext } from '../../request.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import type { Contributor } from '../derived/contributor.ts'
import type { RecordChange } from '../derived/derived-rows.ts'
import { comparedSql } from './compared-sql.ts'
import { valueTable } from '../value-index/value-column.ts'
import type { DuplicateRules, Matcher } from './duplicate-rules.ts'

type Fields = Readonly<Record<string, unknown>>

/** A key of a record; without one, the index has no row of it. */
interface KeyRow {
  readonly organization: unknown
  readonly field: string
  readonly record: unknown
  readonly created: unknown
  readonly key: string | null
}

const indexed = (duplicates: DuplicateRules | undefined): readonly Matcher[] =>
  duplicates?.matchers.filter(({ isIndexed }) => isIndexed) ?? []

const rowOf = ({ keyField, keyOf }: Matcher, { organizationId, id, createdAt }: Fields, record: Fields): KeyRow => ({
  organization: organizationId,
  field: keyField,
  record: id,
  created: createdAt,
  key: keyOf(record),
})

/** The rows that a change writes or removes: those of the keys that it changes. */
function rowsOf(matchers: readonly Matcher[], { operation, previous, next }: RecordChange): KeyRow[] {
  const isNew = operation !== 'UPDATE'
  return matchers.flatMap((matcher) => {
    if (operation === 'DELETE') return { ...rowOf(matcher, next, next), key: null }
    const row = rowOf(matcher, next, next)
    const before = isNew ? null : matcher.keyOf(previous!)
    return row.key === before ? [] : row
  })
}

const givenSql = (json: string): string =>
  `jsonb_to_recordset(${json}::jsonb) as r(organization uuid, field text, record uuid, created timestamptz, key text)`

const written = (object: string, json: string, condition: string): string => `
  insert into ${valueTable} (organization_id, object, field, record_id, created_at, kind, text_value)
  select r.organization, ${sqlLiteral(object)}, r.field, r.record, r.created, 'text', r.key
  from ${givenSql(json)} where ${condition} order by r.field, r.record
  on conflict (organization_id, object, field, record_id) do update set
    created_at = excluded.created_at, kind = excluded.kind, text_value = excluded.text_value`

const removed = (object: string, json: string, condition: string): string => `
  delete from ${valueTable} v using ${givenSql(json)}
  where v.organization_id = r.organization and v.object = ${sqlLiteral(object)} and v.field = r.field and v.record_id = r.record and ${condition}`

/** The keys by which duplicates are found follow the records in every write. */
export const duplicateKeyRows: Contributor = ({ object, duplicates }) => {
  const matchers = indexed(duplicates)
  if (matchers.length === 0) return null
  return ({ values, isWritten }, changes) => {
    const rows = changes.flatMap((change) => rowsOf(matchers, change))
    const [keys, blank] = [rows.filter(({ key }) => key !== null), rows.filter(({ key }) => key === null)]
    const statements: Record<string, string> = {}
    if (keys.length > 0)
      statements['duplicate_keys_written'] = written(object, values.add(JSON.stringify(keys)), isWritten('r.record'))
    if (blank.length > 0)
      statements['duplicate_keys_removed'] = removed(object, values.add(JSON.stringify(blank)), isWritten('r.record'))
    return statements
  }
}

/**
 * Writes the keys of records that existed before their rules. The records are locked, so their keys are of the versions that they have until the
 * transaction ends.
 */
export async function indexKeys(
  { db, caller }: RequestContext,
  shape: RecordShape,
  ids: readonly string[],
): Promise<void> {
  const { object, table, duplicates } = shape
  const matchers = indexed(duplicates)
  const records = await db.query<Fields>(
    `select t.organization_id as "organizationId", t.created_at as "createdAt", ${comparedSql(matchers, 't')} from ${table} t
     where t.organization_id = $1 and t.id = any($2::uuid[]) and t.deleted_at is null order by t.id for share of t`,
    [caller.organizationId, ids],
  )
  const rows = records.flatMap((record) => matchers.map((matcher) => rowOf(matcher, record, record)))
  const [keys, blank] = [rows.filter(({ key }) => key !== null), rows.filter(({ key }) => key === null)]
  if (keys.length > 0) await db.query(written(object, '$1', 'true'), [JSON.stringify(keys)], 'WRITE')
  if (blank.length > 0) await db.query(removed(object, '$1', 'true'), [JSON.stringify(blank)], 'WRITE')
}

/** Removes keys of matchers that no rule has; false when none are left. */
export async function forgetKeys(
  { db, caller }: RequestContext,
  object: string,
  fields: readonly string[],
  limit: number,
): Promise<boolean> {
  if (fields.length === 0) return false
  const rows = await db.query(
    `delete from ${valueTable} where organization_id = $1 and object = $2 and field = any($3::text[]) and record_id = any(array(
       select record_id from ${valueTable} where organization_id = $1 and object = $2 and field = any($3::text[]) limit ${limit}))
     returning 1`,
    [caller.organizationId, object, fields],
    'WRITE',
  )
  return rows.length > 0
}
