import type { Row } from '../database/sql.ts'
import type { RequestContext } from '../request.ts'
import type { RecordShape } from '../record/definition.ts'
import { isHidden } from '../record/field-security.ts'
import { TenantPredicate } from '../record/predicate.ts'
import { candidatesMax, CandidateSearch, type Candidate } from './candidates.ts'
import { searchedSql } from './entries.ts'
import { tagOf } from './lexemes.ts'
import { excerpt, matchOf, type FieldText, type Match, type TextRange } from './match.ts'
import { phoneTerm, termsOf, type Term } from './query.ts'
import { searchedColumns, subtitleColumn, titleColumn } from './searched-types.ts'
import { corrections, editsMax, isSpelled, soughtHashes, type NearbyWord } from './spelling.ts'
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

/** Characters that are compared for one query; a record has some hundreds. */
const charactersMax = 2_000_000
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
  let characters = 0
  const isOver = (): boolean => hits.length > limit || seen.size >= candidatesMax || characters >= charactersMax
  for await (const candidates of search.searches()) {
    const fresh = candidates.filter(({ object, id }) => !seen.has(`${object} ${id}`))
    let [from, size] = [0, 2 * limit]
    while (from < fresh.length && !isOver()) {
      const part = fresh.slice(from, from + Math.min(size, candidatesMax - seen.size))
      for (const { object, id } of part) seen.add(`${object} ${id}`)
      const rows = await readRows(ctx, shapes, part)
      for (const row of rows) {
        if (isTurnOver()) await nextTurn(ctx.caller.organizationId)
        characters += row.characters
        const hit = hitOf(row, terms)
        if (hit) hits.push(hit)
      }
      from += part.length
      size = Math.min(4 * size, partMax)
    }
    if (isOver()) break
  }
  return hits.toSorted(better)
}

type ReadRow = Row & { readonly type: number; readonly id: string; readonly texts: readonly (string | null)[] }

/** A record that the caller sees, with the values that the caller may read. */
interface ReadRecord {
  readonly candidate: Candidate
  /** The fields in which words are looked for. */
  readonly fields: readonly FieldText[]
  readonly characters: number
  readonly title: string | null
  readonly subtitle: string | null
}

/** Reads those of the candidates that the caller sees, all types in one statement. */
async function readRows(
  ctx: RequestContext,
  shapes: readonly RecordShape[],
  candidates: readonly Candidate[],
): Promise<ReadRecord[]> {
  const predicate = new TenantPredicate(ctx.caller)
  const types = shapes.flatMap((shape) => {
    const own = candidates.filter(({ object }) => object === shape.object)
    return own.length === 0 ? [] : [{ shape, own, ...columnsFor(ctx, shape) }]
  })
  const parts = types.map(({ shape, own, names }, index) => {
    const ids = predicate.values.add(own.map(({ id }) => id))
    const texts = names.map((name) => searchedSql(shape, name, 't'))
    return `select ${index} as type, t.id, array[${texts.join(', ')}]::text[] as texts
      from ${shape.table} t where ${predicate.live(shape, 't')} and t.id = any(${ids}::uuid[])`
  })
  if (parts.length === 0) return []
  const rows = await ctx.db.query<ReadRow>(parts.join(' union all '), predicate.values.list)
  for (const [index, { shape }] of types.entries())
    ctx.answered?.records(
      shape,
      rows.filter(({ type }) => type === index),
    )
  const byKey = new Map(candidates.map((candidate) => [`${candidate.object} ${candidate.id}`, candidate]))
  return rows.map((row) => {
    const { shape, names, compared } = types[row.type]!
    const textOf = (name: string | null): string | null =>
      name === null ? null : (row.texts[names.indexOf(name)] ?? null)
    const fields = compared.flatMap((field): FieldText[] => {
      const text = textOf(field)
      return text === null ? [] : [{ field, text }]
    })
    return {
      candidate: byKey.get(`${shape.object} ${row.id}`)!,
      fields,
      characters: fields.reduce((sum, { text }) => sum + text.length, 0),
      title: textOf(titleColumn(shape)),
      subtitle: textOf(subtitleColumn(shape)),
    }
  })
}

/** Null if the record does not match in what the caller may read. */
function hitOf({ candidate, fields, title, subtitle }: ReadRecord, terms: readonly Term[]): Hit | null {
  const match = matchOf(fields, title, terms)
  return match && { ...candidate, match, title: short(title), subtitle: short(subtitle) }
}

/** The columns that are read for the caller, and those of them in which words are looked for. Hidden values are never read. */
function columnsFor({ caller }: RequestContext, shape: RecordShape) {
  const isReadable = (name: string): boolean =>
    !isHidden(caller, shape, name) && !isHidden(caller, shape, name.split('.')[0]!)
  const compared = searchedColumns(shape).filter(isReadable)
  const shown = [titleColumn(shape), subtitleColumn(shape)].filter((name) => name !== null && isReadable(name))
  return { compared, names: [...new Set([...compared, ...(shown as string[])])] }
}

const shownMax = 255

const short = (text: string | null): string | null =>
  text === null || text.length <= shownMax
    ? text
    : Array.from(text.slice(0, 2 * shownMax))
        .slice(0, shownMax)
        .join('')

/** Words near all words of a query that are compared. */
const nearbyMax = 60

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
  const known = await Promise.all(terms.map((term) => nearbyWords(ctx, term)))
  const wordsMax = Math.ceil(nearbyMax / terms.length)
  let compared = 0
  for (let edits = 1; edits <= editsMax; edits++) {
    const nearby = known.map((words) => words.filter((word) => word.edits <= edits).slice(0, wordsMax))
    const count = nearby.flat().length
    if (count === compared) continue
    compared = count
    const tried = terms.map((term, index) => ({ ...term, nearby: nearby[index]!.map(({ word }) => word) }))
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

/** The words of titles near a word, the nearest first. */
async function nearbyWords({ db, caller }: RequestContext, { kind, forms }: Term): Promise<NearbyWord[]> {
  const word = forms[0]!
  if (kind !== 'WORD' || !isSpelled(word)) return []
  const rows = await db.query<{ word: string }>(
    'select word from kernel.search_spellings(null, false, $1::int[])',
    [soughtHashes(tagOf(caller.organizationId), word)],
    'SCAN',
  )
  const others = rows.map(({ word: one }) => one).filter((one) => !forms.includes(one))
  return corrections(word, others)
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
