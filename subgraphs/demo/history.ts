import type { GeneratedChange, GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { StoredRow } from '../kernel/record/definition.ts'
import { isSameValue } from '../kernel/record/same-value.ts'
import { iso } from './calendar.ts'
import type { Random } from './random.ts'

/** Something that happened to a record: the values that it set, and its additional events. */
export interface Step<T> {
  readonly atMs: number
  /** Null for the platform and for customers. */
  readonly actorId: string | null
  readonly values: Partial<T>
  readonly events?: readonly string[]
  /** Whether the events replace the event of the update. */
  readonly isEventReplaced?: boolean
}

/**
 * The record with the events of what happened to it. `created` are values of the new record, as far as they differ from the present ones;
 * the steps lead from these to the present ones. A step that changes nothing is left out.
 */
export function withHistory<T extends StoredRow>(
  random: Random,
  given: GeneratedRecord<T>,
  created: Partial<T>,
  steps: readonly Step<T>[],
): GeneratedRecord<T> {
  const createdMs = Date.parse(given.values.createdAt)
  let state: Partial<T> = { ...given.values, ...created }
  const changes: Omit<GeneratedChange<T>, 'eventIds'>[] = []
  for (const { atMs, actorId, values, events = [], isEventReplaced = false } of steps.toSorted(byTime)) {
    const names = Object.keys(values) as (keyof T & string)[]
    const changed = names.filter((name) => !isSameValue(state[name] ?? null, values[name] ?? null))
    if (changed.length === 0) continue
    const before = Object.fromEntries(changed.map((name) => [name, state[name] ?? null])) as Partial<T>
    const occurredAt = iso(Math.max(atMs, createdMs + 1))
    changes.push({ occurredAt, actorId, before, events, isEventReplaced })
    state = { ...state, ...values }
  }
  return { ...given, changes: withIds(random, changes) }
}

/** Ids that are in the order of the events, also of those at the same time. */
function withIds<T>(random: Random, changes: readonly Omit<GeneratedChange<T>, 'eventIds'>[]): GeneratedChange<T>[] {
  const countOf = ({ events, isEventReplaced }: (typeof changes)[number]) => events.length + Number(!isEventReplaced)
  const ids = changes
    .flatMap((change) => Array.from({ length: countOf(change) }, () => random.id(Date.parse(change.occurredAt))))
    .toSorted()
  return changes.map((change) => ({ ...change, eventIds: ids.splice(0, countOf(change)) }))
}

const byTime = (one: { readonly atMs: number }, other: { readonly atMs: number }): number => one.atMs - other.atMs
