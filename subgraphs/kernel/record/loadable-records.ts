import { customObjectName } from './custom-object.ts'
import type { RecordDefinition, StoredRow } from './definition.ts'
import { recordsOf, type RecordActions, type Records } from './records-of.ts'
import type { OrganizationShapes } from './shape-source.ts'

/** A record type whose records bulk jobs write, with the operations of its own. */
export interface LoadableRecords {
  readonly definition: RecordDefinition<StoredRow>
  readonly records: Records<StoredRow>
  /** The resource in the names of the scopes: `ACCOUNTS`. */
  readonly scope: string
  /** The operations that are no standard ones: their rules are more than those that the definition says. */
  readonly actions: RecordActions<StoredRow>
}

const registry = new Map<string, LoadableRecords>()

/** Adds a record type to those that bulk jobs write. */
export function registerLoadable<T extends StoredRow>(
  definition: RecordDefinition<T>,
  scope: string,
  actions: RecordActions<T> = {},
): void {
  const records = recordsOf(definition, actions) as unknown as Records<StoredRow>
  registry.set(definition.object, { definition: definition as never, records, scope, actions: actions as never })
}

const custom = new WeakMap<object, LoadableRecords>()

/** The record type of a bulk job: one of the platform, or a custom object of the organization; null if there is none. */
export function loadableIn(
  { shapes }: { readonly shapes: OrganizationShapes | null },
  object: string,
): LoadableRecords | null {
  const known = registry.get(object)
  if (known || customObjectName(object) === null) return known ?? null
  const definition = (shapes?.custom(object) ?? null) as RecordDefinition<StoredRow> | null
  if (!definition) return null
  let loadable = custom.get(definition)
  if (!loadable) {
    loadable = { definition, records: recordsOf(definition), scope: 'CUSTOM_OBJECTS', actions: {} }
    custom.set(definition, loadable)
  }
  return loadable
}

/** The names of the record types of the platform that bulk jobs write. */
export const loadableNames = (): string[] => [...registry.keys()].sort()
