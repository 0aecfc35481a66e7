import type { FieldProblem } from '../../kernel/errors.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { bookkeeping } from '../../kernel/record/record-events.ts'

/** What a webhook can subscribe to: the event types of the platform by object. */
export class EventNames {
  readonly #types = new Set<string>()
  readonly #sources = new Map<string, TrackedObject>()

  constructor(sources: Iterable<TrackedObject>) {
    for (const source of sources) {
      for (const type of Object.keys(source.events?.types ?? {})) {
        this.#types.add(type)
        this.#sources.set(objectOf(type), source)
      }
    }
  }

  /** Whether events with this name, or of this object (`order.*`), can occur. */
  has(name: string): boolean {
    if (isCustom(name)) return true
    return name.endsWith('.*') ? this.#sources.has(objectOf(name)) : this.#types.has(name)
  }

  /** The GraphQL types of the records of these event types. */
  recordTypes(types: readonly string[]): ReadonlySet<string> {
    const sources = types.flatMap((type) => this.#sources.get(objectOf(type)) ?? [])
    return new Set(sources.filter(isRecordShape).map(({ entity }) => (entity as { readonly name: string }).name))
  }

  /** Whether one of the objects of these types has the column. `shapeOf` adds the custom fields of the organization. */
  hasColumn(types: readonly string[], column: string, shapeOf: (shape: RecordShape) => RecordShape): boolean {
    return types.some((type) => {
      const source = this.#sources.get(objectOf(type))
      if (!source) return false
      if (source.events?.payload) return column in source.events.payload.properties
      if (!isRecordShape(source) || bookkeeping.has(column)) return false
      const found = shapeOf(source).columns.byName.get(column)
      return found !== undefined && !found.internal
    })
  }
}

const objectOf = (type: string): string => type.slice(0, type.lastIndexOf('.'))

/** A custom event type of an organization, which may be defined later, or all of them. */
const isCustom = (name: string): boolean => /^custom\.(?:\*|[A-Za-z][A-Za-z0-9_]{0,79})$/.test(name)

export function eventProblems(names: EventNames, events: readonly string[]): FieldProblem[] {
  if (events.length === 0)
    return [{ path: 'events', code: 'TOO_FEW', message: 'events must name at least one event type.' }]
  return events.flatMap((name, index) => {
    const path = `events.${index}`
    if (events.indexOf(name) < index) return [{ path, code: 'NOT_UNIQUE', message: `${path} must not be repeated.` }]
    if (names.has(name)) return []
    const message = `${path} must be a type of the event catalog, all types of an object (order.*), or custom.<apiName>.`
    return [{ path, code: 'UNKNOWN_EVENT', message }]
  })
}
