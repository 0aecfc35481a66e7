import type { Sql } from '../database/sql.ts'
import { insertEvents, type EventRow } from '../outbox/event.ts'
import { initialValue, type Column } from './column.ts'
import { withFormulas } from './computed-values.ts'
import { columnOf, type RecordDefinition, type StoredRow } from './definition.ts'
import { derivedStatements } from './derived/derived-rows.ts'
import { numberText, type Fields } from './next-record.ts'
import { Values } from './predicate.ts'
import { eventsOf } from './record-events.ts'

/** A generated record that needs no checks, with the actor and the id of its `created` event. */
export interface GeneratedRecord<T extends StoredRow> {
  /** A column that is not given has its initial value. */
  readonly values: Partial<T> & StoredRow & { readonly createdAt: string }
  readonly actorId: string | null
  readonly eventId: string
  /** The changes after the creation, the first one first. `values` are those after the last one; its version, time and user follow. */
  readonly changes?: readonly GeneratedChange<T>[]
}

/** A change of a generated record, with its events. */
export interface GeneratedChange<T> {
  readonly occurredAt: string
  readonly actorId: string | null
  /** The values before the change, as far as they differ. */
  readonly before: Partial<T>
  /** The types of the additional events. */
  readonly events: readonly string[]
  /** Whether they replace the event of the update. */
  readonly isEventReplaced: boolean
  /** The ids of all events, in their order. */
  readonly eventIds: readonly string[]
}

/** What follows from the other values; `zone` is the time zone of the organization. */
const calculatedIn = <T extends StoredRow>(
  zone: string,
  { calculated, calculatesDays }: RecordDefinition<T>,
  record: T,
  given: Partial<T>,
): Partial<T> | undefined => calculated?.(record, null, given, calculatesDays?.(record) ? zone : 'UTC')

function complete<T extends StoredRow>(
  definition: RecordDefinition<T>,
  { values, changes = [] }: GeneratedRecord<T>,
  zone: string,
): T {
  const last = changes.at(-1)
  const given: Readonly<Record<string, unknown>> = {
    version: 1,
    updatedAt: values.createdAt,
    ...values,
    ...(last && { version: changes.length + 1, updatedAt: last.occurredAt, updatedById: last.actorId }),
  }
  const value = (column: Column): unknown => given[column.name] ?? initialValue(column)
  const record = Object.fromEntries(
    definition.columns.stored.map((column) => [column.name, value(column)]),
  ) as unknown as T
  return withFormulas(definition.columns, {
    ...record,
    ...numberText(definition, record as Fields),
    ...calculatedIn(zone, definition, record, values),
  })
}

/**
 * Inserts many records with their `created` events, and raises the counter of numbered records. The result is the same as one
 * `save` per record of an organization in the time zone `zone`, but there are no checks and no permissions: use it only for generated records, never for input of a caller.
 */
export async function insertRecords<T extends StoredRow>(
  sql: Sql,
  definition: RecordDefinition<T>,
  given: readonly GeneratedRecord<T>[],
  zone = 'UTC',
): Promise<void> {
  if (given.length === 0) return
  const records = given.map((one) => complete(definition, one, zone))
  await insertRows(sql, definition, records)
  await insertEvents(
    sql,
    given.flatMap((one, index) => eventsOfRecord(definition, one, records[index]!, zone)),
  )
  if (definition.numbered) await raiseCounter(sql, definition, definition.numbered, records)
}

async function insertRows<T extends StoredRow>(
  sql: Sql,
  definition: RecordDefinition<T>,
  records: readonly T[],
): Promise<void> {
  const { table, storedIn } = definition
  const written = storedIn ? await columnsOf(sql, storedIn) : null
  const columns = definition.columns.stored.filter(
    ({ column, computed }) => !computed && (written?.has(column) ?? true),
  )
  const names = columns.map(({ column }) => column).join(', ')
  const rows = records.map((record) =>
    Object.fromEntries(columns.map(({ name, column }) => [column, record[name as keyof T]])),
  )
  const values = new Values()
  const given = `jsonb_populate_recordset(null::${storedIn ?? table}, ${values.add(JSON.stringify(rows))}::jsonb)`
  const insert = `insert into ${storedIn ?? table} (${names}) select ${names} from ${given}`
  const statement = { values, isWritten: () => 'true' }
  const derived = derivedStatements(
    definition,
    statement,
    records.map((next) => ({ operation: 'CREATE', previous: null, next: next as Fields, changed: columns })),
  )
  const added = derived.map(([name, part]) => `${name} as (${part})`)
  await sql.query(added.length > 0 ? `with ${added.join(', ')} ${insert}` : insert, values.list)
}

/** A view also has columns that are stored in other tables. */
async function columnsOf(sql: Sql, table: string): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
    [table],
  )
  return new Set(rows.map(({ name }) => name))
}

function eventsOfRecord<T extends StoredRow>(
  definition: RecordDefinition<T>,
  { values, actorId, eventId, changes = [] }: GeneratedRecord<T>,
  last: T,
  zone: string,
): EventRow[] {
  const { organizationId, createdAt } = values
  const given = new Set([...Object.keys(values), ...changes.flatMap(({ before }) => Object.keys(before))])
  const rows: EventRow[] = []
  let next = last
  // From the last change back to the creation, because each change knows what was before it.
  for (const [index, change] of [...changes.entries()].toReversed()) {
    const { before, events, isEventReplaced, eventIds, ...row } = change
    const earlier = changes[index - 1]
    const updatedAt = earlier?.occurredAt ?? createdAt
    const state = {
      ...next,
      ...before,
      version: index + 1,
      updatedAt,
      updatedById: earlier ? earlier.actorId : actorId,
    }
    const givenThen = Object.fromEntries(Object.entries(state).filter(([name]) => given.has(name))) as Partial<T>
    const calculatedState = { ...state, ...calculatedIn(zone, definition, state, givenThen) }
    const previous = withFormulas(definition.columns, calculatedState)
    const update = { operation: 'UPDATE', previous, next, events, isEventReplaced } as const
    const drafts = eventsOf(definition, update, change.actorId)
    rows.push(...drafts.map((one, at) => ({ ...one, ...row, id: eventIds[at]!, organizationId })))
    next = previous
  }
  const [created] = eventsOf(definition, { operation: 'CREATE', previous: null, next }, actorId)
  return [{ ...created!, id: eventId, organizationId, occurredAt: createdAt, actorId }, ...rows]
}

async function raiseCounter<T extends StoredRow>(
  sql: Sql,
  definition: RecordDefinition<T>,
  name: string,
  records: readonly T[],
): Promise<void> {
  const organizationIds = [...new Set(records.map(({ organizationId }) => organizationId))]
  await sql.query(
    `insert into kernel.record_number (organization_id, object, value)
     select organization_id, $1, max(${columnOf(definition, name).column}) from ${definition.table}
     where organization_id = any($2::uuid[]) group by organization_id
     on conflict (organization_id, object) do update set value = greatest(kernel.record_number.value, excluded.value)`,
    [definition.object, organizationIds],
  )
}
