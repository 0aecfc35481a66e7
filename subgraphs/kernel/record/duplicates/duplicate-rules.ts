import type { Column } from '../column.ts'
import type { DuplicateMethod } from './duplicate-method.ts'

type Fields = Readonly<Record<string, unknown>>

/** One comparison of a rule: of two values by their keys, or by their similarity. Plain data. */
export interface DuplicateMatcher {
  readonly field: string
  readonly method: DuplicateMethod
  /** The least similarity; null for methods that compare keys. */
  readonly threshold?: number | null
}

/** When records of a type are duplicates of one another. Plain data. */
export interface DuplicateRuleDefinition {
  readonly name: string
  readonly matchers: readonly DuplicateMatcher[]
  readonly logic: 'ALL' | 'ANY'
  readonly action: 'BLOCK' | 'REPORT'
}

/** The name under which the index of values has the keys of a matcher. No custom field has such a name. */
export const keyField = ({ field, method, threshold }: DuplicateMatcher): string =>
  `=${method} ${field}${method === 'FUZZY' ? ` ${threshold}` : ''}`

/** A matcher of records of one shape. */
export interface Matcher extends DuplicateMatcher {
  readonly column: Column
  /** The name of its keys, in the index of values if that has them. */
  readonly keyField: string
  /** The name of what it compares, whatever its threshold. */
  readonly comparison: string
  readonly isIndexed: boolean
  /** The key of a record, or the text whose similarity is compared; null where it is the same as no other. */
  readonly keyOf: (record: Fields) => string | null
  /** How similar two keys are, from 0 to 1; any number below `least` where they are less similar than that. */
  readonly scoreOf: (one: string, other: string, least: number) => number
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
