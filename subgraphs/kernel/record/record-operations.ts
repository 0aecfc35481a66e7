import type { RecordDefinition, StoredRow } from './definition.ts'
import type { Records } from './records-of.ts'

/** The standard operations of a record type as clients have them, with the actions of its resource. */
export interface RecordOperations {
  readonly definition: RecordDefinition<StoredRow>
  readonly records: Records<StoredRow>
  /** The resource in the names of the scopes: `ACCOUNTS`. */
  readonly scope: string
}

const registry = new Map<string, RecordOperations>()

/** Registers the operations of a record type. Its resolver does, so that others change records as clients do. */
export function registerOperations<T extends StoredRow>(
  definition: RecordDefinition<T>,
  records: Records<T>,
  scope: string,
): void {
  const operations = { definition, records, scope } as unknown
  registry.set(definition.object, operations as RecordOperations)
}

/** The operations of a record type of the platform; null where it has no standard ones. */
export const operationsNamed = (object: string): RecordOperations | null => registry.get(object) ?? null
