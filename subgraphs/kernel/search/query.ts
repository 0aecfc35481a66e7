import { invalid } from '../errors.ts'
import { isStorable } from '../record/scalars.ts'
import { everyone, kinds, userLexeme, type LexemeKind } from './lexemes.ts'
import { comparedPhone, emailsIn, pairsOf, phoneOf, wordsOf } from './words.ts'

/** Code points. */
export const queryMax = 200
export const wordsMax = 10

/** One word of a query. A record matches the query when it has all of them. */
export interface Term {
  readonly kind: 'WORD' | 'RUN' | 'EMAIL' | 'PHONE'
  /** The record must have one of these words. */
  readonly forms: readonly string[]
  /** A word that begins with a form is enough. */
  readonly isPrefix: boolean
  /** Words that are as good as the forms, complete only: those that were perhaps meant, with their places by nearness. */
  readonly nearby?: ReadonlyMap<string, number>
  /** Where the word is in the query. */
  readonly start: number
  readonly end: number
}

function checkText(text: string, path: string): void {
  if (!isStorable(text))
    throw invalid({
      path,
      code: 'NOT_TEXT',
      message: `${path} must not contain a NUL character or an unpaired surrogate.`,
    })
  if ([...text].length > queryMax)
    throw invalid({ path, code: 'TOO_LONG', message: `${path} must have at most ${queryMax} characters.` })
}

/** The words of a query. Refuses one without words, and one that is too long. */
export function termsOf(text: string, path: string): Term[] {
  checkText(text, path)
  const emails = emailsIn(text)
  const isInEmail = (start: number): boolean => emails.some((email) => start >= email.start && start < email.end)
  const words = wordsOf(text).filter(({ start }) => !isInEmail(start))
  const found: Omit<Term, 'isPrefix'>[] = [
    ...emails.map(({ text: form, start, end }) => ({ kind: 'EMAIL' as const, forms: [form], start, end })),
    ...words.map(({ forms, offsets, start, end }) => ({
      kind: offsets ? ('RUN' as const) : ('WORD' as const),
      forms,
      start,
      end,
    })),
  ].toSorted((a, b) => a.start - b.start)
  if (found.length === 0)
    throw invalid({ path, code: 'REQUIRED', message: `${path} must contain a letter or a digit.` })
  if (found.length > wordsMax)
    throw invalid({ path, code: 'TOO_MANY_WORDS', message: `${path} must have at most ${wordsMax} words.` })
  // Behind white space, the last word is complete.
  const isPrefix = (index: number): boolean => index === found.length - 1 && !/\s$/.test(text)
  return found.map((term, index) => ({ ...term, isPrefix: isPrefix(index) }))
}

/** The query as a telephone number; null if it is none. */
export function phoneTerm(text: string): Term | null {
  const phone = phoneOf(text)
  return phone === null
    ? null
    : { kind: 'PHONE', forms: [comparedPhone(phone)], isPrefix: true, start: 0, end: text.length }
}

/** A lexeme that is looked for; with `isPrefix`, every one that begins with it. */
export interface Sought {
  readonly lexeme: string
  readonly isPrefix: boolean
}

/** So many pairs of a run find its candidates; the whole run is compared with their texts. */
const pairsMax = 20

const lexemeKinds = { EMAIL: 'email', PHONE: 'phone' } as const

/** The alternatives of a term, each the lexemes that an entry must have all. */
export function soughtBy(
  tag: string,
  { kind, forms, isPrefix, nearby = new Map() }: Term,
  where: 'title' | 'any',
): Sought[][] {
  const of = (lexemeKind: LexemeKind, text: string, prefix: boolean): Sought => ({
    lexeme: `${tag}${kinds[lexemeKind]}${text}`,
    isPrefix: prefix,
  })
  if (kind === 'EMAIL' || kind === 'PHONE') return [[of(lexemeKinds[kind], forms[0]!.slice(0, 100), isPrefix)]]
  if (kind === 'WORD')
    return [
      ...forms.map((form) => [of(where, form, isPrefix)]),
      ...Array.from(nearby.keys(), (word) => [of(where, word, false)]),
    ]
  const pairs = pairsOf(forms[0]!)
  // Of several characters, the last one alone is in the last pair already.
  return [
    pairs.length === 1
      ? [of(where, pairs[0]!, true)]
      : pairs.slice(0, Math.min(pairs.length - 1, pairsMax)).map((pair) => of(where, pair, false)),
  ]
}

/** Whether a term can be in a title as a word. */
export const canBeInTitle = ({ kind }: Term): boolean => kind === 'WORD' || kind === 'RUN'

const quoted = ({ lexeme, isPrefix }: Sought): string =>
  `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${isPrefix ? ':*' : ''}`

/** The condition that all of these hold, as text of a `tsquery`. */
export const allOf = (terms: readonly (readonly (readonly Sought[])[])[]): string =>
  terms.map((alternatives) => `(${alternatives.map((all) => all.map(quoted).join(' & ')).join(' | ')})`).join(' & ')

/** The lexemes of records that these users see where visibility is restricted. */
export const seenBy = (tag: string, userIds: readonly string[]): Sought[][] =>
  [everyone, ...userIds.map(userLexeme)].map((user) => [{ lexeme: `${tag}${kinds.user}${user}`, isPrefix: false }])

/** The lexeme of the records of one user. */
export const ownedBy = (tag: string, userId: string): Sought[][] => seenBy(tag, [userId]).slice(1)

/** The text whose beginning a title is compared with. */
export const beginningOf = (terms: readonly Term[]): string => terms.map(({ forms }) => forms[0]!).join(' ')
