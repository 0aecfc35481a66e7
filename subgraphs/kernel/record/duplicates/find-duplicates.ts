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

/** The ids of other records with the keys of a record, by the names of the keys. */
async function idsByKey(
  { db, caller }: RequestContext,
  { object }: RecordShape,
  keys: ReadonlyMap<string, string>,
  except: string | null,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.query<{ field: string; ids: string[] }>(
    `select g.field, array(
       select v.record_id from ${valueTable} v
       where v.organization_id = $1 and v.object = $2 and v.field = g.field and v.kind = 'text' and v.text_value = g.key
         and v.record_id is distinct from $5::uuid
       order by v.created_at, v.record_id limit ${keyedMax}) as ids
     from unnest($3::text[], $4::text[]) as g(field, key)`,
    [caller.organizationId, object, [...keys.keys()], [...keys.values()], except],
  )
  return new Map(rows.map(({ field, ids }) => [field, ids]))
}

/** The matchers by which the records that can be duplicates are found: where all must find them equal, by keys if one compares keys. */
function finding({ logic, matchers }: DuplicateRule): readonly Matcher[] {
  const keyed = matchers.filter(({ isIndexed }) => isIndexed)
  return logic === 'ALL' && keyed.length > 0 ? keyed : matchers
}

/** The ids of other records that each matcher proposes, by its name. */
async function idsFor(
  ctx: RequestContext,
  shape: RecordShape,
  rules: readonly DuplicateRule[],
  keys: ReadonlyMap<string, string>,
  except: string | null,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const matchers = [...new Set(rules.flatMap(finding))].filter(({ keyField }) => keys.has(keyField))
  const keyed = matchers
    .filter(({ isIndexed }) => isIndexed)
    .map(({ keyField }) => [keyField, keys.get(keyField)!] as const)
  const found = new Map(keyed.length > 0 ? await idsByKey(ctx, shape, new Map(keyed), except) : [])
  for (const { keyField, isIndexed } of matchers) {
    if (isIndexed) continue
    const ids = await similarRecords(ctx, shape.object, keys.get(keyField)!, keyedMax)
    found.set(
      keyField,
      ids.filter((id) => id !== except),
    )
  }
  return found
}

/**
 * The records that can be duplicates by a rule. By all matchers: those of the rarest key that also have the others, as far as the records of those were
 * all found.
 */
function possible(rule: DuplicateRule, found: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const lists = finding(rule).map(({ keyField, isIndexed }) => ({ ids: found.get(keyField) ?? [], isIndexed }))
  if (rule.logic === 'ANY') return lists.flatMap(({ ids }) => ids)
  const [rarest, ...others] = lists.toSorted((one, other) => one.ids.length - other.ids.length)
  const whole = others.filter(({ ids, isIndexed }) => isIndexed && ids.length < keyedMax).map(({ ids }) => new Set(ids))
  return rarest!.ids.filter((id) => whole.every((ids) => ids.has(id)))
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
  const found = await idsFor(ctx, shape, rules, keys, id)
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
