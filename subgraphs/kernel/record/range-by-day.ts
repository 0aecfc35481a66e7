import type { CompiledFilter } from './compiled-filter.ts'
import type { RecordShape } from './definition.ts'
import { isEquality, type FilterInput } from './filter-input.ts'

/** The first range of a filter whose column has an index by day; null without one, and where another condition leaves few rows. */
export function rangeByDay(definition: RecordShape, filter: FilterInput, { ranges }: CompiledFilter): string | null {
  if (Object.entries(filter).some(([name, value]) => namesRecord(definition, name, value))) return null
  for (const [name, range] of ranges) if (definition.columns.byName.get(name)?.indexedByDay) return range
  return null
}

/** Whether a condition names one related record, of which there are few rows. There can be many of a user, and of a record that totals are kept for. */
function namesRecord({ columns, totals }: RecordShape, name: string, value: unknown): boolean {
  const column = columns.byName.get(name)
  if (column?.kind !== 'id' || column.user || totals?.by.includes(name)) return false
  return value !== undefined && value !== null && isEquality(value)
}
