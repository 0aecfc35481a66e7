import { actorIdOf } from '../context.ts'
import { invalid } from '../errors.ts'
import { eventJson, manyEventsInsert } from '../outbox/event.ts'
import { concernsDefinitions, currentDefinitions, withCurrentExtensions } from '../extension/current-extensions.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import { calculate } from './calculate.ts'
import { withFormulas } from './computed-values.ts'
import type { Draft, RecordDefinition, StoredRow } from './definition.ts'
import type { Operation } from './event-types.ts'
import { derivedStatements } from './derived/derived-rows.ts'
import { changedColumns, nextRecord, normalized, type Fields } from './next-record.ts'
import { allColumnNames } from './read.ts'
import { bookkeeping, changedFieldsIn, eventsOf } from './record-events.ts'
import { selectList } from './selection.ts'
import { shapeFor } from './shape-source.ts'
import { TenantPredicate, Values } from './predicate.ts'
import { isTaken, takenValue } from './value-index/taken-value.ts'

/** Records that are in memory at once. */
const batchSize = 25

/** What a rule changes of a record, and the additional events of that change. */
export type RuledChange<T extends StoredRow> = Pick<Draft<T>, 'events' | 'isEventReplaced'> & {
  readonly implied: Partial<T>
}

/**
 * Changes the live records with these ids by a rule, in batches of one read and one write: every record gets its new version and its
 * event. `imply` returns the values of a record that change; `changeAllWithEvents` emits further events. For changes that follow from another one: the transaction has locked the
 * rows, and neither visibility, references, `checks` nor serialized rules are checked.
 */
export async function changeAll<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  ids: readonly string[],
  imply: (previous: T) => Partial<T>,
  /** Events that replace the event of the update. */
  events?: readonly string[],
): Promise<void> {
  const replacing = events && { events, isEventReplaced: true }
  await changeAllWithEvents(ctx, builtIn, ids, (previous) => ({ implied: imply(previous), ...replacing }))
}

/**
 * As `changeAll`; a record for which `decide` returns null is not changed. Returns the changed records. When the definitions of the organization
 * turn out to have changed, all of it is taken back and decided again.
 */
export function changeAllWithEvents<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  ids: readonly string[],
  decide: (previous: T) => RuledChange<T> | null,
): Promise<T[]> {
  const change = (current: RequestContext) => changeInBatches(current, shapeFor(current, builtIn), ids, decide)
  if (!concernsDefinitions(builtIn)) return change(ctx)
  return withCurrentExtensions(ctx, (current) => inTransaction(current, change))
}

/**
 * Deletes the live records with these ids, or restores the deleted ones, as `changeAllWithEvents` changes records: whoever sees them. `imply` returns what else
 * changes of a record.
 */
export function changeStateOfAll<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  operation: 'DELETE' | 'RESTORE',
  ids: readonly string[],
  imply: (previous: T) => Partial<T>,
): Promise<T[]> {
  const decide = (previous: T) => ({ implied: imply(previous) })
  return withCurrentExtensions(ctx, (current) =>
    inTransaction(current, (inner) => changeInBatches(inner, shapeFor(inner, builtIn), ids, decide, operation)),
  )
}

type Changing = Extract<Operation, 'UPDATE' | 'DELETE' | 'RESTORE'>

async function changeInBatches<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  ids: readonly string[],
  decide: (previous: T) => RuledChange<T> | null,
  operation: Changing = 'UPDATE',
): Promise<T[]> {
  const changed: T[] = []
  for (let at = 0; at < ids.length; at += batchSize) {
    const records = await readBatch(ctx, definition, operation, ids.slice(at, at + batchSize))
    const changes: Changed<T>[] = []
    for (const previous of records) {
      const decided = decide(previous)
      const changeOfOne = decided && (await changeOf(ctx, definition, operation, previous, decided))
      if (changeOfOne) changes.push(changeOfOne)
    }
    if (changes.length > 0) await writeOrRefuse(ctx, definition, operation, changes)
    changed.push(...changes.map(({ next }) => next))
  }
  return changed
}

async function readBatch<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  operation: Changing,
  ids: readonly string[],
): Promise<T[]> {
  const columns = selectList(definition, allColumnNames(definition), 't', null)
  const state = operation === 'RESTORE' ? 'not null' : 'null'
  const rows = await ctx.db.query<T>(
    `select ${columns} from ${definition.table} t
     where t.organization_id = $1 and t.id = any($2::uuid[]) and t.deleted_at is ${state} order by t.id`,
    [ctx.caller.organizationId, ids],
  )
  return rows.map((row) => withFormulas(definition.columns, row))
}

type Changed<T> = NonNullable<Awaited<ReturnType<typeof changeOf<T & StoredRow>>>>

async function changeOf<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  operation: Changing,
  previous: T,
  { implied, ...events }: RuledChange<T>,
) {
  const values = normalized(definition, implied)
  const next = nextRecord(ctx, definition, { operation, previous }, values)
  await calculate(ctx, definition, next, previous, values)
  const changed = changedColumns(definition, previous as T & Fields, next)
  if (changed.every(({ name }) => bookkeeping.has(name))) return null
  const problems = definition.invariants?.(next, previous) ?? []
  if (problems.length > 0) throw invalid(...problems)
  return { previous, next, changed, events }
}

async function writeOrRefuse<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  operation: Changing,
  changes: readonly Changed<T>[],
): Promise<void> {
  if (!definition.derived) return write(ctx, definition, operation, changes)
  try {
    // Another record can have a unique value, which is looked for after the statement has failed.
    await inTransaction(ctx, (inner) => write(inner, definition, operation, changes))
  } catch (error) {
    if (!isTaken(error)) throw error
    const records = changes.map(({ next }) => next as Fields)
    throw await takenValue(ctx, definition, records)
  }
}

async function write<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  operation: Changing,
  changes: readonly Changed<T>[],
): Promise<void> {
  const columns = [...new Set(changes.flatMap(({ changed }) => changed))].filter(({ computed }) => !computed)
  const rows = changes.map(({ next }) => ({
    id: next.id,
    ...Object.fromEntries(columns.map(({ name, column }) => [column, next[name]])),
  }))
  const events = changes.flatMap(({ previous, next, changed, events: additional }) => {
    const changedFields =
      operation === 'UPDATE' ? changedFieldsIn(definition, changed, previous as T & Fields, next) : undefined
    const change = { operation, previous, next, changedFields, ...additional }
    return eventsOf(definition, change, actorIdOf(ctx.caller)).map(eventJson)
  })
  const values = new Values()
  const predicate = new TenantPredicate(ctx.caller, values)
  const { table } = definition
  const conditions = [
    operation === 'RESTORE' ? predicate.all(definition, 't') : predicate.tenant(definition, 't'),
    // Once for all rows.
    ...(concernsDefinitions(definition) ? [`(select ${currentDefinitions(ctx, values)})`] : []),
  ]
  const derived = derivedStatements(
    definition,
    { values, isWritten: (id) => `exists (select from written w where w.id = ${id})` },
    changes.map(({ previous, next, changed }) => ({ operation, previous: previous as T & Fields, next, changed })),
  )
  await ctx.db.query(
    `with written as (
       update ${table} t set ${columns.map(({ column }) => `${column} = g.${column}`).join(', ')}
       from jsonb_populate_recordset(null::${table}, ${values.add(JSON.stringify(rows))}::jsonb) g
       where t.id = g.id and ${conditions.join(' and ')} returning t.id),
     ${derived.map(([name, sql]) => `${name} as (${sql}), `).join('')}events as (${manyEventsInsert(ctx, values, events, 'written')})
     select 1`,
    values.list,
    'WRITE',
  )
}
