import type { Sql } from '../database/sql.ts'
import type { EventBatch, EventConsumer } from '../outbox/event-consumer.ts'
import type { LoggedEvent } from '../outbox/event-feed.ts'
import type { RecordShape } from '../record/definition.ts'
import { systemContext, type Services } from '../request.ts'
import { forgetOtherBuilds } from './build-entries.ts'
import { currentShapes } from './current-shapes.ts'
import { lockEntries, writeEntries } from './entries.ts'
import { eventCondition, fieldsOfEntry, searchedShapes } from './searched-types.ts'

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
  const current = await currentShapes(services, sql, organizationId)
  await forgetOtherBuilds(sql, organizationId, current)
  const { caller } = systemContext(services, organizationId)
  for (const shape of searchedShapes(current.shapes)) {
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
