import type { RequestContext } from '../request.ts'
import { tagOf } from './lexemes.ts'
import { allOf, seenBy, soughtBy, type Sought, type Term } from './query.ts'
import { corrections, isSpelled, spellingHashes } from './spelling.ts'
import { wordsOf } from './words.ts'

/** Words of a text whose records are compared. */
const wordsMax = 8
/** Words near one word of a text. */
const nearbyMax = 20
/** Entries that are compared in one statement. */
const scannedMax = 10_000
/** So many users are a condition of the index; more see too much for it to help. */
const usersMax = 50

/** The form in which texts are compared by their similarity: their words without case, accents and punctuation. */
export const comparedForm = (text: string): string =>
  wordsOf(text)
    .map(({ forms }) => forms[0]!)
    .join(' ')

type Condition = readonly (readonly Sought[])[]

/** The words of the text, each with the words of titles that are near to it. */
async function termsOf({ db, caller }: RequestContext, text: string): Promise<Term[]> {
  const words = wordsOf(text).slice(0, wordsMax)
  const spelled = words.flatMap(({ forms, offsets }) => (offsets || !isSpelled(forms[0]!) ? [] : forms[0]!))
  const hashes = spelled.flatMap((word) => spellingHashes(tagOf(caller.organizationId), word))
  const rows =
    hashes.length === 0
      ? []
      : await db.query<{ word: string }>(
          'select word from kernel.search_spellings(null, false, $1::int[])',
          [hashes],
          'SCAN',
        )
  const known = rows.map(({ word }) => word)
  return words.map(({ forms, offsets, start, end }) => {
    const others = offsets ? [] : corrections(forms[0]!, known).filter(({ word }) => !forms.includes(word))
    const nearby = new Map(others.slice(0, nearbyMax).map(({ word }, place) => [word, place]))
    return { kind: offsets ? 'RUN' : 'WORD', forms, isPrefix: false, nearby, start, end }
  })
}

/** The alternatives that few records have. */
async function rareOf({ db, caller }: RequestContext, alternatives: Condition): Promise<Condition> {
  const rows = await db.query<{ lexeme: string }>(
    'select lexeme from kernel.search_frequent where organization_id = $1 and lexeme = any($2)',
    [caller.organizationId, [...new Set(alternatives.flat().map(({ lexeme }) => lexeme))]],
  )
  const frequent = new Set(rows.map(({ lexeme }) => lexeme))
  return alternatives.filter((all) => all.some(({ lexeme }) => !frequent.has(lexeme)))
}

/**
 * The ids of records of a type that have a word of the text, or one that is near to it, in a searched field; the newest first. Where all of the words are
 * frequent, of those that have all of them. Entries may be a moment old, and say nothing of visibility.
 */
export async function similarRecords(
  ctx: RequestContext,
  object: string,
  text: string,
  limit: number,
): Promise<readonly string[]> {
  const tag = tagOf(ctx.caller.organizationId)
  const terms = (await termsOf(ctx, text)).map((term) => soughtBy(tag, term, 'any'))
  if (terms.length === 0) return []
  const rare = await rareOf(ctx, terms.flat())
  const { ownerIds } = ctx.caller
  const owners = ownerIds && ownerIds.length <= usersMax ? [seenBy(tag, ownerIds)] : []
  const sought = allOf([...(rare.length > 0 ? [rare] : terms), ...owners])
  const rows = await ctx.db.query<{ id: string }>(
    `select record_id as id from kernel.search_indexed($1::tsquery, $1::tsquery, array[$2::text], '', null, null, null, ${scannedMax}, $3::int)`,
    [sought, object, limit],
    'SCAN',
  )
  return rows.map(({ id }) => id)
}
