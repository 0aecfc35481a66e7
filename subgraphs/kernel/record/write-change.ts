import { actorIdOf } from '../context.ts'
import { eventInsert } from '../outbox/event.ts'
import { withoutStorageRefusal } from '../database/row-bytes.ts'
import type { RequestContext } from '../request.ts'
import type { Change, TrackedObject } from './event-types.ts'
import { Values } from './predicate.ts'
import { eventsOf, eventTypeOf } from './record-events.ts'

/**
 * The statements that write the rows of a change, by name; a later one may read the rows that an earlier one returns. `written`
 * returns a row when the change was made. A single statement is `written`.
 */
export type RowStatements = string | { readonly [name: string]: string; readonly written: string }

/** A change with the caller who makes it, which decides the organization of its event and audit entry. */
export interface ChangeInOrganization<T extends object> {
  readonly ctx: RequestContext
  readonly change: Change<T>
}

/**
 * Writes the rows of a change, its events and its audit entry in one statement, so none of them exists without the others. When
 * `written` returns no row, no event and no audit entry is written, and the answer is false. Nothing is checked here: `save`
 * checks records; other callers must check their own rows.
 */
export const writeChange = <T extends object>(
  ctx: RequestContext,
  source: TrackedObject<T>,
  change: Change<T>,
  rows: (values: Values) => RowStatements,
): Promise<boolean> => writeChanges(ctx, source, [{ ctx, change }], rows)

/** As `writeChange`, for rows whose change concerns several organizations, or none: each has its own events and audit entry. */
export async function writeChanges<T extends object>(
  { db }: RequestContext,
  source: TrackedObject<T>,
  changes: readonly ChangeInOrganization<T>[],
  rows: (values: Values) => RowStatements,
): Promise<boolean> {
  const values = new Values()
  const written = rows(values)
  const statements = Object.entries(typeof written === 'string' ? { written } : written)
  for (const [index, { ctx, change }] of changes.entries()) {
    const events = eventsOf(source, change, actorIdOf(ctx.caller))
    if (events.length > 0) statements.push([`event_${index}`, eventInsert(ctx, values, events, 'written')])
    if (source.audit) {
      const action = change.action ?? eventTypeOf(source, change.operation)
      statements.push([`audit_${index}`, source.audit(ctx, values, { ...change, action }, 'written')])
    }
  }
  const deletes = changes.every(({ change }) => change.operation === 'DELETE')
  const [row] = await (deletes ? withoutStorageRefusal(db) : db).query<{ count: number }>(
    `with ${statements.map(([name, sql]) => `${name} as (${sql})`).join(', ')} select count(*)::int as count from written`,
    values.list,
    'WRITE',
  )
  return row!.count > 0
}

type Row = Readonly<Record<string, unknown>>

/** `insert into <table> ...` with the given columns. `rest` may contain a condition and an `on conflict` clause. */
export function insertRow(values: Values, table: string, row: Row, rest = ''): string {
  const placeholders = Object.values(row).map((value) => values.add(value))
  return `insert into ${table} (${Object.keys(row).join(', ')}) select ${placeholders.join(', ')} ${rest} returning 1`
}

/** `update <table> ...` that sets the columns of `row`, where the columns of `where` have the given values and the SQL condition holds. */
export function updateRow(values: Values, table: string, row: Row, where: Row, condition = 'true'): string {
  const [assignments, matches] = [equal(values, row).join(', '), equal(values, where).join(' and ')]
  return `update ${table} set ${assignments} where ${matches} and ${condition} returning 1`
}

/** `delete from <table> ...` where the columns have the given values. */
export const deleteRow = (values: Values, table: string, where: Row): string =>
  `delete from ${table} where ${equal(values, where).join(' and ')} returning 1`

const equal = (values: Values, columns: Row): string[] =>
  Object.entries(columns).map(([column, value]) => `${column} = ${values.add(value)}`)
