import type { Row } from '../database/sql.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from '../record/definition.ts'
import { isHidden } from '../record/field-security.ts'
import { TenantPredicate } from '../record/predicate.ts'
import type { Candidate } from './candidates.ts'
import { searchedSql } from './entries.ts'
import type { FieldText } from './match.ts'
import { searchedColumns, subtitleColumn, titleColumn } from './searched-types.ts'

type ReadRow = Row & {
  readonly type: number
  readonly id: string
  readonly bytes: number
  /** Null of a record that does not fit. */
  readonly texts: readonly (string | null)[] | null
}

/** A record that the caller sees, with the values that the caller may read. */
export interface ReadRecord {
  readonly candidate: Candidate
  /** The fields in which words are looked for. */
  readonly fields: readonly FieldText[]
  readonly title: string | null
  readonly subtitle: string | null
}

/** Reads those of the candidates that the caller sees, all types in one statement, in their order and as many as fit. */
export async function readRows(
  ctx: RequestContext,
  shapes: readonly RecordShape[],
  candidates: readonly Candidate[],
  room: number,
): Promise<{ readonly records: readonly ReadRecord[]; readonly bytes: number; readonly isFull: boolean }> {
  const predicate = new TenantPredicate(ctx.caller)
  const types = shapes.flatMap((shape) => {
    const own = candidates.filter(({ object }) => object === shape.object)
    return own.length === 0 ? [] : [{ shape, own, ...columnsFor(ctx, shape) }]
  })
  const placeOf = new Map(candidates.map((candidate, index) => [candidate, index]))
  const parts = types.map(({ shape, own, names }, index) => {
    const ids = predicate.values.add(own.map(({ id }) => id))
    const places = predicate.values.add(own.map((candidate) => placeOf.get(candidate)))
    const texts = names.map((name) => searchedSql(shape, name, 't'))
    // Each id by itself: for a list of unknown length, the planner would take an index with all records of an average organization for as cheap.
    return `select ${index} as type, r.id, w.place, r.texts from unnest(${ids}::uuid[], ${places}::int[]) w(id, place) cross join lateral (
        select t.id, array[${texts.join(', ')}]::text[] as texts from ${shape.table} t where ${predicate.live(shape, 't')} and t.id = w.id offset 0
      ) r`
  })
  if (parts.length === 0) return { records: [], bytes: 0, isFull: false }
  const all = await ctx.db.query<ReadRow>(
    `select type, id, bytes, case when "upTo" <= ${predicate.values.add(room)} then texts end as texts from (
       select r.*, (sum(bytes) over (order by place))::float8 as "upTo" from (
         select u.*, octet_length(u.texts::text) as bytes from (${parts.join(' union all ')}) u
       ) r
     ) f order by place`,
    predicate.values.list,
  )
  const rows = all.filter(({ texts }) => texts !== null)
  for (const [index, { shape }] of types.entries())
    ctx.answered?.records(
      shape,
      rows.filter(({ type }) => type === index),
    )
  const byKey = new Map(candidates.map((candidate) => [`${candidate.object} ${candidate.id}`, candidate]))
  const records = rows.map((row): ReadRecord => {
    const { shape, names, compared } = types[row.type]!
    const textOf = (name: string | null): string | null =>
      name === null ? null : (row.texts![names.indexOf(name)] ?? null)
    const fields = compared.flatMap((field): FieldText[] => {
      const text = textOf(field)
      return text === null ? [] : [{ field, text }]
    })
    return {
      candidate: byKey.get(`${shape.object} ${row.id}`)!,
      fields,
      title: textOf(titleColumn(shape)),
      subtitle: textOf(subtitleColumn(shape)),
    }
  })
  return { records, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0), isFull: rows.length < all.length }
}

/** The columns that are read for the caller, and those of them in which words are looked for. Hidden values are never read. */
function columnsFor({ caller }: RequestContext, shape: RecordShape) {
  const isReadable = (name: string): boolean =>
    !isHidden(caller, shape, name) && !isHidden(caller, shape, name.split('.')[0]!)
  const compared = searchedColumns(shape).filter(isReadable)
  const shown = [titleColumn(shape), subtitleColumn(shape)].filter((name) => name !== null && isReadable(name))
  return { compared, names: [...new Set([...compared, ...(shown as string[])])] }
}
