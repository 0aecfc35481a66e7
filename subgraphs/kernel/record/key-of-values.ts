import type { RecordShape } from './definition.ts'

/** The values as text, without times, because those that the platform sets differ from round to round of the same work. */
export function keyOfValues({ columns }: RecordShape, values: object): string {
  const kept = Object.entries(values).filter(([name, value]) => {
    const kind = columns.byName.get(name)?.kind
    return value !== undefined && kind !== undefined && kind !== 'timestamp'
  })
  return JSON.stringify(kept)
}
