import type { RecordShape } from './definition.ts'
import type { TrackedObject } from './event-types.ts'
import { eventSource, recordNamed, recordTypeNames } from './record-registry.ts'
import type { OrganizationShapes } from './shape-source.ts'

// The record types that organizations define. As a record type, also in custom fields, rules and profiles, a custom object is `custom:<name>`.

const recordPrefix = 'custom:'
const eventPrefix = 'custom_object.'

export const customObjectNamePattern = /^[a-z][a-z0-9_]{0,62}$/

/** The custom object with this name as a record type: `custom:site_visit`. */
export const customObject = (name: string): string => recordPrefix + name

/** The name of a custom object that is named as a record type; null for any other name of a record type. */
export function customObjectName(object: string): string | null {
  const name = object.startsWith(recordPrefix) ? object.slice(recordPrefix.length) : ''
  return customObjectNamePattern.test(name) ? name : null
}

/** What the types of its events begin with: `custom_object.site_visit`. */
export const customObjectEvents = (name: string): string => eventPrefix + name

/** The record type of the events whose types begin with `custom_object.site_visit`; null when they are of no custom object. */
export function customObjectOfEvents(prefix: string): string | null {
  const name = prefix.startsWith(eventPrefix) ? prefix.slice(eventPrefix.length) : ''
  return customObjectNamePattern.test(name) ? customObject(name) : null
}

interface WithShapes {
  /** The shapes of the organization; null when it has defined nothing. */
  readonly shapes: OrganizationShapes | null
}

/** A record type of the platform, or a custom object of the organization; null when there is none. */
export const recordTypeIn = (ctx: WithShapes, object: string): RecordShape | null =>
  withCustomParents(ctx, recordNamed(object)) ?? ((ctx.shapes?.custom(object) ?? null) as RecordShape | null)

/** As `eventSource`, also of the custom objects of the organization. */
export const eventSourceIn = (ctx: WithShapes, object: string): TrackedObject | null =>
  withCustomParents(ctx, eventSource(object)) ?? ((ctx.shapes?.custom(object) ?? null) as TrackedObject | null)

/** A type whose records can be visible through those of custom objects, which only the shape of the organization knows. */
const withCustomParents = <T extends TrackedObject>({ shapes }: WithShapes, type: T | null): T | null =>
  type && shapes && 'visibleThroughRelated' in type ? shapes.of(type) : type

/** The names of all record types: those of the platform, then the custom objects of the organization. */
export const recordTypeNamesIn = ({ shapes }: WithShapes): string[] => [
  ...recordTypeNames(),
  ...(shapes?.customObjects ?? []),
]

/** The scope to read records of custom objects and their events. */
export const customObjectScope = 'READ_CUSTOM_OBJECTS'
