import { emailsIn, phoneOf, wordsOf, titleForm, type Word } from './words.ts'
import { beginningOf, type Term } from './query.ts'

/** A part of a text, in UTF-16 code units; the end is behind it. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** How well a record matches: the title begins with the query, has its words, has their beginnings; or they are elsewhere. */
export type Rank = 0 | 1 | 2 | 3

/** A readable value of a record. */
export interface FieldText {
  readonly field: string
  readonly text: string
}

export interface Match {
  readonly rank: Rank
  /** What was found in each field, in the order of the fields; fields without are left out. */
  readonly found: readonly (FieldText & { readonly ranges: readonly TextRange[] })[]
  /** For each term, the form that was found. */
  readonly forms: readonly string[]
}

interface Found extends TextRange {
  readonly form: string
}

function inWord({ kind, forms, isPrefix, nearby }: Term, word: Word): Found | null {
  if ((kind === 'RUN') !== (word.offsets !== null)) return null
  if (word.offsets) {
    const at = word.forms[0]!.indexOf(forms[0]!)
    if (at < 0) return null
    return { start: word.offsets[at]!, end: word.offsets[at + forms[0]!.length]!, form: forms[0]! }
  }
  const form =
    forms.find((sought) => word.forms.some((own) => (isPrefix ? own.startsWith(sought) : own === sought))) ??
    (nearby && nearestOf(word.forms, nearby))
  return form === undefined ? null : { start: word.start, end: word.end, form }
}

const nearestOf = (forms: readonly string[], nearby: ReadonlyMap<string, number>): string | undefined =>
  forms.filter((form) => nearby.has(form)).toSorted((a, b) => nearby.get(a)! - nearby.get(b)!)[0]

function inText(term: Term, text: string, words: readonly Word[]): Found[] {
  const { kind, forms, isPrefix } = term
  const sought = forms[0]!
  if (kind === 'PHONE') return phoneOf(text)?.startsWith(sought) ? [{ start: 0, end: text.length, form: sought }] : []
  if (kind === 'EMAIL')
    return emailsIn(text)
      .filter(({ text: email }) => (isPrefix ? email.startsWith(sought) : email === sought))
      .map(({ start, end }) => ({ start, end, form: sought }))
  return words.flatMap((word) => inWord(term, word) ?? [])
}

const isCompleteIn = (words: readonly Word[]) => (term: Term) =>
  words.some((word) => inWord({ ...term, isPrefix: false }, word) !== null)

function rankIn(title: string | null, terms: readonly Term[]): Rank {
  if (title === null || !terms.every(({ kind }) => kind === 'WORD' || kind === 'RUN')) return 3
  const words = wordsOf(title)
  if (titleForm(words).startsWith(beginningOf(terms))) return 0
  if (terms.every(isCompleteIn(words))) return 1
  return terms.every((term) => words.some((word) => inWord(term, word))) ? 2 : 3
}

/** What was found in a field for each term. */
export interface FieldMatch extends FieldText {
  readonly byTerm: readonly (readonly Found[])[]
}

export function matchesIn(field: FieldText, terms: readonly Term[]): FieldMatch {
  const words = wordsOf(field.text)
  return { ...field, byTerm: terms.map((term) => inText(term, field.text, words)) }
}

/** How the readable values of a record match a query; null if they do not. The first field is the title. */
export function matchOf(byField: readonly FieldMatch[], title: string | null, terms: readonly Term[]): Match | null {
  const forms = terms.map(({ forms: own, nearby }, index) => {
    const inFields = byField.flatMap(({ byTerm }) => byTerm[index]!)
    return ((nearby && inFields.find(({ form }) => own.includes(form))) ?? inFields[0])?.form
  })
  if (forms.includes(undefined)) return null
  const found = byField.flatMap(({ field, text, byTerm }) => {
    const ranges = merged(byTerm.flat())
    return ranges.length > 0 ? [{ field, text, ranges }] : []
  })
  return { rank: rankIn(title, terms), found, forms: forms as string[] }
}

/** Ranges in their order, without overlaps. */
function merged(found: readonly TextRange[]): TextRange[] {
  const ranges: { start: number; end: number }[] = []
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = ranges.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else ranges.push({ start, end })
  }
  return ranges
}

/** Code units of an excerpt. */
const excerptMax = 200
const before = 60
const rangesMax = 20

/** The part of a long text around the first range, with the ranges in it. Ends at whole characters. */
export function excerpt(text: string, ranges: readonly TextRange[]): { text: string; ranges: TextRange[] } {
  const first = ranges[0]!.start
  const from =
    text.length <= excerptMax ? 0 : wholeFrom(text, Math.max(0, Math.min(first - before, text.length - excerptMax)))
  const to = wholeFrom(text, Math.min(text.length, from + excerptMax))
  const inside = ranges
    .filter(({ start, end }) => start >= from && end <= to)
    .slice(0, rangesMax)
    .map(({ start, end }) => ({ start: start - from, end: end - from }))
  return { text: text.slice(from, to), ranges: inside }
}

/** The given place, or the one before it where it would divide a surrogate pair. */
const wholeFrom = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at)
