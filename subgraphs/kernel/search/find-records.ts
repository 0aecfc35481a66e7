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
import { corrections, isSpelled, soughtHashes } from './spelling.ts'

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
  const corrected = await correctedTerms(ctx, terms)
  const hits = corrected ? await hitsOf(ctx, corrected, shapes, limit) : []
  return answerOf(hits, limit, hits.length > 0 ? correctedText(text, terms, corrected!, hits[0]!.match) : null)
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
  for await (const candidates of search.searches()) {
    const fresh = candidates.filter(({ object, id }) => !seen.has(`${object} ${id}`))
    let [from, size] = [0, 2 * limit]
    while (from < fresh.length && hits.length <= limit && seen.size < candidatesMax) {
      const part = fresh.slice(from, from + Math.min(size, candidatesMax - seen.size))
      for (const { object, id } of part) seen.add(`${object} ${id}`)
      hits.push(...(await readHits(ctx, terms, shapes, part)))
      from += part.length
      size *= 4
    }
    if (hits.length > limit || seen.size >= candidatesMax) break
  }
  return hits.toSorted(better)
}

type ReadRow = Row & { readonly type: number; readonly id: string; readonly texts: readonly (string | null)[] }

/** Reads the candidates, all types in one statement, and keeps those that the caller sees and that match in what the caller may read. */
async function readHits(
  ctx: RequestContext,
  terms: readonly Term[],
  shapes: readonly RecordShape[],
  candidates: readonly Candidate[],
): Promise<Hit[]> {
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
  return rows.flatMap((row) => {
    const { shape, names, compared } = types[row.type]!
    const textOf = (name: string | null): string | null =>
      name === null ? null : (row.texts[names.indexOf(name)] ?? null)
    const fields = compared.flatMap((field): FieldText[] => {
      const text = textOf(field)
      return text === null ? [] : [{ field, text }]
    })
    const title = textOf(titleColumn(shape))
    const match = matchOf(fields, title, terms)
    if (!match) return []
    const candidate = byKey.get(`${shape.object} ${row.id}`)!
    const subtitle = textOf(subtitleColumn(shape))
    return [{ ...candidate, match, title: short(title), subtitle: short(subtitle) }]
  })
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

/** The query with other words in place of those that no title has; null if nothing was probably meant. */
async function correctedTerms(ctx: RequestContext, terms: readonly Term[]): Promise<Term[] | null> {
  const tag = tagOf(ctx.caller.organizationId)
  let isCorrected = false
  const corrected: Term[] = []
  for (const term of terms) {
    const words = term.kind === 'WORD' && isSpelled(term.forms[0]!) ? await spellings(ctx, tag, term) : null
    if (words === null || words.length === 0) corrected.push(term)
    else {
      isCorrected = true
      corrected.push({ ...term, forms: words, isPrefix: false })
    }
  }
  return isCorrected ? corrected : null
}

/**
 * The words of titles near a word; null if a title has the word. A caller who sees some records only does not learn whether another one has it.
 */
async function spellings(
  { db, caller }: RequestContext,
  tag: string,
  { forms, isPrefix }: Term,
): Promise<string[] | null> {
  const word = forms[0]!
  const rows = await db.query<{ word: string | null }>(
    'select word from kernel.search_spellings($1, $2, $3::int[])',
    [caller.ownerIds === null ? word : null, isPrefix, soughtHashes(tag, word)],
    'SCAN',
  )
  const words = rows.flatMap(({ word: one }) => one ?? [])
  return rows.length > words.length ? null : corrections(word, words)
}

/** The query with the words that were found in the best record. */
function correctedText(text: string, terms: readonly Term[], corrected: readonly Term[], { forms }: Match): string {
  let result = ''
  let end = 0
  for (const [index, term] of terms.entries()) {
    result +=
      text.slice(end, term.start) + (corrected[index] === term ? text.slice(term.start, term.end) : forms[index]!)
    end = term.end
  }
  return result + text.slice(end)
}
