import type { Row } from '../database/sql.ts'
import type { RequestContext } from '../request.ts'
import type { Column } from './column.ts'
import type { RecordShape } from './definition.ts'
import { fieldRules } from './field-security.ts'
import { TenantPredicate } from './predicate.ts'
import { allColumnNames } from './read.ts'
import { selectList } from './selection.ts'
import { shapeFor } from './shape-source.ts'

/** A record of a bounded read. No record type has columns of these names. */
export type FittingRow = Row & {
  readonly id: string
  /** Its place among the ids, from 1. */
  readonly placeOfId: number
  readonly rowBytes: number
}

export interface FittingRows {
  /** The records that the caller sees, in the order of the ids. */
  readonly rows: readonly FittingRow[]
  /** How many of the ids were looked at, those included whose records the caller does not see. */
  readonly count: number
}

/** The most bytes of a value whose column decides how long it is, such as an id or a time. */
const boundedBytes = 36
const bounded: ReadonlySet<Column['kind']> = new Set(['id', 'integer', 'number', 'boolean', 'timestamp', 'date'])

/** The bytes of the texts of a row. The text of the whole row takes three times as long as those of the values that clients make large. */
function bytesSql(columns: readonly Column[], alias: string): string {
  const large = columns.filter(({ kind }) => !bounded.has(kind))
  const texts = large.map(({ name }) => `coalesce(octet_length(${alias}."${name}"::text), 0)`)
  return [...texts, boundedBytes * (columns.length - large.length)].join(' + ')
}

/**
 * Reads whole records in the order of their ids, up to the one with which they reach so many bytes. PostgreSQL measures them, so a read of large records
 * ends before it costs what an operation may read.
 */
export async function readFitting(
  ctx: RequestContext,
  builtIn: RecordShape,
  ids: readonly string[],
  bytesMax: number,
): Promise<FittingRows> {
  if (ids.length === 0) return { rows: [], count: 0 }
  const definition = shapeFor(ctx, builtIn)
  const predicate = new TenantPredicate(ctx.caller)
  const columns = selectList(definition, allColumnNames(definition), 't', fieldRules(ctx.caller, definition))
  // Each id by itself: for a list of unknown length, the planner would take an index with all records of an average organization for as cheap.
  const list = `${predicate.values.add(ids)}::uuid[]`
  const found = await ctx.db.query<FittingRow & { readonly bytesRead: number }>(
    `select * from (
       select m.*, (sum(m."rowBytes") over (order by m."placeOfId"))::float8 as "bytesRead" from (
         select r.*, ${bytesSql(definition.columns.stored, 'r')} as "rowBytes" from (
           select o.*, w.place::int as "placeOfId" from unnest(${list}) with ordinality w(id, place) cross join lateral (
             select ${columns} from ${definition.table} t where ${predicate.live(definition, 't')} and t.id = w.id offset 0
           ) o
         ) r
       ) m
     ) f where "bytesRead" - "rowBytes" < ${predicate.values.add(bytesMax)} order by "placeOfId"`,
    predicate.values.list,
  )
  ctx.answered?.records(definition, found)
  const last = found.at(-1)
  return { rows: found, count: last && last.bytesRead >= bytesMax ? last.placeOfId : ids.length }
}
