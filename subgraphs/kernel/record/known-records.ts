import type { RecordShape } from './definition.ts'

const byObject = new Map<string, RecordShape>()

/** Told by whoever composes the subgraphs: the kinds of records there are, for what speaks of them by name. */
export function knowRecords(definitions: Iterable<RecordShape>): void {
  for (const definition of definitions) byObject.set(definition.object, definition)
}

export const recordNamed = (object: string): RecordShape | null => byObject.get(object) ?? null

export const objectNames = (): string[] => [...byObject.keys()].sort()
