import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { Operation } from '../../kernel/record/event-types.ts'
import { eventTypeOf } from '../../kernel/record/record-events.ts'

/**
 * The types of events that changes of this kind have: that of the operation. An update may have events of several types; in some changes, such as
 * a conversion, another type replaces that of the operation.
 */
export function eventTypesOfChange(shape: RecordShape, operation: Operation): string[] {
  const main = eventTypeOf(shape, operation)
  if (operation !== 'UPDATE') return [main]
  const types = Object.entries(shape.events?.types ?? {}).filter(([, type]) => type.operation === 'UPDATE')
  return [...new Set([main, ...types.map(([type]) => type)])]
}

/** The same for all events of one change: the record has one version for each. */
export function changeKey({ recordId, id, data }: LoggedEvent): string {
  const version = isJsonObject(data['record']) ? data['record']['version'] : undefined
  return typeof version === 'number' ? `change:${recordId}:${version}` : `event:${id}`
}
