import { fieldsOfShape } from '../../kernel/condition/condition-fields.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { customObjectOfEvents } from '../../kernel/record/custom-object.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { shapeFor, type OrganizationShapes } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { bookkeeping } from '../../kernel/record/record-events.ts'

interface WithShapes {
  /** The shapes of the organization, with its custom objects. */
  readonly shapes: OrganizationShapes | null
}

const nothing: ReadonlySet<TrackedObject> = new Set()

/** What a webhook can subscribe to: the event types of the platform, and those of the custom objects of an organization. */
export class EventNames {
  readonly #byType = new Map<string, TrackedObject>()
  /** Several objects can have events whose types begin with the same word, as `case.created` and `case.comment_added`. */
  readonly #byPrefix = new Map<string, Set<TrackedObject>>()

  constructor(sources: readonly TrackedObject[]) {
    for (const source of sources) {
      for (const type of typesOf(source)) {
        this.#byType.set(type, source)
        const prefix = objectOf(type)
        this.#byPrefix.set(prefix, (this.#byPrefix.get(prefix) ?? new Set()).add(source))
      }
    }
  }

  /** What the events with this name, or all events of this object (`order.*`), describe; of the platform only. */
  #builtIn(name: string): ReadonlySet<TrackedObject> {
    if (name.endsWith('.*')) return this.#byPrefix.get(objectOf(name)) ?? nothing
    const source = this.#byType.get(name)
    return source ? new Set([source]) : nothing
  }

  #sourcesOf(name: string, { shapes }: WithShapes): ReadonlySet<TrackedObject> {
    const object = customObjectOfEvents(objectOf(name))
    if (object === null) return this.#builtIn(name)
    const source = (shapes?.custom(object) ?? null) as TrackedObject | null
    return source && (name.endsWith('.*') || typesOf(source).includes(name)) ? new Set([source]) : nothing
  }

  /** Whether events with this name, or of this object (`order.*`), can occur. */
  has(name: string, organization: WithShapes): boolean {
    return this.#sourcesOf(name, organization).size > 0
  }

  /** What the events with these names describe. */
  sourcesOf(names: readonly string[], organization: WithShapes): ReadonlySet<TrackedObject> {
    return new Set(names.flatMap((name) => [...this.#sourcesOf(name, organization)]))
  }

  /** The GraphQL types of the records of these events that a selection can be on: those of the platform. */
  recordTypes(names: readonly string[]): ReadonlySet<string> {
    const shapes = names.flatMap((name) => [...this.#builtIn(name)]).filter(isRecordShape)
    return new Set(shapes.map(({ entity }) => (entity as { readonly name: string }).name))
  }

  /** Whether one of the objects of these events has the column or may have the custom field, as in conditions. */
  hasColumn(names: readonly string[], column: string, organization: WithShapes): boolean {
    return [...this.sourcesOf(names, organization)].some((source) => {
      if (source.events?.payload) return Object.hasOwn(source.events.payload.properties, column)
      if (!isRecordShape(source) || bookkeeping.has(column)) return false
      return fieldsOfShape(shapeFor(organization, source), null).field(column) !== null
    })
  }
}

const typesOf = ({ events }: TrackedObject): string[] => Object.keys(events?.types ?? {})

export const objectOf = (type: string): string => type.slice(0, type.lastIndexOf('.'))

const customPrefix = 'custom.'

/** A custom event type of an organization, or all of them. */
export const isCustomEvent = (name: string): boolean => name.startsWith(customPrefix)

/** The names of custom event types that the caller's organization has, among the given names. */
async function existingCustomTypes(
  { db, caller }: RequestContext,
  events: readonly string[],
): Promise<ReadonlySet<string>> {
  const custom = events.filter(isCustomEvent)
  if (custom.length === 0) return new Set()
  const rows = await db.query<{ type: string }>(
    `select 'custom.' || api_name as type from events.custom_event_type
     where organization_id = $1 and deleted_at is null and api_name = any($2::text[])`,
    [caller.organizationId, custom.map((name) => name.slice(customPrefix.length))],
  )
  return new Set(['custom.*', ...rows.map(({ type }) => type)])
}

export async function eventProblems(
  ctx: RequestContext,
  names: EventNames,
  events: readonly string[],
): Promise<FieldProblem[]> {
  if (events.length === 0)
    return [{ path: 'events', code: 'TOO_FEW', message: 'events must name at least one event type.' }]
  const custom = await existingCustomTypes(ctx, events)
  return events.flatMap((name, index) => {
    const path = `events.${index}`
    if (events.indexOf(name) < index) return [{ path, code: 'NOT_UNIQUE', message: `${path} must not be repeated.` }]
    if (names.has(name, ctx) || custom.has(name)) return []
    const message = `${path} must be a type of the event catalog, all types of an object (order.*), an existing custom.<apiName>, or custom_object.<name>.<created|updated|deleted|restored> of an existing custom object.`
    return [{ path, code: 'UNKNOWN_EVENT', message }]
  })
}
