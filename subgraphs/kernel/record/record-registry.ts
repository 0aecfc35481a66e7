import type { RecordShape, Relation, RelationFrom } from './definition.ts'
import type { TrackedObject } from './event-types.ts'

const registry = new Map<string, RecordShape>()

/** Registers the record types for `recordNamed` and `recordType`. The composition root calls it once. */
export function registerRecordTypes(definitions: Iterable<RecordShape>): void {
  for (const definition of definitions) registry.set(definition.object, definition)
}

export const recordNamed = (object: string): RecordShape | null => registry.get(object) ?? null

/** A record type, also of another subgraph, for a relation: subgraphs that refer to each other cannot import each other's shapes. */
export const recordType = (object: string) => (): RecordShape => {
  const definition = registry.get(object)
  if (!definition) throw new Error(`The record type ${object} is not registered.`)
  return definition
}

/** Like `relationFrom`, to a record type that cannot be imported. A test checks the name of the column. */
export const relationFromType = (object: string, from: string, description: string): RelationFrom =>
  ({ to: recordType(object), from, description }) as Relation as RelationFrom

export const recordTypeNames = (): string[] => [...registry.keys()].sort()

const eventSources = new Map<string, TrackedObject>()

/** Registers everything that has events, records of all subgraphs included. The composition root calls it once. */
export function registerEventSources(sources: Iterable<TrackedObject>): void {
  for (const source of sources) eventSources.set(source.object, source)
}

/** What the events of this object describe; null for an object that the platform no longer has. */
export const eventSource = (object: string): TrackedObject | null => eventSources.get(object) ?? null
