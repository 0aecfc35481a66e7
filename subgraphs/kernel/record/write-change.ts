import { actorIdOf } from '../context.ts'
import { eventInsert } from '../outbox/event.ts'
import type { RequestContext } from '../request.ts'
import type { Change, TrackedObject } from './event-types.ts'
import { Values } from './predicate.ts'
import { eventsOf, eventTypeOf } from './record-events.ts'

/**
 * The one statement that makes a change: the row, its events and its entry in the audit log, so that there is none of them
 * without the others. `rowSql` writes the row and returns it (`returning 1`); where it finds none, nothing is written and
 * the answer is false. It checks nothing: `save` does for records, and whoever has rows of another kind does for them.
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

/** The events and the audit entry of a change whose rows, as they are in several tables, the transaction has written already. */
export async function announceChange<T extends object>(
  ctx: RequestContext,
  source: TrackedObject<T>,
  change: Change<T>,
): Promise<void> {
  await writeChange(ctx, source, change, () => 'select 1')
}

type Row = Readonly<Record<string, unknown>>

/** `insert into <table> ...` of the columns that are given. */
export function insertRow(values: Values, table: string, row: Row, onConflict = ''): string {
  const placeholders = Object.values(row).map((value) => values.add(value))
  return `insert into ${table} (${Object.keys(row).join(', ')}) values (${placeholders.join(', ')}) ${onConflict} returning 1`
}

/** `update <table> ...` of the columns that are given, where the other ones have these values. */
export function updateRow(values: Values, table: string, row: Row, where: Row): string {
  const [set, which] = [equal(values, row).join(', '), equal(values, where).join(' and ')]
  return `update ${table} set ${set} where ${which} returning 1`
}

/** `delete from <table> ...` where the columns have these values. */
export const deleteRow = (values: Values, table: string, where: Row): string =>
  `delete from ${table} where ${equal(values, where).join(' and ')} returning 1`

const equal = (values: Values, columns: Row): string[] =>
  Object.entries(columns).map(([column, value]) => `${column} = ${values.add(value)}`)
