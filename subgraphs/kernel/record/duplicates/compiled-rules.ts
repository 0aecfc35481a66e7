import type { Caller } from '../../context.ts'
import type { RecordShape } from '../definition.ts'
import { isHidden } from '../field-security.ts'
import { valueOf } from '../value-index/value-rows.ts'
import { comparedForm } from '../../search/similar-records.ts'
import { duplicateKey, type KeyMethod } from './duplicate-keys.ts'
import {
  keyField,
  type DuplicateMatcher,
  type DuplicateRule,
  type DuplicateRuleDefinition,
  type DuplicateRules,
  type Matcher,
} from './duplicate-rules.ts'
import { jaroWinkler } from './jaro-winkler.ts'

type Fields = Readonly<Record<string, unknown>>

/** Of a longer text, the beginning is compared. */
const comparedMax = 200

const textOf = (value: unknown): string | null =>
  (typeof value === 'string' && comparedForm(value.slice(0, comparedMax))) || null

const inOrder = (text: string): string => text.split(' ').toSorted().join(' ')

/** Of the texts as they are, and with their words in alphabetical order. */
function similarity(one: string, other: string, least: number): number {
  const [others, ones] = [new Set([other, inOrder(other)]), new Set([one, inOrder(one)])]
  let best = 0
  for (const a of ones) for (const b of others) best = Math.max(best, jaroWinkler(a, b, Math.max(best, least)))
  return best
}

const byKey = (method: KeyMethod) => ({
  isIndexed: true,
  keyOfValue: (value: unknown) => duplicateKey(method, value),
  scoreOf: (one: string, other: string) => (one === other ? 1 : 0),
})

const bySimilarity = { isIndexed: false, keyOfValue: textOf, scoreOf: similarity }

/** A record is asked for its key several times in a row. */
function withLast(keyOfValue: (value: unknown) => string | null): (value: unknown) => string | null {
  let last: { readonly value: string; readonly key: string | null } | null = null
  return (value) => {
    if (typeof value !== 'string') return keyOfValue(value)
    if (last?.value !== value) last = { value, key: keyOfValue(value) }
    return last.key
  }
}

function matcherOf({ columns }: RecordShape, { field, method, threshold = null }: DuplicateMatcher): Matcher | null {
  const column = columns.byName.get(field)
  if (!column) return null
  const valueIn =
    column.key === undefined ? (record: Fields) => record[field] : (record: Fields) => valueOf(record, column)
  const { keyOfValue, ...compared } = method === 'FUZZY' ? bySimilarity : byKey(method)
  const keyOfLast = withLast(keyOfValue)
  const keyOf = (record: Fields) => keyOfLast(valueIn(record))
  const names = { keyField: keyField({ field, method, threshold }), comparison: `${method} ${field}` }
  return { field, method, threshold, column, ...names, keyOf, ...compared }
}

/** The rules of a shape; null without any. A field that is not in use is the same in no two records. */
export function duplicateRulesOf(
  shape: RecordShape,
  definitions: readonly DuplicateRuleDefinition[],
): DuplicateRules | null {
  const known = new Map<string, Matcher | null>()
  const compiled = (matcher: DuplicateMatcher): Matcher | null => {
    const name = keyField(matcher)
    if (!known.has(name)) known.set(name, matcherOf(shape, matcher))
    return known.get(name)!
  }
  const rules = definitions.flatMap((rule) => {
    const matchers = rule.matchers.map(compiled)
    const inUse = matchers.filter((matcher) => matcher !== null)
    if (inUse.length === 0 || (rule.logic === 'ALL' && inUse.length < matchers.length)) return []
    return { ...rule, matchers: inUse }
  })
  const matchers = [...known.values()].filter((matcher) => matcher !== null)
  if (matchers.length === 0) return null
  return { rules, matchers, hasBlocks: rules.some(({ action }) => action === 'BLOCK') }
}

/** The rules as they hold for a caller: what the profile hides is not compared, and a rule that compares nothing else does not hold. */
export function rulesFor(caller: Pick<Caller, 'fields'>, shape: RecordShape): readonly DuplicateRule[] {
  const rules = shape.duplicates?.rules ?? []
  if (!caller.fields) return rules
  return rules.flatMap((rule) => {
    const matchers = rule.matchers.filter(({ column }) => !isHidden(caller, shape, column.name))
    return matchers.length > 0 ? { ...rule, matchers } : []
  })
}
