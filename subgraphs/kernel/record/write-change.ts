import { actorIdOf } from '../context.ts'
import { eventInsert } from '../outbox/event.ts'
import type { RequestContext } from '../request.ts'
import type { Change, TrackedObject } from './event-types.ts'
import { Values } from './predicate.ts'
import { eventsOf, eventTypeOf } from './record-events.ts'

/**
 * Writes a row, its events and its audit log entry in one statement, so that none of them can exist without the others. `rowSql`
 * writes the row and must end with `returning 1`. When it matches no row, nothing is written and the result is false. It does no
 * checks: `save` checks records; callers with other tables must check their rows themselves.
 */
export async function writeChange<T extends object>(
  ctx: RequestContext,
  source: TrackedObject<T>,
  change: Change<T>,
  rowSql: (values: Values) => string,
): Promise<boolean> {
  const values = new Values()
  let sql = `with written as (${rowSql(values)})`
  const events = eventsOf(source, change, actorIdOf(ctx.caller))
  if (events.length > 0) sql += `, event as (${eventInsert(ctx, values, events, 'written')})`
  if (source.audit && change.action !== null) {
    const action = change.action ?? eventTypeOf(source, change.operation)
    sql += `, audit as (${source.audit(ctx, values, { ...change, action }, 'written')})`
  }
  const [row] = await ctx.db.query<{ count: number }>(
    `${sql} select count(*)::int as count from written`,
    values.list,
    'WRITE',
  )
  return row!.count > 0
}

/** Writes the events and the audit log entry of a change whose rows the same transaction has already written, such as rows in several tables. */
export async function announceChange<T extends object>(
  ctx: RequestContext,
  source: TrackedObject<T>,
  change: Change<T>,
): Promise<void> {
  await writeChange(ctx, source, change, () => 'select 1')
}

type Row = Readonly<Record<string, unknown>>

/** `insert into <table> ...` with the given columns. */
export function insertRow(values: Values, table: string, row: Row, onConflict = ''): string {
  const placeholders = Object.values(row).map((value) => values.add(value))
  return `insert into ${table} (${Object.keys(row).join(', ')}) values (${placeholders.join(', ')}) ${onConflict} returning 1`
}

/** `update <table> ...` that sets the columns of `row`, where the columns of `where` have the given values. */
export function updateRow(values: Values, table: string, row: Row, where: Row): string {
  const [assignments, condition] = [equal(values, row).join(', '), equal(values, where).join(' and ')]
  return `update ${table} set ${assignments} where ${condition} returning 1`
}

/** `delete from <table> ...` where the columns have the given values. */
export const deleteRow = (values: Values, table: string, where: Row): string =>
  `delete from ${table} where ${equal(values, where).join(' and ')} returning 1`

const equal = (values: Values, columns: Row): string[] =>
  Object.entries(columns).map(([column, value]) => `${column} = ${values.add(value)}`)
