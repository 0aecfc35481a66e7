import { invalid, notFound, Refusal, type FieldProblem } from '../errors.ts'
import { requireEntitlement } from '../require.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import type { Column } from './column.ts'
import { checkValues } from './check-values.ts'
import { columnOf, has, type Draft, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import type { Operation } from './event-types.ts'
import { isHidden, redact, refuseFixed } from './field-security.ts'
import { changedColumns, definedOnly, nextRecord, normalized, type Fields } from './next-record.ts'
import { shapeFor } from './shape-source.ts'
import { TenantPredicate, type Values } from './predicate.ts'
import { bookkeeping, changedFieldsIn } from './record-events.ts'
import { writeChange } from './write-change.ts'

/**
 * The only way a record changes.
 *
 * Everything that can refuse comes first; then one statement writes the row, its events and its entry in the audit log, so
 * there is no state in which a change happened and its event did not. Webhooks, live streams and triggers all start from
 * that event row. The version column refuses the write if the record moved meanwhile. The answer is the record as the
 * caller may read it.
 */
export async function save<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<T> {
  const definition = shapeFor(ctx, builtIn)
  if (definition.entitlement) requireEntitlement(ctx, definition.entitlement)
  mayWrite(ctx)
  refuseFixed(ctx.caller, definition, draft.values as Fields)
  // The number is taken and used together, so that a refused create leaves no gap, also in a transaction that goes on.
  if (definition.numbered && draft.operation === 'CREATE')
    return inTransaction(ctx, (inner) => writeFor(inner, definition, draft))
  return writeFor(ctx, definition, draft)
}

async function writeFor<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<T> {
  const record = await checkAndWrite(ctx, definition, draft)
  ctx.answered?.record(definition, record.id)
  return redact(ctx.caller, definition, record)
}

async function checkAndWrite<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<T> {
  const previous = draft.previous as (T & Fields) | null
  const values = normalized(definition, { ...draft.values, ...definedOnly(draft.implied ?? {}) })
  // What was given is refused also where something else follows from it.
  refuse(checkValues(definition, { ...values, ...draft.values }))
  if (draft.expectedVersion != null && previous && previous.version !== draft.expectedVersion)
    throw versionConflict(definition, previous)

  const next = nextRecord(ctx, definition, draft, values)
  const changed = previous ? changedColumns(definition, previous, next) : definition.columns.stored
  const changesNothing = draft.operation !== 'DELETE' && changed.every((column) => bookkeeping.has(column.name))
  if (previous && changesNothing) {
    if (draft.events?.length) await write(ctx, definition, draft, previous, [])
    return previous
  }
  refuse(await referenceProblems(ctx, definition, next, changed, values))
  refuse(definition.invariants?.(next, previous) ?? [])
  refuse((await definition.checks?.(ctx, next, previous)) ?? [])
  if (definition.numbered && !previous) (next as Fields)[definition.numbered] = await nextNumber(ctx, definition.object)
  await write(ctx, definition, draft, next, changed)
  return next
}

/** Whether this caller may change anything at all; which records, the read that loaded them has decided. */
export function mayWrite(ctx: RequestContext): void {
  if (ctx.caller.role === 'READ_ONLY')
    throw new Refusal('PERMISSION_DENIED', 'Your role may read but not change records.')
}

function refuse(errors: FieldProblem[]): void {
  if (errors.length > 0) throw invalid(...errors)
}

async function referenceProblems(
  ctx: RequestContext,
  definition: RecordShape,
  next: Fields,
  changed: readonly Column[],
  given: object,
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const [name, reference] of Object.entries(definition.references ?? {})) {
    const id = next[name]
    if (!reference || typeof id !== 'string' || !changed.some((column) => column.name === name)) continue
    // The owner of what names none is the caller, who was just authenticated.
    if (id === ctx.caller.userId && !(name in given)) continue
    if (!(await reference(ctx, [id])).has(id)) {
      problems.push({ path: name, code: 'UNKNOWN_REFERENCE', message: `${name} names nothing that you can see.` })
    }
  }
  return problems
}

/** The row lock on the counter lasts until the transaction ends: numbers follow each other without gaps. */
async function nextNumber(ctx: RequestContext, object: string): Promise<number> {
  const [row] = await ctx.db.query<{ value: number }>(
    `insert into kernel.record_number (organization_id, object, value) values ($1, $2, 1)
     on conflict (organization_id, object) do update set value = kernel.record_number.value + 1 returning value`,
    [ctx.caller.organizationId, object],
  )
  return row!.value
}

async function write<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
  next: T & Fields,
  changed: readonly Column[],
): Promise<void> {
  const { operation, events, action } = draft
  const previous = draft.previous as (T & Fields) | null
  const rowSql = (values: Values): string =>
    previous
      ? changeSql(ctx, definition, operation, previous, next, changed, values)
      : insertSql(definition, next, values)
  const changedFields =
    previous && operation === 'UPDATE' ? changedFieldsIn(definition, changed, previous, next) : undefined
  const change = { operation, previous, next, changedFields, events, action }
  const run = (inner: RequestContext) => writeChange(inner, definition, change, rowSql)
  try {
    // Inside a transaction a refused statement must leave the rest of it usable.
    const isWritten = ctx.db.open ? await inTransaction(ctx, run) : await run(ctx)
    if (!isWritten)
      throw previous && has(definition, 'version')
        ? versionConflict(definition, previous)
        : notFound(`The ${definition.object}`)
  } catch (error) {
    throw await uniqueRefusal(ctx, definition, next, error)
  }
}

const writtenTable = ({ storedIn, table }: RecordShape): string => storedIn ?? table

function insertSql(definition: RecordShape, next: Fields, values: Values): string {
  const columns = definition.columns.stored.filter(({ name, computed }) => !computed && next[name] !== undefined)
  const placeholders = columns.map((column) => values.add(column.stored(next[column.name])))
  return `insert into ${writtenTable(definition)} (${columns.map(({ column }) => column).join(', ')}) values (${placeholders.join(', ')}) returning 1`
}

/** Of the record that was read, as long as it has the version that it had then. */
function changeSql(
  ctx: RequestContext,
  definition: RecordShape,
  operation: Operation,
  previous: Fields,
  next: Fields,
  changed: readonly Column[],
  values: Values,
): string {
  const table = writtenTable(definition)
  const scope = new TenantPredicate(ctx.caller, values)
  const version = has(definition, 'version') ? ` and t.version = ${values.add(previous.version)}` : ''
  const which = `t.id = ${values.add(previous.id)} and ${scope.seen(definition, 't')}${version}`
  if (operation === 'DELETE' && !has(definition, 'deletedAt'))
    return `delete from ${table} t where ${which} returning 1`
  const written = changed.filter(({ computed }) => !computed)
  if (written.length === 0) return `select 1 from ${table} t where ${which} for share of t`
  const sets = written.map((column) => `${column.column} = ${values.add(column.stored(next[column.name]))}`)
  return `update ${table} t set ${sets.join(', ')} where ${which} returning 1`
}

function versionConflict(definition: RecordShape, previous: Fields): Refusal {
  return new Refusal(
    'VERSION_CONFLICT',
    `The ${definition.object} was changed by someone else; read it again and repeat your change.`,
    {
      currentVersion: previous.version,
    },
  )
}

interface DatabaseError {
  code?: string
  constraint?: string
}

async function uniqueRefusal(
  ctx: RequestContext,
  definition: RecordShape,
  next: Fields,
  error: unknown,
): Promise<unknown> {
  const { code, constraint } = error as DatabaseError
  if (code !== '23505' || !constraint) return error
  const name = constraint.endsWith('_pkey') ? 'id' : definition.unique?.[constraint]
  if (!name) return error
  if (isHidden(ctx.caller, definition, name))
    return new Refusal('UNIQUE_VIOLATION', `Another ${definition.object} already has a value that must be unique.`)
  const scope = new TenantPredicate(ctx.caller)
  const match = `${columnOf(definition, name).sql('t')} = ${scope.values.add(next[name])}`
  const [conflict] = await ctx.db.query<{ id: string }>(
    `select t.id from ${definition.table} t where ${match} and ${scope.live(definition, 't')}`,
    scope.values.list,
  )
  if (conflict) ctx.answered?.record(definition, conflict.id)
  const message = `Another ${definition.object} already has this ${name}.`
  return new Refusal('UNIQUE_VIOLATION', message, {
    errors: [{ path: name, code: 'NOT_UNIQUE', message, ...(conflict && { conflictingId: conflict.id }) }],
  })
}
