import type { RecordShape } from './definition.ts'

const byObject = new Map<string, RecordShape>()

/** Registers the record types. The composition root calls it once; code that refers to record types by name uses the registry. */
export function knowRecords(definitions: Iterable<RecordShape>): void {
  for (const definition of definitions) byObject.set(definition.object, definition)
}

export const recordNamed = (object: string): RecordShape | null => byObject.get(object) ?? null

export const objectNames = (): string[] => [...byObject.keys()].sort()
