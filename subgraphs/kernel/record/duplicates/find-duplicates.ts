import { withoutRowLimit } from '../../database/row-bytes.ts'
import type { RequestContext } from '../../request.ts'
import { isTurnOver, nextTurn } from '../../work/turn.ts'
import type { RecordShape } from '../definition.ts'
import { TenantPredicate } from '../predicate.ts'
import { similarRecords } from '../../search/similar-records.ts'
import { valueTable } from '../value-index/value-column.ts'
import { comparedSql } from './compared-sql.ts'
import type { DuplicateRule, Matcher } from './duplicate-rules.ts'

type Fields = Readonly<Record<string, unknown>>

/** Records with one key that are compared, the oldest first; of those with similar texts, the newest first. */
export const keyedMax = 500
/** Records that are read for one comparison. */
const readMax = 2_000

/** By what two records are duplicates. */
export interface DuplicateMatch {
  /** The name of the rule. */
  readonly rule: string
  readonly field: string
  readonly method: Matcher['method']
}

/** A record that a rule finds to be a duplicate of another one. */
export interface DuplicateCandidate {
  /** Its record type, as in event types. */
  readonly object: string
  readonly id: string
  readonly matchedBy: readonly DuplicateMatch[]
  /** How similar it is, from 0 to 1. */
  readonly score: number
}

export interface Duplicates {
  /** The best first: by score, then by the number of matches, then the oldest. */
  readonly candidates: readonly DuplicateCandidate[]
  readonly hasMore: boolean
}

/** A key, under the name that the index of values has for its matcher. */
export interface IndexedKey {
  readonly keyField: string
  readonly key: string
}

/** Records that a matcher proposes. */
export interface Proposed {
  readonly ids: ReadonlySet<string>
  /** These are all records that it can find equal. */
  readonly isWhole: boolean
}

const noProposals: Proposed = { ids: new Set(), isWhole: false }

/** The records that have one of these keys, without some records: for each key those that are compared; a key that no other record has is left out. */
export async function recordsByKey<K extends IndexedKey>(
  { db, caller }: RequestContext,
  object: string,
  keys: readonly K[],
  except: readonly string[],
): Promise<ReadonlyMap<K, Proposed>> {
  if (keys.length === 0) return new Map()
  const rows = await withoutRowLimit(db).query<{ place: number; ids: string[] }>(
    `select g.place::int as place, f.ids
     from unnest($3::text[], $4::text[]) with ordinality as g(field, key, place) cross join lateral (select array(
       select v.record_id from ${valueTable} v
       where v.organization_id = $1 and v.object = $2 and v.field = g.field and v.kind = 'text' and v.text_value = g.key
         and v.record_id not in (select unnest($5::uuid[]))
       order by v.created_at, v.record_id limit ${keyedMax}) as ids offset 0) f
     where f.ids <> '{}'`,
    [caller.organizationId, object, keys.map(({ keyField }) => keyField), keys.map(({ key }) => key), except],
  )
  return new Map(
    rows.map(({ place, ids }) => [keys[place - 1]!, { ids: new Set(ids), isWhole: ids.length < keyedMax }]),
  )
}

/** The matchers by which the records that can be duplicates are found: where all must find them equal, by keys if one compares keys. */
function finding({ logic, matchers }: DuplicateRule): readonly Matcher[] {
  const keyed = matchers.filter(({ isIndexed }) => isIndexed)
  return logic === 'ALL' && keyed.length > 0 ? keyed : matchers
}

/** Whether the index of keys proposes all records that can be duplicates by this rule. */
export const isFoundByKeys = (rule: DuplicateRule): boolean => finding(rule).every(({ isIndexed }) => isIndexed)

/** The other records that each matcher proposes, by its name. */
async function proposalsFor(
  ctx: RequestContext,
  shape: RecordShape,
  rules: readonly DuplicateRule[],
  keys: ReadonlyMap<string, string>,
  except: string | null,
): Promise<ReadonlyMap<string, Proposed>> {
  const matchers = [...new Set(rules.flatMap(finding))].filter(({ keyField }) => keys.has(keyField))
  const keyed = matchers
    .filter(({ isIndexed }) => isIndexed)
    .map(({ keyField }) => ({ keyField, key: keys.get(keyField)! }))
  const byKey = await recordsByKey(ctx, shape.object, keyed, except === null ? [] : [except])
  const found = new Map([...byKey].map(([{ keyField }, proposed]) => [keyField, proposed]))
  for (const { keyField, isIndexed } of matchers) {
    if (isIndexed) continue
    const ids = await similarRecords(ctx, shape.object, keys.get(keyField)!, keyedMax)
    found.set(keyField, { ids: new Set(ids.filter((id) => id !== except)), isWhole: false })
  }
  return found
}

/**
 * The records that can be duplicates by a rule, of those that its matchers propose. By all matchers: those of the rarest key that also have the others, as
 * far as the records of those were all found.
 */
export function possible(rule: DuplicateRule, found: ReadonlyMap<string, Proposed>): readonly string[] {
  const proposals = finding(rule).map(({ keyField }) => found.get(keyField) ?? noProposals)
  if (rule.logic === 'ANY') return proposals.flatMap(({ ids }) => [...ids])
  const [rarest, ...others] = proposals.toSorted((one, other) => one.ids.size - other.ids.size)
  const whole = others.filter(({ isWhole }) => isWhole)
  return [...rarest!.ids].filter((id) => whole.every(({ ids }) => ids.has(id)))
}

interface Match {
  readonly matcher: Matcher
  readonly score: number
}

const leastOf = ({ threshold }: Matcher): number => threshold ?? 1
const scoreDigits = 4

/** The matchers that compare the same with different thresholds, as one: the one with the lowest threshold. */
const comparisonsOf = (matchers: readonly Matcher[]): readonly Matcher[] =>
  [...Map.groupBy(matchers, ({ comparison }) => comparison).values()].map((same) =>
    same.reduce((lowest, matcher) => (leastOf(matcher) < leastOf(lowest) ? matcher : lowest)),
  )

/** How similar two records are by each comparison. */
async function scoresOf(
  { caller }: RequestContext,
  comparisons: readonly Matcher[],
  keys: ReadonlyMap<string, string>,
  other: Fields,
): Promise<ReadonlyMap<string, number>> {
  const scores = new Map<string, number>()
  for (const matcher of comparisons) {
    if (isTurnOver()) await nextTurn(caller.organizationId)
    const own = keys.get(matcher.keyField)
    const key = own === undefined ? null : matcher.keyOf(other)
    if (key !== null) scores.set(matcher.comparison, matcher.scoreOf(own!, key, leastOf(matcher)))
  }
  return scores
}

/** By which matchers two records are duplicates, and how similar each finds them; none if they are not. */
function matchesOf({ logic, matchers }: DuplicateRule, scores: ReadonlyMap<string, number>): Match[] {
  const equal = matchers.flatMap((matcher) => {
    const score = scores.get(matcher.comparison) ?? 0
    return score >= leastOf(matcher) ? { matcher, score: Number(score.toFixed(scoreDigits)) } : []
  })
  return logic === 'ALL' && equal.length < matchers.length ? [] : equal
}

/** How similar two records are by a rule: as its least similar comparison if all must hold, otherwise as its most similar one. */
const scoreBy = ({ logic }: DuplicateRule, matches: readonly Match[]): number =>
  Math[logic === 'ALL' ? 'min' : 'max'](...matches.map(({ score }) => score))

interface Comparison {
  /** The record that is compared; null as `id` for one that is not stored. */
  readonly record: Fields
  readonly id: string | null
  readonly limit: number
}

/**
 * The live records that the caller sees and that are duplicates of a record by these rules, which must name no field that is hidden from the caller. The
 * index proposes them; each is read with the rights of the caller and compared again.
 */
export async function findDuplicates(
  ctx: RequestContext,
  shape: RecordShape,
  rules: readonly DuplicateRule[],
  { record, id, limit }: Comparison,
): Promise<Duplicates> {
  const matchers = [...new Set(rules.flatMap((rule) => rule.matchers))]
  const keys = new Map<string, string>()
  for (const { keyField, keyOf } of matchers) {
    const key = keyOf(record)
    if (key !== null) keys.set(keyField, key)
  }
  if (keys.size === 0) return { candidates: [], hasMore: false }
  const found = await proposalsFor(ctx, shape, rules, keys, id)
  const ids = [...new Set(rules.flatMap((rule) => possible(rule, found)))].slice(0, readMax)
  if (ids.length === 0) return { candidates: [], hasMore: false }
  const candidates: DuplicateCandidate[] = []
  const comparisons = comparisonsOf(matchers)
  for (const other of await readVisible(ctx, shape, matchers, ids)) {
    const scores = await scoresOf(ctx, comparisons, keys, other)
    const matched = rules
      .map((rule) => ({ rule, matches: matchesOf(rule, scores) }))
      .filter(({ matches }) => matches.length > 0)
    if (matched.length === 0) continue
    candidates.push({
      object: shape.object,
      id: other['id'] as string,
      matchedBy: matched.flatMap(({ rule, matches }) =>
        matches.map(({ matcher: { field, method } }) => ({ rule: rule.name, field, method })),
      ),
      score: Math.max(...matched.map(({ rule, matches }) => scoreBy(rule, matches))),
    })
  }
  candidates.sort((one, next) => next.score - one.score || next.matchedBy.length - one.matchedBy.length)
  const shown = candidates.slice(0, limit)
  for (const candidate of shown) ctx.answered?.record(shape, candidate.id)
  return { candidates: shown, hasMore: candidates.length > limit }
}

/** The live records with these ids that the caller sees, the oldest first, with what the matchers compare. */
function readVisible(
  { db, caller }: RequestContext,
  shape: RecordShape,
  matchers: readonly Matcher[],
  ids: readonly string[],
): Promise<Fields[]> {
  const predicate = new TenantPredicate(caller)
  const live = predicate.live(shape, 't')
  return db.query<Fields>(
    `select ${comparedSql(matchers, 't')} from ${shape.table} t
     where ${live} and t.id = any(${predicate.values.add(ids)}::uuid[]) order by t.created_at, t.id`,
    predicate.values.list,
  )
}
