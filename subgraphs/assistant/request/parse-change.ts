import { longest, set } from '../question/words-of-questions.ts'
import { lower, type Word } from './message-words.ts'

/** One way to understand a request to change a field. */
export interface ChangeCandidate {
  /** The words for the record; empty if it is the one that the user looks at. */
  readonly record: readonly Word[]
  /** The words for the field; null if the verb or the value says it. */
  readonly field: string | null
  /** Null if the verb alone says the value. */
  readonly value: readonly Word[] | null
}

export interface ParsedChange {
  readonly verb: string
  readonly candidates: readonly ChangeCandidate[]
  /** Words at the place of a field that are no field. */
  readonly unknownField: string | null
}

const verbs = set(
  'set change update edit make put adjust correct move push postpone reschedule raise lower increase reduce mark assign reassign hand give transfer rename',
)
const fieldless = set(
  'set change update make put move push postpone reschedule mark assign reassign hand give transfer rename',
)
/** Verbs that say the value, and words after them. */
const valueVerbs = set('complete finish close resolve reopen escalate')
const prepositions = set('of for on in at from')
const articles = set('the a an my our')
const isOf = ({ word }: Word): boolean => prepositions.has(word)
const isContext = (words: readonly Word[]): boolean => words.length === 1 && /^(?:it|this|its)$/.test(words[0]!.word)

const withoutArticle = (words: readonly Word[]): readonly Word[] =>
  words.length > 1 && articles.has(words[0]!.word) ? words.slice(1) : words

/** What the words before the value can mean: a field and a record in every order. */
function lefts(left: readonly Word[], fields: ReadonlyMap<string, unknown>, verb: string) {
  const found: Omit<ChangeCandidate, 'value'>[] = []
  const words = withoutArticle(left)
  const add = (record: readonly Word[], field: string | null) =>
    found.push({ record: isContext(record) ? [] : record, field })
  const first = longest(lower(words), 0, fields)
  const rest = first ? words.slice(first.length) : []
  const phrase = (from: readonly Word[]): string => lower(from).join(' ')
  let unknownField: string | null = null
  if (first && rest.length > 1 && isOf(rest[0]!)) add(rest.slice(1), phrase(words.slice(0, first.length)))
  else if (first && rest.length === 0) add([], phrase(words))
  else {
    const of = words.findIndex(isOf)
    if (of > 0 && !first) unknownField = phrase(words.slice(0, of))
  }
  const owner = words.findIndex(({ isPossessive, word }) => isPossessive || word === 'its')
  if (owner >= 0 && owner < words.length - 1) {
    const name = phrase(words.slice(owner + 1))
    if (fields.has(name)) add(words.slice(0, owner + 1), name)
    else unknownField ??= name
  }
  const ends = owner < 0 ? words.length : 0
  for (let at = 1; at < ends; at++) {
    const name = phrase(words.slice(at))
    if (fields.has(name) && !isOf(words[at - 1]!)) {
      add(words.slice(0, at), name)
      break
    }
  }
  if (fieldless.has(verb) && words.length > 0) add(words, null)
  return { found, unknownField }
}

/** "mark … as done", "make … urgent", "give … high priority": the value is at the end. */
function valueAtEnd(words: readonly Word[], fields: ReadonlyMap<string, unknown>): ChangeCandidate[] {
  const found: ChangeCandidate[] = []
  for (let at = Math.max(1, words.length - 3); at < words.length; at++) {
    const record = words.slice(0, at)
    const value = withoutArticle(words.slice(at))
    const name = value.at(-1)!.word
    found.push({ record: isContext(record) ? [] : record, field: null, value })
    if (value.length > 1 && fields.has(name)) found.push({ record, field: name, value: value.slice(0, -1) })
  }
  return found
}

/** "make Kim the owner of Pumps" */
function ownerInside(words: readonly Word[], fields: ReadonlyMap<string, unknown>): ChangeCandidate[] {
  for (let at = 1; at < words.length - 2; at++) {
    if (words[at]!.word !== 'the') continue
    const field = longest(lower(words), at + 1, fields)
    const of = at + 1 + (field?.length ?? 0)
    if (field && words[of]?.word === 'of' && of < words.length - 1)
      return [
        { record: words.slice(of + 1), field: lower(words.slice(at + 1, of)).join(' '), value: words.slice(0, at) },
      ]
  }
  return []
}

/** "set Pumps probability 80%" */
function fieldInside(words: readonly Word[], fields: ReadonlyMap<string, unknown>): ChangeCandidate[] {
  for (let at = 1; at < words.length - 1; at++) {
    const field = longest(lower(words), at, fields)
    if (field && at + field.length < words.length) {
      const end = at + field.length
      return [{ record: words.slice(0, at), field: lower(words.slice(at, end)).join(' '), value: words.slice(end) }]
    }
  }
  return []
}

/** "set stage to Negotiation for Pumps": only a value without spaces in its meaning ends before the record, which the value must then fit. */
function recordAtEnd(field: string, value: readonly Word[]): ChangeCandidate[] {
  return value.flatMap((word, at) =>
    at > 0 && at < value.length - 1 && isOf(word)
      ? [{ record: value.slice(at + 1), field, value: value.slice(0, at) }]
      : [],
  )
}

/** All ways to understand a request to change one field; null if it does not begin with such a verb. */
export function parseChange(words: readonly Word[], fields: ReadonlyMap<string, unknown>): ParsedChange | null {
  const verb = words[0]?.word ?? ''
  const rest = words.slice(1)
  if (valueVerbs.has(verb))
    return { verb, unknownField: null, candidates: rest.length > 0 ? [{ record: rest, field: null, value: null }] : [] }
  if (!verbs.has(verb)) return null
  const candidates: ChangeCandidate[] = []
  let unknownField: string | null = null
  rest.forEach(({ word }, at) => {
    if (at === 0 || at === rest.length - 1 || (word !== 'to' && word !== 'as')) return
    const value = rest.slice(at + 1)
    const { found, unknownField: unknown } = lefts(rest.slice(0, at), fields, verb)
    unknownField ??= unknown
    for (const { record, field } of found) {
      if (field !== null && record.length === 0) candidates.push(...recordAtEnd(field, value))
      candidates.push({ record, field, value })
    }
  })
  if (candidates.length === 0 && /^(?:mark|make|give|set)$/.test(verb) && rest.length > 1) {
    candidates.push(...ownerInside(rest, fields))
    if (candidates.length === 0) candidates.push(...fieldInside(rest, fields))
    if (candidates.length === 0) candidates.push(...valueAtEnd(rest, fields))
  }
  return { verb, candidates, unknownField }
}
