import type { CompiledFilter } from './compiled-filter.ts'
import type { RecordShape } from './definition.ts'
import { isEquality, type FilterInput } from './filter-input.ts'

export interface FalseFlag {
  readonly name: string
  /** The condition of the filter that the flag is false. */
  readonly condition: string
}

/** The column that the filter requires to be false and that is true in few records; null without one. */
export function falseFlag({ columns }: RecordShape, filter: FilterInput, compiled: CompiledFilter): FalseFlag | null {
  for (const [name, condition] of compiled.equalities) {
    const value = filter[name] as FilterInput
    if (columns.byName.get(name)?.isSeldomTrue && isEquality(value) && value['eq'] === false) return { name, condition }
  }
  return null
}
