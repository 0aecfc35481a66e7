import type { Caller } from '../../context.ts'
import type { RecordShape } from '../definition.ts'
import { isHidden } from '../field-security.ts'
import { valueOf } from '../value-index/value-rows.ts'
import { duplicateKey } from './duplicate-keys.ts'
import {
  keyField,
  type DuplicateMatcher,
  type DuplicateRule,
  type DuplicateRuleDefinition,
  type DuplicateRules,
  type Matcher,
} from './duplicate-rules.ts'

type Fields = Readonly<Record<string, unknown>>

function matcherOf({ columns }: RecordShape, { field, method }: DuplicateMatcher): Matcher | null {
  const column = columns.byName.get(field)
  if (!column) return null
  const valueIn =
    column.key === undefined ? (record: Fields) => record[field] : (record: Fields) => valueOf(record, column)
  const keyOf = (record: Fields) => duplicateKey(method, valueIn(record))
  return { field, method, column, keyField: keyField({ field, method }), keyOf }
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
