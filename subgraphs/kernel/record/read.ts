import { notFound, Refusal } from '../errors.ts'
import { isId } from '../ids.ts'
import type { RequestContext } from '../request.ts'
import type { Row } from '../database/sql.ts'
import { batchOf } from './batch.ts'
import { columnOf, has, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { fieldRules, requireReadable } from './field-security.ts'
import { shapeFor } from './shape-source.ts'
import { TenantPredicate } from './predicate.ts'
import { isStorable } from './scalars.ts'
import { selectList } from './selection.ts'

const everything: ReadonlySet<string> = new Set()
const allColumns = new WeakMap<object, ReadonlySet<string>>()

/** Every column of the table, as an "asked" set. */
export function allOf({ columns: { stored } }: RecordShape): ReadonlySet<string> {
  let names = allColumns.get(stored)
  if (!names) allColumns.set(stored, (names = new Set(stored.map((column) => column.name))))
  return names
}

/** One live record, or null when it does not exist, is deleted, is another organization's or is out of sight. */
export async function readOne(
  ctx: RequestContext,
  builtIn: RecordShape,
  id: string,
  asked = everything,
): Promise<Row | null> {
  if (!isId(id)) return null
  const definition = shapeFor(ctx, builtIn)
  const scope = new TenantPredicate(ctx.caller)
  const sql = `select ${selectList(definition, asked, 't', fieldRules(ctx.caller, definition))} from ${definition.table} t where t.id = ${scope.values.add(id)} and ${scope.live(definition, 't')}`
  const [row] = await ctx.db.query(sql, scope.values.list)
  if (row) ctx.answered?.record(definition, row.id)
  return row ?? null
}

/** The one record whose column has this value. */
export async function readBy(
  ctx: RequestContext,
  builtIn: RecordShape,
  name: string,
  value: string,
  asked = everything,
): Promise<Row> {
  const definition = shapeFor(ctx, builtIn)
  requireReadable(ctx.caller, definition, name)
  const scope = new TenantPredicate(ctx.caller)
  const match = `${columnOf(definition, name).sql('t')} = ${scope.values.add(value)}`
  const sql = `select ${selectList(definition, asked, 't', fieldRules(ctx.caller, definition))} from ${definition.table} t where ${match} and ${scope.live(definition, 't')}`
  const [row] = isStorable(value) ? await ctx.db.query(sql, scope.values.list) : []
  if (!row) throw notFound(`The ${definition.object}`)
  ctx.answered?.record(definition, row.id)
  return row
}

/** The whole record for a change, with what is hidden from the caller, or a deleted one that is to be live again; 404 when the caller may not see it. */
export async function requireRecord<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  id: string,
  { deleted = false, isHeld = false } = {},
): Promise<T> {
  const scope = new TenantPredicate(ctx.caller)
  const columns = selectList(definition, allOf(definition), 't', null)
  const state = deleted || !has(definition, 'deletedAt') ? '' : ' and t.deleted_at is null'
  const sql = `select ${columns} from ${definition.table} t where t.id = ${scope.values.add(id)} and ${scope.seen(definition, 't')}${state}${isHeld ? ' for update of t' : ''}`
  const [row] = isId(id) ? await ctx.db.query(sql, scope.values.list) : []
  if (!row) throw notFound(`The ${definition.object}`)
  if (deleted && row.deletedAt === null)
    throw new Refusal('INVALID_STATE', `The ${definition.object} is not deleted.`, { allowed: [] })
  return row as unknown as T
}

/** Live records in sight by id, read together for one operation; null for the others. */
export function readReference(
  ctx: RequestContext,
  definition: RecordShape,
  id: string,
  asked: ReadonlySet<string>,
): Promise<Row | null> {
  return batchOf(ctx, asked, definition.object, async (ids) => {
    const rows = await readMany(ctx, definition, ids, asked)
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
  asked: ReadonlySet<string>,
): Promise<(Row | null)[]> {
  const definition = shapeFor(ctx, builtIn)
  const scope = new TenantPredicate(ctx.caller)
  const wanted = scope.values.add([...new Set(ids.filter(isId))])
  const rows = await ctx.db.query(
    `select ${selectList(definition, asked, 't', fieldRules(ctx.caller, definition))} from ${definition.table} t where t.id = any(${wanted}::uuid[]) and ${scope.live(definition, 't')}`,
    scope.values.list,
  )
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** Which of these ids are live records in sight: what another record's reference check asks. */
export async function seenIds(
  ctx: RequestContext,
  definition: RecordShape,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await readMany(ctx, definition, ids, everything)
  return new Set(rows.flatMap((row) => (row ? [row.id as string] : [])))
}

/** Whether a record is live or deleted, in one statement with whether the caller sees it; null when the caller does not. */
export async function stateOf(
  { caller, db }: Pick<RequestContext, 'caller' | 'db'>,
  definition: RecordShape,
  id: string,
): Promise<'LIVE' | 'DELETED' | null> {
  if (!isId(id)) return null
  const predicate = new TenantPredicate(caller)
  const isLive = has(definition, 'deletedAt') ? 't.deleted_at is null' : 'true'
  const sql = `select ${isLive} as "isLive" from ${definition.table} t where t.id = ${predicate.values.add(id)} and ${predicate.seen(definition, 't')}`
  const [row] = await db.query<{ isLive: boolean }>(sql, predicate.values.list)
  return row ? (row.isLive ? 'LIVE' : 'DELETED') : null
}
