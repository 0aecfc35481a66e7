import type { Column } from '../column.ts'
import type { KeyMethod } from './duplicate-keys.ts'

type Fields = Readonly<Record<string, unknown>>

/** One comparison of a rule: two records are the same by it when the keys of the field are equal. Plain data. */
export interface DuplicateMatcher {
  readonly field: string
  readonly method: KeyMethod
}

/** When records of a type are duplicates of one another. Plain data. */
export interface DuplicateRuleDefinition {
  readonly name: string
  readonly matchers: readonly DuplicateMatcher[]
  readonly logic: 'ALL' | 'ANY'
  readonly action: 'BLOCK' | 'REPORT'
}

/** The name under which the index of values has the keys of a matcher. No custom field has such a name. */
export const keyField = ({ field, method }: DuplicateMatcher): string => `=${method} ${field}`

/** A matcher of records of one shape. */
export interface Matcher extends DuplicateMatcher {
  readonly column: Column
  /** The name of its keys in the index of values. */
  readonly keyField: string
  /** The key of a record; null where it is the same as no other. */
  readonly keyOf: (record: Fields) => string | null
}

/** A rule of records of one shape. */
export interface DuplicateRule extends Omit<DuplicateRuleDefinition, 'matchers'> {
  readonly matchers: readonly Matcher[]
}

/** The active rules of one record type. */
export interface DuplicateRules {
  readonly rules: readonly DuplicateRule[]
  /** The matchers of all rules, each once. */
  readonly matchers: readonly Matcher[]
  readonly hasBlocks: boolean
}
