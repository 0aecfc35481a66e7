import type { Sql } from '../database/sql.ts'
import { readExtensions } from '../extension/extension.ts'
import type { EventBatch, EventConsumer } from '../outbox/event-consumer.ts'
import type { LoggedEvent } from '../outbox/event-feed.ts'
import type { RecordShape } from '../record/definition.ts'
import type { OrganizationShapes } from '../record/shape-source.ts'
import { systemContext, type Services } from '../request.ts'
import { lockEntries, writeEntries } from './entries.ts'
import { eventCondition, fieldsOfEntry, searchedShapes } from './searched-types.ts'

/** The shapes of the latest definitions; read in the transaction, after the lock. */
export async function currentShapes(
  { extensions }: Pick<Services, 'extensions'>,
  sql: Sql,
  organizationId: string,
): Promise<{ readonly shapes: OrganizationShapes | null; readonly version: number }> {
  const [row] = await sql.query<{ version: number }>(
    'select version::float8 as version from kernel.definition_version where organization_id = $1',
    [organizationId],
  )
  if (!row) return { shapes: null, version: 0 }
  const known = extensions.of(organizationId)
  const latest = known?.version === row.version ? known : await readExtensions(sql, organizationId)
  return { shapes: latest?.shapes ?? null, version: row.version }
}

/**
 * Writes the entries of records from their current rows. An event only tells that a record has changed, so an event that comes late or twice does no
 * harm.
 */
export const searchConsumer: EventConsumer = {
  name: 'search',
  batch: 500,
  gatherMs: 50,
  types: () => Promise.resolve('ALL'),
  get condition() {
    return eventCondition()
  },
  consume,
}

async function consume(services: Services, sql: Sql, { organizationId, events }: EventBatch): Promise<void> {
  await lockEntries(sql, organizationId)
  const { shapes } = await currentShapes(services, sql, organizationId)
  const { caller } = systemContext(services, organizationId)
  for (const shape of searchedShapes(shapes)) {
    const ids = changedRecords(shape, events)
    if (ids.length > 0) await writeEntries(sql, caller, shape, ids)
  }
}

function changedRecords(shape: RecordShape, events: readonly LoggedEvent[]): string[] {
  const own = events.filter(({ object }) => object === shape.object)
  if (own.length === 0) return []
  const fields = fieldsOfEntry(shape)
  return [...new Set(own.filter(({ data }) => concerns(fields, data)).map(({ recordId }) => recordId))]
}

/** Whether a change concerns the entry of the record: every change but one of other fields. */
function concerns(fields: ReadonlySet<string> | null, data: LoggedEvent['data']): boolean {
  const { changedFields } = data as { readonly changedFields?: readonly string[] | null }
  return !fields || !changedFields || changedFields.some((name) => fields.has(name))
}
