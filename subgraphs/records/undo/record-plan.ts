import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customFieldName, customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { bookkeeping } from '../../kernel/record/record-events.ts'
import type { OperationEvent } from './operation-events.ts'

type Fields = Readonly<Record<string, unknown>>
type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE'

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

/** What the events of one record did to it. They are added in their order, and none of them is kept. */
export class PlanBuilder {
  readonly #before = new Map<string, unknown>()
  readonly #after = new Map<string, unknown>()
  #first: Operation | null = null
  #latest: Operation | null = null
  #last: Pick<RecordPlan, 'position' | 'version'> = { position: '0', version: null }

  constructor(
    readonly object: string,
    readonly recordId: string,
  ) {}

  add(shape: RecordShape | null, event: OperationEvent): void {
    const { type, previous, position, version } = event
    for (const [field, old, value] of changedIn(event)) {
      if (!this.#before.has(field)) this.#before.set(field, old)
      this.#after.set(field, value)
    }
    this.#last = { position, version }
    const kind = shape?.events?.types[type]?.operation ?? (previous ? 'UPDATE' : 'CREATE')
    if (kind === 'UPDATE') return
    this.#first ??= kind
    this.#latest = kind
  }

  get plan(): RecordPlan {
    const [first, { object, recordId }] = [this.#first, this]
    return {
      object,
      recordId,
      ...this.#last,
      wasLive: first !== 'CREATE' && first !== 'RESTORE',
      isLive: this.#latest !== 'DELETE',
      isCreated: first === 'CREATE',
      before: this.#before,
      after: this.#after,
    }
  }
}
