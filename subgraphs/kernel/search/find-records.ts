import type { RequestContext } from '../request.ts'
import type { RecordShape } from '../record/definition.ts'
import { candidatesMax, CandidateSearch, type Candidate } from './candidates.ts'
import { tagOf } from './lexemes.ts'
import { excerpt, matchesIn, matchOf, type FieldMatch, type Match, type TextRange } from './match.ts'
import { readRows, type ReadRecord } from './read-candidates.ts'
import { phoneTerm, termsOf, type Term } from './query.ts'
import { corrections, editsMax, isCorrected, spellingHashes, type NearbyWord } from './spelling.ts'
import { isTurnOver, nextTurn } from '../work/turn.ts'

/** A record that a search has found, with what the caller may read of it. */
export interface FoundRecord {
  readonly object: string
  readonly id: string
  readonly title: string | null
  readonly subtitle: string | null
  readonly score: number
  readonly highlights: readonly { readonly field: string; readonly text: string; readonly ranges: TextRange[] }[]
}

export interface SearchAnswer {
  /** The query with corrected words; null if it was not corrected. */
  readonly correctedQuery: string | null
  readonly results: readonly FoundRecord[]
  readonly hasMore: boolean
}

export interface SearchRequest {
  readonly text: string
  /** The name of its argument, for refusals. */
  readonly path: string
  readonly shapes: readonly RecordShape[]
  readonly limit: number
}

/** By rank. */
const scores = [1, 0.75, 0.5, 0.25] as const

/** The records that have all words of a text, the best first. What they contain is read with visibility and field security. */
export async function findRecords(
  ctx: RequestContext,
  { text, path, shapes, limit }: SearchRequest,
): Promise<SearchAnswer> {
  const terms = termsOf(text, path)
  const found = shapes.length === 0 ? [] : await hitsOf(ctx, terms, shapes, limit)
  if (found.length > 0 || shapes.length === 0) return answerOf(found, limit, null)
  const phone = phoneTerm(text)
  const called = phone ? await hitsOf(ctx, [phone], shapes, limit) : []
  if (called.length > 0) return answerOf(called, limit, null)
  const corrected = await correctedTerms(ctx, terms, shapes, limit)
  const hits = corrected ? await hitsOf(ctx, corrected, shapes, limit) : []
  return answerOf(hits, limit, hits.length > 0 ? correctedText(text, terms, corrected!) : null)
}

interface Hit extends Candidate {
  readonly match: Match
  readonly title: string | null
  readonly subtitle: string | null
}

const answerOf = (hits: readonly Hit[], limit: number, correctedQuery: string | null): SearchAnswer => ({
  correctedQuery,
  hasMore: hits.length > limit,
  results: hits.slice(0, limit).map(({ object, id, title, subtitle, match }) => ({
    object,
    id,
    title,
    subtitle,
    score: scores[match.rank],
    highlights: match.found.map(({ field, text, ranges }) => ({ field, ...excerpt(text, ranges) })),
  })),
})

const better = (a: Hit, b: Hit): number =>
  a.match.rank - b.match.rank || Number(b.isOwn) - Number(a.isOwn) || (a.id < b.id ? 1 : -1)

/** Bytes that are read for one form of a query, of which there are up to four; a record has some hundreds. */
const bytesMax = 1_250_000
/** Records that are read at once. */
const partMax = 200

/** The best records, one more than the limit if there are more. Stops as soon as no better one can follow. */
async function hitsOf(
  ctx: RequestContext,
  terms: readonly Term[],
  shapes: readonly RecordShape[],
  limit: number,
): Promise<Hit[]> {
  const search = new CandidateSearch(
    ctx,
    terms,
    shapes.map(({ object }) => object),
  )
  const seen = new Set<string>()
  const hits: Hit[] = []
  let room = bytesMax
  let isFull = false
  const isOver = (): boolean => hits.length > limit || seen.size >= candidatesMax || isFull
  for await (const candidates of search.searches()) {
    const fresh = candidates.filter(({ object, id }) => !seen.has(`${object} ${id}`))
    let [from, size] = [0, 2 * limit]
    while (from < fresh.length && !isOver()) {
      const part = fresh.slice(from, from + Math.min(size, candidatesMax - seen.size))
      for (const { object, id } of part) seen.add(`${object} ${id}`)
      const read = await readRows(ctx, shapes, part, room)
      for (const row of read.records) {
        const hit = await hitOf(ctx, row, terms)
        if (hit) hits.push(hit)
      }
      room -= read.bytes
      isFull = read.isFull
      from += part.length
      size = Math.min(4 * size, partMax)
    }
    if (isOver()) break
  }
  return hits.toSorted(better)
}

/** Null if the record does not match in what the caller may read. */
async function hitOf(
  { caller }: RequestContext,
  { candidate, fields, title, subtitle }: ReadRecord,
  terms: readonly Term[],
): Promise<Hit | null> {
  const byField: FieldMatch[] = []
  for (const field of fields) {
    if (isTurnOver()) await nextTurn(caller.organizationId)
    byField.push(matchesIn(field, terms))
  }
  const match = matchOf(byField, title, terms)
  return match && { ...candidate, match, title: short(title), subtitle: short(subtitle) }
}

const shownMax = 255

const short = (text: string | null): string | null =>
  text === null || text.length <= shownMax
    ? text
    : Array.from(text.slice(0, 2 * shownMax))
        .slice(0, shownMax)
        .join('')

/** Words near all words of a query. So many are no oracle: they would have to be written first. */
const nearbyMax = 2_000

/**
 * The query with other words in place of some; null if nothing was probably meant. The words of all titles are compared, but only a record that the
 * caller sees and may read corrects a query, so it makes no difference which words other records have.
 */
async function correctedTerms(
  ctx: RequestContext,
  terms: readonly Term[],
  shapes: readonly RecordShape[],
  limit: number,
): Promise<Term[] | null> {
  const wordsMax = Math.ceil(nearbyMax / terms.length)
  let compared = 0
  for (let edits = 1; edits <= editsMax; edits++) {
    const known = await Promise.all(terms.map((term) => nearbyWords(ctx, term, edits)))
    const nearby = known.map((words) => words.slice(0, wordsMax))
    const count = nearby.flat().length
    if (count === compared) continue
    compared = count
    const tried = terms.map((term, index) => ({
      ...term,
      nearby: new Map(nearby[index]!.map(({ word }, place) => [word, place])),
    }))
    const hits = await hitsOf(ctx, tried, shapes, limit)
    const nearest = hits.map(({ match: { forms } }) => orderOf(forms, nearby)).toSorted(compareLists)[0]
    if (nearest)
      return terms.map((term, index) => {
        const place = nearest[index + 1]!
        return place === 0 ? term : { ...term, forms: [nearby[index]![place - 1]!.word], isPrefix: false }
      })
  }
  return null
}

/** The edits between a query and what was found; then for each term the place of its word among those near it, 0 for its own. */
function orderOf(forms: readonly string[], nearby: readonly (readonly NearbyWord[])[]): number[] {
  const places = forms.map((form, index) => nearby[index]!.findIndex(({ word }) => word === form) + 1)
  const edits = places.map((place, index) => (place === 0 ? 0 : nearby[index]![place - 1]!.edits))
  return [edits.reduce((sum, one) => sum + one, 0), ...places]
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at])
  return index < 0 ? 0 : a[index]! - b[index]!
}

/** The words of titles that are so many edits away, the nearest first. Of two edits, many more words must be compared. */
async function nearbyWords(
  { db, caller }: RequestContext,
  { kind, forms }: Term,
  edits: number,
): Promise<NearbyWord[]> {
  const word = forms[0]!
  if (kind !== 'WORD' || !isCorrected(word)) return []
  const rows = await db.query<{ word: string }>(
    'select word from kernel.search_spellings(null, false, $1::int[])',
    [spellingHashes(tagOf(caller.organizationId), word, edits)],
    'SCAN',
  )
  const others = rows.map(({ word: one }) => one).filter((one) => !forms.includes(one))
  return corrections(word, others).filter((near) => near.edits <= edits)
}

/** The query with its corrected words. */
function correctedText(text: string, terms: readonly Term[], corrected: readonly Term[]): string {
  let result = ''
  let end = 0
  for (const [index, term] of terms.entries()) {
    // One letter may stand for several words.
    if (term.start < end) continue
    const own = corrected[index]!
    result += text.slice(end, term.start) + (own === term ? text.slice(term.start, term.end) : own.forms[0]!)
    end = term.end
  }
  return result + text.slice(end)
}
