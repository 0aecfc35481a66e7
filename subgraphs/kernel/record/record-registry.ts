import type { RecordShape } from './definition.ts'

const registry = new Map<string, RecordShape>()

/** Registers the record types for `recordNamed`. The composition root calls it once. */
export function registerRecordTypes(definitions: Iterable<RecordShape>): void {
  for (const definition of definitions) registry.set(definition.object, definition)
}

export const recordNamed = (object: string): RecordShape | null => registry.get(object) ?? null

export const recordTypeNames = (): string[] => [...registry.keys()].sort()
