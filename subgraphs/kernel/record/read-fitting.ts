import type { Row } from '../database/sql.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from './definition.ts'
import { fieldRules } from './field-security.ts'
import { TenantPredicate } from './predicate.ts'
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

/**
 * Reads records in the order of their ids, up to the one with which they reach so many bytes. PostgreSQL measures them, so a read of large records
 * ends before it costs what an operation may read.
 */
export async function readFitting(
  ctx: RequestContext,
  builtIn: RecordShape,
  ids: readonly string[],
  selected: ReadonlySet<string>,
  bytesMax: number,
): Promise<FittingRows> {
  if (ids.length === 0) return { rows: [], count: 0 }
  const definition = shapeFor(ctx, builtIn)
  const predicate = new TenantPredicate(ctx.caller)
  const columns = selectList(definition, selected, 't', fieldRules(ctx.caller, definition))
  const list = `${predicate.values.add(ids)}::uuid[]`
  const found = await ctx.db.query<FittingRow & { readonly bytesRead: number }>(
    `select * from (
       select m.*, (sum(m."rowBytes") over (order by m."placeOfId"))::float8 as "bytesRead" from (
         select r.*, octet_length(r::text) as "rowBytes" from (
           select ${columns}, array_position(${list}, t.id) as "placeOfId" from ${definition.table} t
           where ${predicate.live(definition, 't')} and t.id = any(${list}) offset 0
         ) r
       ) m
     ) f where "bytesRead" - "rowBytes" < ${predicate.values.add(bytesMax)} order by "placeOfId"`,
    predicate.values.list,
  )
  ctx.answered?.records(definition, found)
  const last = found.at(-1)
  return { rows: found, count: last && last.bytesRead >= bytesMax ? last.placeOfId : ids.length }
}
