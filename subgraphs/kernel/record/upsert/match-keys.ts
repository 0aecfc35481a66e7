import { withoutRowLimit } from '../../database/row-bytes.ts'
import type { RequestContext } from '../../request.ts'
import { sqlLiteral } from '../custom-field-column.ts'
import type { RecordShape } from '../definition.ts'
import { mergedTable } from '../merge/merged-records.ts'
import { TenantPredicate } from '../predicate.ts'
import { valueTable } from '../value-index/value-column.ts'
import { jsonOfKey, type KeyField } from './key-field.ts'

/** More than one record of a value is ambiguous, whichever they are. */
const matchesMax = 2

/**
 * SQL of the record that stays of the merge in which one with the external id was last merged, if no live record has the id itself, whoever sees that.
 */
function winnersSql(definition: RecordShape, { column }: KeyField, predicate: TenantPredicate): string {
  const { object, table } = definition
  const organization = predicate.organization()
  return `(select w.id from ${mergedTable} m join ${table} w on w.organization_id = m.organization_id and w.id = m.merged_into_id
    where m.organization_id = ${organization} and m.object = ${sqlLiteral(object)} and m.external_id = g.value and ${predicate.live(definition, 'w')}
      and not exists (select from ${table} o where ${predicate.all(definition, 'o')} and ${column.sql('o')} = g.value and o.deleted_at is null)
    order by m.merged_at desc, m.record_id desc limit 1)`
}

/** For external ids: whether a record that had one, and was merged, leads to another record. */
export const leadsToWinners = ({ merge }: RecordShape, { column }: KeyField): boolean =>
  merge !== undefined && column.key === undefined

/** The records that the caller sees to which these external ids lead, because records that had them were merged. */
export async function winnersByKey(
  ctx: RequestContext,
  definition: RecordShape,
  key: KeyField,
  values: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (values.length === 0 || !leadsToWinners(definition, key)) return new Map()
  const predicate = new TenantPredicate(ctx.caller)
  // Few of many values are those of merged records; otherwise PostgreSQL may begin with all live records, once for each value.
  const merged = `select distinct m.external_id as value from ${mergedTable} m
    where m.organization_id = ${predicate.organization()} and m.object = ${sqlLiteral(definition.object)} and m.external_id = any(${predicate.values.add(values)}::text[])`
  const rows = await withoutRowLimit(ctx.db).query<{ value: string; id: string }>(
    `with g as materialized (${merged}) select g.value, w.id from g cross join lateral ${winnersSql(definition, key, predicate)} w`,
    predicate.values.list,
  )
  return new Map(rows.map(({ value, id }) => [value, id]))
}

/** SQL of the form in which the JSON of a value of a unique custom field is compared. */
const comparedSql = ({ column }: KeyField, json: string): string =>
  `kernel.unique_key(${json}::jsonb, '${column.valueIndex!.unique}')`

/** SQL of that form of the value in a row. The index has it only of live records. */
export const comparedInRow = (key: KeyField, alias: string): string =>
  comparedSql(key, `(${alias}.custom_fields -> ${sqlLiteral(key.column.key!)})`)

/** SQL of the values `v` of a unique custom field in the records of the organization. */
export const uniqueValuesOf = ({ object }: RecordShape, { column }: KeyField, predicate: TenantPredicate): string =>
  `(select v.record_id, v.unique_key from ${valueTable} v
     where v.organization_id = ${predicate.organization()} and v.object = ${sqlLiteral(object)} and v.field = ${sqlLiteral(column.key!)}
       and v.unique_key is not null) v`

/** The forms in which values of a unique custom field are compared, in their order; null for one that is the same as no other. */
export async function comparedKeys(
  db: RequestContext['db'],
  key: KeyField,
  values: readonly string[],
): Promise<(string | null)[]> {
  const json = values.map((value) => JSON.stringify(jsonOfKey(key, value)))
  const rows = await db.query<{ form: string | null }>(
    `select ${comparedSql(key, 'g.value')} as form from unnest($1::text[]) with ordinality as g(value, place) order by g.place`,
    [json],
  )
  return rows.map(({ form }) => form)
}

/**
 * The live records that the caller sees, by the values of a key: for each value the ids of at most two, of which there are several only for external
 * ids that were shared before they had to be unique. The external id of a record that was merged leads to the record that stays. One statement reads all of them.
 */
export async function matchKeys(
  ctx: RequestContext,
  definition: RecordShape,
  key: KeyField,
  values: readonly string[],
): Promise<(readonly string[])[]> {
  const { table } = definition
  const { column } = key
  const predicate = new TenantPredicate(ctx.caller)
  const live = predicate.live(definition, 't')
  const json = values.map((value) => JSON.stringify(jsonOfKey(key, value)))
  const given = `unnest(${predicate.values.add(column.key === undefined ? values : json)}::text[]) with ordinality as g(value, place)`
  const matches =
    column.key === undefined
      ? `select t.id from ${table} t where ${column.sql('t')} = g.value and ${live}${leadsToWinners(definition, key) ? ` union all ${winnersSql(definition, key, predicate)}` : ''}`
      : `select t.id from ${uniqueValuesOf(definition, key, predicate)} join ${table} t on t.id = v.record_id
         where v.unique_key = ${comparedSql(key, 'g.value')} and ${live}`
  const rows = await ctx.db.query<{ place: number; id: string }>(
    `select g.place::int as place, m.id from ${given} cross join lateral (${matches} limit ${matchesMax}) m`,
    predicate.values.list,
  )
  const found: string[][] = values.map(() => [])
  for (const { place, id } of rows) found[place - 1]!.push(id)
  return found
}
