import { withoutRowLimit } from '../../database/row-bytes.ts'
import { newId } from '../../ids.ts'
import { unrestricted, type RequestContext } from '../../request.ts'
import { changeAllWithEvents } from '../change-all.ts'
import { columnOf, type RecordDefinition, type RecordShape, type StoredRow } from '../definition.ts'
import { TenantPredicate, type Values } from '../predicate.ts'
import { readSource } from '../read-source.ts'
import { lockRows } from '../lock-rows.ts'
import { valueTable } from '../value-index/value-column.ts'
import type { Merged } from './merged.ts'
import { movedValues, type Winners } from './moved-values.ts'
import { namingRowsOf } from './naming-rows.ts'
import { namingShapes, pathOf, type NamingField, type NamingShape } from './naming.ts'

/** Its subgraph creates it, and carries out what is in it. */
export const moveTable = 'records.merge_move'

/** How many fields of records, or rows, name the merged records. */
export interface ReferenceCount {
  readonly object: string
  readonly field: string
  readonly count: number
}

function conditionOf(shape: RecordShape, field: NamingField, ids: readonly string[], values: Values): string {
  const { column, part, kind, index } = field
  if (!part) {
    const isOfKind = kind ? ` and ${columnOf(shape, kind.name).sql('t')} = ${values.add(kind.value)}` : ''
    return `${column.sql('t')} = any(${values.add(ids)}::uuid[])${isOfKind}`
  }
  if (index) return `${index.sql('t')} && ${values.add(ids)}::text[]`
  const containing = ids.map((id) => {
    const object = { [part.name]: part.kind === 'textList' ? [id] : id, ...(kind && { [kind.name]: kind.value }) }
    return `${column.sql('t')} @> ${values.add(JSON.stringify(column.structure!.isList ? [object] : object))}::jsonb`
  })
  // The index of a list has no empty ones.
  const isFilled = column.structure!.isList ? ` and ${column.sql('t')} <> '[]'` : ''
  return `(${containing.join(' or ')})${isFilled}`
}

/** SQL of the ids of the live records that name some of these records in this field. */
function namingSql(
  ctx: RequestContext,
  { shape }: NamingShape,
  field: NamingField,
  { winner, losers, source }: Merged & { readonly source: Source },
  values: Values,
): string {
  const { column } = field
  const predicate = new TenantPredicate(ctx.caller, values)
  // The records themselves are changed by the merge.
  const others = [winner, ...losers]
  if (column.lookup)
    return `select v.record_id as id from ${valueTable} v
      where v.organization_id = ${predicate.organization()} and v.object = ${values.add(shape.object)} and v.field = ${values.add(column.key)}
        and v.kind = 'id' and v.id_value = any(${values.add(losers)}::uuid[]) and v.record_id <> all(${values.add(others)}::uuid[])`
  return `select t.id from ${source(shape)} t
    where ${predicate.tenant(shape, 't')} and ${conditionOf(shape, field, losers, values)} and t.id <> all(${values.add(others)}::uuid[])`
}

/** How many references to the merged records there are, of each field at most `limit`. */
export async function countReferences(ctx: RequestContext, merged: Merged, limit: number): Promise<ReferenceCount[]> {
  const counts: ReferenceCount[] = []
  for (const naming of namingShapes(ctx, merged.object))
    for (const field of naming.fields) {
      const predicate = new TenantPredicate(ctx.caller)
      const { values } = predicate
      const sql = namingSql(ctx, naming, field, { ...merged, source: readSource }, values)
      const [row] = await ctx.db.query<{ count: number }>(
        `select count(*)::int as count from (${sql} limit ${values.add(limit)}::int) r`,
        values.list,
        'WRITE',
      )
      if (row!.count > 0) counts.push({ object: naming.shape.object, field: pathOf(field), count: row!.count })
    }
  for (const rows of namingRowsOf(merged.object)) {
    const given = [ctx.caller.organizationId, merged.losers, merged.object, limit]
    const [row] = await ctx.db.query<{ count: number }>(rows.count, given, 'WRITE')
    if (row!.count > 0) counts.push({ object: rows.object, field: rows.field, count: row!.count })
  }
  return counts
}

const winnersIn = ({ winner, losers }: Merged): Winners => new Map(losers.map((id) => [id, winner]))

/** What a statement reads: requests read the view of the organization, the platform itself the table. */
type Source = (shape: RecordShape) => string
const tableOf: Source = ({ table }) => table

interface Move {
  /** Records that are changed at most. */
  readonly limit: number
  /** Otherwise only the records that must be changed before others may name the record that stays. */
  readonly isComplete: boolean
  /** The platform itself moves them. */
  readonly isPlatform?: boolean
}

/**
 * Moves references to the merged records: each record that has some gets its version and its event, whoever sees it. Returns how many records were
 * changed; none if no references are left. The transaction is that of the merge or of a part of it.
 */
export async function moveReferences(
  ctx: RequestContext,
  merged: Merged,
  { limit, isComplete, isPlatform = false }: Move,
): Promise<number> {
  const inner = { ...unrestricted(ctx), db: withoutRowLimit(ctx.db) }
  const winners = winnersIn(merged)
  const source = isPlatform ? tableOf : readSource
  let left = limit
  let count = 0
  for (const naming of namingShapes(inner, merged.object)) {
    const { fields } = naming
    const definition = naming.shape as RecordDefinition<StoredRow>
    if (!isComplete && !definition.beforeMoved) continue
    const predicate = new TenantPredicate(inner.caller)
    const { values } = predicate
    const found = fields.map((field) => namingSql(inner, naming, field, { ...merged, source }, values))
    const rows = await inner.db.query<{ id: string }>(
      `select id from (${found.join('\n union ')}) r order by id limit ${values.add(left)}::int`,
      values.list,
      'WRITE',
    )
    const ids = rows.map(({ id }) => id)
    await lockRows(inner, definition, ids)
    await definition.beforeMoved?.(inner, merged)
    const changed = await changeAllWithEvents(inner, definition, ids, (previous) => {
      const implied = movedValues(previous as unknown as Readonly<Record<string, unknown>>, fields, winners)
      return Object.keys(implied).length > 0 ? { implied } : null
    })
    count += changed.length
    left -= ids.length
    if (left <= 0) break
  }
  return count
}

/** Moves rows that are no records, at most `limit`, and returns how many. */
export async function moveRows(
  { db, caller }: RequestContext,
  { object, winner, losers }: Merged,
  limit: number,
): Promise<number> {
  let count = 0
  for (const { move } of namingRowsOf(object)) {
    if (count >= limit) break
    const moved = await db.query(move, [caller.organizationId, losers, object, winner, limit - count], 'WRITE')
    count += moved.length
  }
  return count
}

/**
 * What is left of a merge, and references that concurrent transactions have checked before it and write after it, are moved in the background.
 */
export async function queueMove(
  { db, caller }: RequestContext,
  { object, winner }: Merged,
  userId: string | null,
): Promise<void> {
  await db.query(
    `insert into ${moveTable} (organization_id, id, object, record_id, requested_by_id) values ($1, $2, $3, $4, $5)`,
    [caller.organizationId, newId(), object, winner, userId],
    'WRITE',
  )
}
