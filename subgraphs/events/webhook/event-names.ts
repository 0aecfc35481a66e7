import { fieldsOfShape } from '../../kernel/condition/condition-fields.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { customObjectOfEvents } from '../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isRecordShape } from '../../kernel/record/definition.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { bookkeeping } from '../../kernel/record/record-events.ts'

/** What a webhook can subscribe to: the event types of the platform by object, and those of the custom objects of an organization. */
export class EventNames {
  readonly #types = new Set<string>()
  readonly #sources = new Map<string, TrackedObject>()
  #shapes: OrganizationShapes | null = null

  constructor(private readonly all: readonly TrackedObject[]) {
    for (const source of all) {
      for (const type of Object.keys(source.events?.types ?? {})) {
        this.#types.add(type)
        this.#sources.set(objectOf(type), source)
      }
    }
  }

  /** With the custom objects of an organization. */
  in({ shapes }: { readonly shapes: OrganizationShapes | null }): EventNames {
    const names = new EventNames(this.all)
    names.#shapes = shapes
    return names
  }

  #sourceOf(type: string): TrackedObject | null {
    const prefix = objectOf(type)
    const custom = customObjectOfEvents(prefix)
    if (custom !== null) return (this.#shapes?.custom(custom) ?? null) as TrackedObject | null
    return this.#sources.get(prefix) ?? null
  }

  /** Whether events with this name, or of this object (`order.*`), can occur. */
  has(name: string): boolean {
    if (name.endsWith('.*')) return this.#sourceOf(name) !== null
    return this.#types.has(name) || Object.hasOwn(this.#sourceOf(name)?.events?.types ?? {}, name)
  }

  /** What the events of these types describe. */
  sourcesOf(types: readonly string[]): ReadonlySet<TrackedObject> {
    return new Set(types.flatMap((type) => this.#sourceOf(type) ?? []))
  }

  /** The GraphQL types of the records of these event types that a selection can be on: those of the platform. */
  recordTypes(types: readonly string[]): ReadonlySet<string> {
    const sources = types.flatMap((type) => this.#sources.get(objectOf(type)) ?? [])
    const shapes = sources.filter(isRecordShape)
    return new Set(shapes.map(({ entity }) => (entity as { readonly name: string }).name))
  }

  /** Whether one of the objects of these types has the column or may have the custom field, as in conditions. `shapeOf` adds defined ones. */
  hasColumn(types: readonly string[], column: string, shapeOf: (shape: RecordShape) => RecordShape): boolean {
    return types.some((type) => {
      const source = this.#sourceOf(type)
      if (!source) return false
      if (source.events?.payload) return column in source.events.payload.properties
      if (!isRecordShape(source) || bookkeeping.has(column)) return false
      return fieldsOfShape(shapeOf(source), null).field(column) !== null
    })
  }
}

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
    if (names.has(name) || custom.has(name)) return []
    const message = `${path} must be a type of the event catalog, all types of an object (order.*), an existing custom.<apiName>, or custom_object.<name>.<created|updated|deleted|restored> of an existing custom object.`
    return [{ path, code: 'UNKNOWN_EVENT', message }]
  })
}
