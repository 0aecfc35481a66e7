import type { Column } from '../../../subgraphs/kernel/record/column.ts'
import { isJsonObject } from '../../../subgraphs/kernel/json/exact-number.ts'
import { writableParts } from '../../../subgraphs/kernel/record/structure.ts'

/** The example of a column as a client may send it: a structured value without the parts that only the platform sets. */
export function inputExampleOf({ structure, example }: Column): unknown {
  if (!structure) return example
  const names = new Set(writableParts(structure.parts).map(({ name }) => name))
  const sendable = (value: unknown): unknown =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name))) : value
  return Array.isArray(example) ? example.map(sendable) : sendable(example)
}
