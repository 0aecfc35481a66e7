import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customFieldName, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { bookkeeping } from '../../kernel/record/record-events.ts'
import type { OperationEvent } from './operation-events.ts'

type Fields = Readonly<Record<string, unknown>>

/** What the events of an operation did to one record, from the first to the last. */
export interface RecordPlan {
  readonly object: string
  readonly recordId: string
  /** Of the last event. */
  readonly position: string
  /** The version that the operation left. */
  readonly version: number | null
  readonly wasLive: boolean
  readonly isLive: boolean
  readonly isCreated: boolean
  /** The changed fields with the values before the operation and after it; custom fields one by one, as `customFields.tier`. */
  readonly before: ReadonlyMap<string, unknown>
  readonly after: ReadonlyMap<string, unknown>
}

const fieldsOf = (value: unknown): Fields => (isJsonObject(value) ? (value as Fields) : {})

/** The values of an event by field, custom fields one by one. */
function* changedIn({ previous, record }: OperationEvent): Generator<[field: string, before: unknown, after: unknown]> {
  for (const [name, value] of Object.entries(previous ?? {})) {
    if (bookkeeping.has(name) || name === 'deletedAt') continue
    if (name !== customFieldsName) {
      yield [name, value, record[name]]
      continue
    }
    const [one, other] = [fieldsOf(value), fieldsOf(record[name])]
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      if (JSON.stringify(one[key]) !== JSON.stringify(other[key]))
        yield [customFieldName(key), one[key] ?? null, other[key] ?? null]
  }
}

/** What the events of one record, in their order, did to it. */
export function planOf({ events: declared }: RecordShape, events: readonly OperationEvent[]): RecordPlan {
  const [before, after] = [new Map<string, unknown>(), new Map<string, unknown>()]
  const operationOf = ({ type, previous }: OperationEvent) =>
    declared?.types[type]?.operation ?? (previous ? 'UPDATE' : 'CREATE')
  for (const event of events)
    for (const [field, old, value] of changedIn(event)) {
      if (!before.has(field)) before.set(field, old)
      after.set(field, value)
    }
  const last = events.at(-1)!
  const kinds = events.map(operationOf).filter((kind) => kind !== 'UPDATE')
  const [first] = kinds
  return {
    object: last.object,
    recordId: last.recordId,
    position: last.position,
    version: last.version,
    wasLive: first !== 'CREATE' && first !== 'RESTORE',
    isLive: kinds.at(-1) !== 'DELETE',
    isCreated: first === 'CREATE',
    before,
    after,
  }
}
