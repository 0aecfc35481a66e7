import { Refusal } from '../../errors.ts'
import { requireCurrentDefinitions } from '../../extension/current-extensions.ts'
import { newId } from '../../ids.ts'
import { unrestricted, type RequestContext } from '../../request.ts'
import { noUserId } from '../../context.ts'
import { changeAllWithEvents } from '../change-all.ts'
import { customFieldName } from '../custom-field-column.ts'
import { recordTypeIn } from '../custom-object.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import { nameOf } from '../describe.ts'
import { losersOf } from '../merge/merged-records.ts'
import { isHidden } from '../field-security.ts'
import { mayReadType } from '../may-read-type.ts'
import { TenantPredicate } from '../predicate.ts'
import { shapeFor } from '../shape-source.ts'
import { refusalInSituation } from '../transitions.ts'
import { lockRows } from '../lock-rows.ts'
import { valueTable } from '../value-index/value-column.ts'
import type { LookupFrom } from './lookup.ts'

/** References to deleted records that one operation clears in its transaction; where a record has more, all of its own are cleared later. */
const clearedMax = 200
/** The number of dependents of a field from which on the refusal counts no further. */
const countedMax = 10_000
/** Details that one operation deletes, or one restoration restores, in its transaction; where there are more, all of them follow later. */
export const detailsMax = 5_000
const shownMax = 10
/** Dependents of a field among which those that the caller sees are looked for. */
const searchedMax = 1_000

/** Its subgraph creates it, and carries out what is in it. */
export const clearingTable = 'extensions.lookup_clearing'

type Row = Record<string, unknown>

/** The rows of the index of values that name one of the records `$2`, for each lookup `f(object, field)` of the parameter `$3`. */
const namedIn = (columns: string, order: string, limit: number): string => `
  from jsonb_to_recordset($3::jsonb) f(object text, field text)
  cross join lateral (
    select ${columns} from ${valueTable} v
    where v.organization_id = $1 and v.object = f.object and v.field = f.field and v.kind = 'id' and v.id_value = any($2::uuid[]) and v.record_id <> all($2::uuid[])
    ${order} limit ${limit}) v`

const fieldsOf = (lookups: readonly LookupFrom[]): string =>
  JSON.stringify(lookups.map(({ object, key }) => ({ object, field: key })))

const withBehavior = ({ lookedUpBy = [] }: RecordShape, onDelete: LookupFrom['onDelete']): LookupFrom[] =>
  lookedUpBy.filter((one) => one.onDelete === onDelete)

/**
 * Locks a record that is about to be deleted: nobody names it any more until the transaction ends. Refuses with HAS_DEPENDENTS if a lookup names it
 * that restricts its deletion, and with INVALID_STATE while the index of such a lookup, or of one that makes records its details, is built.
 */
export async function refuseRestricted(ctx: RequestContext, definition: RecordShape, id: string): Promise<void> {
  if (!definition.lookedUpBy) return
  const { db, caller } = ctx
  await requireCurrentDefinitions(ctx)
  await db.query(
    `select from ${definition.table} where organization_id = $1 and id = $2 for update`,
    [caller.organizationId, id],
    'WRITE',
  )
  const restricting = withBehavior(definition, 'RESTRICT')
  refuseUnknown(definition, [...restricting, ...withBehavior(definition, 'CASCADE')])
  if (restricting.length === 0) return
  // What names a record that was merged into it will name it as soon as it is moved.
  const ids = definition.merge ? [id, ...(await losersOf(ctx, [id]))] : [id]
  const rows = await db.query<{ object: string; field: string; count: number }>(
    `select f.object, f.field, count(*)::int as count ${namedIn('1', '', countedMax)} group by 1, 2 order by 1, 2`,
    [caller.organizationId, ids, fieldsOf(restricting)],
  )
  if (rows.length === 0) return
  const count = Math.min(
    rows.reduce((sum, row) => sum + row.count, 0),
    countedMax,
  )
  const dependents = await visibleDependents(ctx, ids, rows)
  const many = count === countedMax ? `${countedMax} or more records` : count === 1 ? 'A record' : `${count} records`
  const message = `${many} ${count === 1 ? 'refers' : 'refer'} to the ${nameOf(definition)}; change or delete first what refers to it.`
  throw new Refusal('HAS_DEPENDENTS', message, { count, dependents })
}

/** Until the index of a lookup is built, nobody knows which records name the record. */
function refuseUnknown(definition: RecordShape, deciding: readonly LookupFrom[]): void {
  const building = deciding.find(({ isReady }) => !isReady)
  if (!building) return
  const field = `${building.object}.${customFieldName(building.key)}`
  const message = `The index of ${field}, which decides on the deletion of the ${nameOf(definition)}, is being built; delete it when the state of that field is READY.`
  throw refusalInSituation(message, { state: 'BUILDING' })
}

/** Refuses with INVALID_STATE while the index of a lookup is built, because nobody knows which records name the record. */
export function requireReadyLookups(definition: RecordShape): void {
  const building = definition.lookedUpBy?.find(({ isReady }) => !isReady)
  if (!building) return
  const field = `${building.object}.${customFieldName(building.key)}`
  const message = `The index of ${field} is being built; merge the records when the state of that field is READY.`
  throw refusalInSituation(message, { state: 'BUILDING' })
}

interface Dependent {
  readonly object: string
  readonly id: string
  readonly field: string
}

/** The newest records that name one of these records, of those that the caller may read and whose field the caller may read. */
async function visibleDependents(
  ctx: RequestContext,
  ids: readonly string[],
  fields: readonly { readonly object: string; readonly field: string }[],
): Promise<Dependent[]> {
  const found: Dependent[] = []
  for (const { object, field } of fields) {
    if (found.length === shownMax) break
    const builtIn = recordTypeIn(ctx, object)
    if (!builtIn) continue
    const shape = shapeFor(ctx, builtIn)
    const path = customFieldName(field)
    if (!mayReadType(ctx.caller, shape) || isHidden(ctx.caller, shape, path)) continue
    const predicate = new TenantPredicate(ctx.caller)
    const { values } = predicate
    const [organization, named, given] = [predicate.organization(), values.add(ids), values.add([object, field])]
    const rows = await ctx.db.query<{ id: string }>(
      `select t.id from (
         select v.record_id, v.created_at from ${valueTable} v
         where v.organization_id = ${organization} and v.object = (${given}::text[])[1] and v.field = (${given}::text[])[2]
           and v.kind = 'id' and v.id_value = any(${named}::uuid[]) and v.record_id <> all(${named}::uuid[])
         order by v.created_at desc, v.record_id desc limit ${searchedMax}) v
       join ${shape.table} t on t.id = v.record_id
       where ${predicate.live(shape, 't')} order by v.created_at desc, v.record_id desc limit ${shownMax - found.length}`,
      values.list,
    )
    ctx.answered?.records(shape, rows)
    found.push(...rows.map((row) => ({ object, id: row.id, field: path })))
  }
  return found
}

/** The records that name the record in lookups that are cleared, at most `limit` for each of them. */
export async function namingRecords(
  { db, caller }: RequestContext,
  definition: RecordShape,
  id: string,
  limit: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const clearing = withBehavior(definition, 'CLEAR')
  if (clearing.length === 0) return new Map()
  const rows = await db.query<{ object: string; id: string }>(
    `select distinct f.object, v.record_id as id ${namedIn('v.record_id', '', limit)} order by 1, 2 limit ${limit}`,
    [caller.organizationId, [id], fieldsOf(clearing)],
  )
  return new Map(
    [...Map.groupBy(rows, ({ object }) => object)].map(([object, own]) => [object, own.map((row) => row.id)]),
  )
}

/** Clears what these records name of a deleted record, each with its version and event as any other change. Returns how many had to be changed. */
export async function clearReferences(
  ctx: RequestContext,
  definition: RecordShape,
  id: string,
  records: ReadonlyMap<string, readonly string[]>,
): Promise<number> {
  const free = unrestricted(ctx)
  const clearing = withBehavior(definition, 'CLEAR')
  let count = 0
  for (const [object, ids] of records) {
    const shape = recordTypeIn(ctx, object)
    if (!shape) continue
    const keys = clearing.flatMap((one) => (one.object === object ? [one.key] : []))
    await lockRows(ctx, shape, ids)
    const naming = shape as RecordDefinition<StoredRow & { customFields: Row }>
    const changed = await changeAllWithEvents(free, naming, ids, ({ customFields }) => {
      const cleared = keys.filter((key) => customFields[key] === id).map((key) => [key, null])
      return cleared.length > 0 ? { implied: { customFields: Object.fromEntries(cleared) as Row } } : null
    })
    count += changed.length
  }
  return count
}

/** What becomes of references to a record that the transaction has deleted: few are cleared at once, many in the background. */
export async function clearLookups(ctx: RequestContext, definition: RecordShape, id: string): Promise<void> {
  const limit = ctx.clearing?.left ?? clearedMax
  const records = await namingRecords(ctx, definition, id, limit + 1)
  const count = [...records.values()].reduce((sum, ids) => sum + ids.length, 0)
  if (count === 0) return
  if (count > limit) return queueClearing(ctx, definition, id)
  if (ctx.clearing) ctx.clearing.left -= count
  await clearReferences(ctx, definition, id, records)
}

async function queueClearing({ db, caller }: RequestContext, { object }: RecordShape, id: string): Promise<void> {
  const { organizationId, userId } = caller
  await db.query(
    `insert into ${clearingTable} (organization_id, id, object, record_id, requested_by_id) values ($1, $2, $3, $4, $5)`,
    [organizationId, newId(), object, id, userId === noUserId ? null : userId],
    'WRITE',
  )
}

/** The context of an operation that deletes several records. */
export const withClearing = <C extends RequestContext>(ctx: C): C => ({
  ...ctx,
  clearing: { left: clearedMax, details: detailsMax },
})
