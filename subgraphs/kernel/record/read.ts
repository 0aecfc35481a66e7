import { notFound, Refusal } from '../errors.ts'
import { isId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import type { Row } from '../database/sql.ts'
import { batchOf } from './batch.ts'
import { collectedOf } from './collected-writes.ts'
import { columnOf, hasColumn, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { nameOf } from './describe.ts'
import { fieldRules, requireReadable } from './field-security.ts'
import { winnersOf } from './merge/merged-records.ts'
import { shapeFor } from './shape-source.ts'
import { TenantPredicate } from './predicate.ts'
import { isStorable } from './scalars.ts'
import { selectList } from './selection.ts'
import { refusalInSituation, refusalInState, type StateMachine } from './transitions.ts'

const idOnly: ReadonlySet<string> = new Set()
const columnNames = new WeakMap<object, ReadonlySet<string>>()

/** The names of all table columns, as a set of selected fields. */
export function allColumnNames({ columns: { stored } }: RecordShape): ReadonlySet<string> {
  let names = columnNames.get(stored)
  if (!names) columnNames.set(stored, (names = new Set(stored.map((column) => column.name))))
  return names
}

/** One record; null when it does not exist, is deleted, belongs to another organization or is not visible to the caller. */
export async function readOne(
  ctx: RequestContext,
  builtIn: RecordShape,
  id: string,
  selected = idOnly,
): Promise<Row | null> {
  if (!isId(id)) return null
  const definition = shapeFor(ctx, builtIn)
  const { text, values } = byIds(ctx, definition, selected)
  const row = await ctx.db.byId(text, values, id.toLowerCase())
  if (row) ctx.answered?.record(definition, row.id)
  return row
}

/**
 * The statement that reads visible records by a list of ids, which is its last parameter. Each id is looked up by itself: for a list of unknown length, the
 * planner would take an index with all records of an average organization for as cheap, which are very many in a large one.
 */
function byIds({ caller }: RequestContext, definition: RecordShape, selected: ReadonlySet<string>) {
  const predicate = new TenantPredicate(caller)
  const columns = selectList(definition, selected, 't', fieldRules(caller, definition))
  const live = predicate.live(definition, 't')
  const text = `select r.* from unnest($${predicate.values.list.length + 1}::uuid[]) w(id) cross join lateral (
      select ${columns} from ${definition.table} t where ${live} and t.id = w.id offset 0
    ) r`
  return { text, values: predicate.values.list }
}

/** The record with this value in a unique column; 404 when there is none that the caller can see. */
export async function readBy(
  ctx: RequestContext,
  builtIn: RecordShape,
  name: string,
  value: string,
  selected = idOnly,
): Promise<Row> {
  const definition = shapeFor(ctx, builtIn)
  requireReadable(ctx.caller, definition, name)
  const predicate = new TenantPredicate(ctx.caller)
  const match = `${columnOf(definition, name).sql('t')} = ${predicate.values.add(value)}`
  const sql = `select ${selectList(definition, selected, 't', fieldRules(ctx.caller, definition))} from ${definition.table} t where ${match} and ${predicate.live(definition, 't')}`
  const [row] = isStorable(value) ? await ctx.db.query(sql, predicate.values.list) : []
  if (!row) throw notFound(`The ${nameOf(definition)}`)
  ctx.answered?.record(definition, row.id)
  return row
}

/** The complete record for a change, including columns that are hidden from the caller; with `deleted`, a deleted record. 404 when the caller cannot see it. */
export async function requireRecord<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  id: string,
  { deleted = false, isLocked = false } = {},
): Promise<T> {
  const collected = deleted || isLocked ? null : collectedOf(ctx)?.known(definition, id)
  if (collected) return collected
  const predicate = new TenantPredicate(ctx.caller)
  const columns = selectList(definition, allColumnNames(definition), 't', null)
  const state = deleted || !hasColumn(definition, 'deletedAt') ? '' : ' and t.deleted_at is null'
  const lock = isLocked && !definition.storedIn ? ' for update of t' : ''
  if (isLocked && definition.storedIn && isId(id)) await lockStored(ctx, definition.storedIn, id)
  const sql = `select ${columns} from ${definition.table} t where t.id = ${predicate.values.add(id)} and ${predicate.visible(shapeFor(ctx, definition), 't')}${state}${lock}`
  const [row] = isId(id) ? await ctx.db.query(sql, predicate.values.list) : []
  if (!row) throw await notFoundOrMerged(ctx, definition, id)
  const record = row as unknown as T
  if (deleted && row.deletedAt === null) await refuseLive(ctx, definition, record)
  return record
}

/** Refuses to restore a record that is not deleted. */
async function refuseLive<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  record: T,
): Promise<never> {
  definition.requireRight?.(ctx, record)
  const message = `The ${nameOf(definition)} is not deleted.`
  if (!definition.states) throw refusalInSituation(message)
  throw await refusalInState(ctx, definition.states as StateMachine<never>, record as never, message)
}

/** Locks the row behind a view, which requests may only read. A statement after this one sees what the transactions before it have written. */
async function lockStored({ db, caller }: RequestContext, table: string, id: string): Promise<void> {
  await db.query(`select 1 from ${table} where organization_id = $1 and id = $2 for update`, [
    caller.organizationId,
    id,
  ])
}

/** A record by id; null when it is deleted or not visible. Calls of one operation with the same selection share one statement. */
export function readReference(
  ctx: RequestContext,
  definition: RecordShape,
  id: string,
  selected: ReadonlySet<string>,
): Promise<Row | null> {
  return batchOf(ctx, selected, definition.object, async (ids) => {
    const rows = await readMany(ctx, definition, ids, selected)
    ctx.answered?.records(
      definition,
      rows.filter((row) => row !== null),
    )
    return rows
  }).load(id)
}

async function readMany(
  ctx: RequestContext,
  builtIn: RecordShape,
  ids: readonly string[],
  selected: ReadonlySet<string>,
): Promise<(Row | null)[]> {
  const definition = shapeFor(ctx, builtIn)
  const { text, values } = byIds(ctx, definition, selected)
  const rows = await ctx.db.query(text, [...values, [...new Set(ids.filter(isId))]])
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** Those ids whose records are visible and not deleted; for the reference checks of other records. Records of `ctx.written` are not read again. */
export async function visibleIds(
  ctx: RequestContext,
  definition: RecordShape,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { written } = ctx
  if (written && ids.every((id) => written.has(`${definition.object} ${id}`))) return new Set(ids)
  const rows = await readMany(ctx, definition, ids, idOnly)
  return new Set(rows.flatMap((row) => (row ? [row.id as string] : [])))
}

/** The refusal of an id that names no record for the caller. It leads to the record that the one with this id was merged into, if the caller sees that. */
export async function notFoundOrMerged(ctx: RequestContext, definition: RecordShape, id: string): Promise<Refusal> {
  const what = `The ${nameOf(definition)}`
  const winner = definition.merge ? (await winnersOf(ctx, [id])).get(id.toLowerCase()) : undefined
  if (winner === undefined || !(await visibleIds(ctx, definition, [winner])).has(winner)) return notFound(what)
  return new Refusal('NOT_FOUND', `${what} was merged into another one.`, { mergedIntoId: winner })
}

type RecordState = 'LIVE' | 'DELETED'

/** Whether records are deleted, by their ids, without those that the caller cannot see. One statement reads both. */
export async function statesOf(
  { caller, db }: Pick<RequestContext, 'caller' | 'db'>,
  definition: RecordShape,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RecordState>> {
  const known = ids.filter(isId)
  if (known.length === 0) return new Map()
  const predicate = new TenantPredicate(caller)
  const isLive = hasColumn(definition, 'deletedAt') ? 't.deleted_at is null' : 'true'
  const sql = `select t.id, ${isLive} as "isLive" from ${definition.table} t where t.id = any(${predicate.values.add(known)}::uuid[]) and ${predicate.visible(definition, 't')}`
  const rows = await db.query<{ id: string; isLive: boolean }>(sql, predicate.values.list)
  return new Map(rows.map((row) => [row.id, row.isLive ? 'LIVE' : 'DELETED']))
}

/** Whether a record is deleted; null when the caller cannot see it. */
export async function stateOf(
  ctx: Pick<RequestContext, 'caller' | 'db'>,
  definition: RecordShape,
  id: string,
): Promise<RecordState | null> {
  return (await statesOf(ctx, definition, [id])).get(id.toLowerCase()) ?? null
}
