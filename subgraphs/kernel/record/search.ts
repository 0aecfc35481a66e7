import { invalid } from '../errors.ts'
import type { Column } from './column.ts'
import type { RecordShape } from './definition.ts'
import { escapeLikePattern } from './operators.ts'
import type { Values } from './predicate.ts'
import { isStorable } from './scalars.ts'

const searchMax = 200
/** A trigram index finds no shorter text in the middle of a word. */
const infixMin = 3
/** What `kernel.search_text` writes for a code point beyond ASCII. */
const encodedCharacter = /u[0-9a-f]{2}/i

/** Refuses a text of `search` that is too long or that no stored text can contain. */
function checkText(text: string): void {
  if ([...text].length > searchMax)
    throw invalid({ path: 'search', code: 'TOO_LONG', message: `search must have at most ${searchMax} characters.` })
  if (!isStorable(text))
    throw invalid({
      path: 'search',
      code: 'NOT_TEXT',
      message: 'search must not contain a NUL character or an unpaired surrogate.',
    })
}

/**
 * A condition that the search index answers and that holds for every row in which a searchable column contains the text; null when no
 * trigram can be taken from the text. `kernel.search_text` is what the column stores: lower case, code points beyond ASCII as letters
 * and digits, all other characters as one space. A value that contains a text has a search text that contains the search text of the text.
 */
function candidates(text: string, alias: string, values: Values): string | null {
  const words = text.toLowerCase().split(/[^a-z0-9\u0080-\u{10ffff}]+/u)
  // A word behind another one is found by its beginning. One character beyond ASCII is at least three letters and digits.
  const hasTrigram = words.slice(1).some(Boolean) || words[0]!.length >= infixMin || /[^\0-\u007f]/.test(text)
  return hasTrigram ? `${alias}.search_text like '%' || kernel.search_text(${values.add(text)}) || '%'` : null
}

/** Whether letters of the text can be written composed or decomposed: é as one code point, or as e and an accent. */
const hasSeveralForms = (text: string): boolean => text.normalize('NFC') !== text.normalize('NFD')

/** How a composed letter can be stored; null when its marks can have several orders. */
function formsOf(letter: string): string[] | null {
  const parts = [...letter.normalize('NFD')]
  if (parts.filter((part) => /\p{M}/u.test(part)).length > 1) return null
  return [
    ...new Set(
      parts.map(
        (_, index) =>
          parts
            .slice(0, index + 1)
            .join('')
            .normalize('NFC') + parts.slice(index + 1).join(''),
      ),
    ),
  ]
}

/** Like `candidates`, for a text with letters that have several forms: a regular expression over the search text, which has no special characters. */
function candidatesOfForms(text: string, alias: string, values: Values): string {
  const stored = (part: string): string => `kernel.search_text(${values.add(part)})`
  const pattern: string[] = []
  let plain = ''
  const endPlain = (): void => {
    if (plain) pattern.push(stored(plain))
    plain = ''
  }
  for (const letter of text.normalize('NFC')) {
    if (!hasSeveralForms(letter)) plain += letter
    else {
      endPlain()
      const forms = formsOf(letter)
      pattern.push(forms ? `'(' || ${forms.map(stored).join(" || '|' || ")} || ')'` : "'.*'")
    }
  }
  endPlain()
  return `${alias}.search_text ~ (${pattern.join(' || ')})`
}

/** Narrows a text operator on a searchable column by the search index; null when that is not possible. */
export function containsCandidates(
  { searchable, hasSearchText }: RecordShape,
  { name, key }: Column,
  text: string,
  alias: string,
  values: Values,
): string | null {
  return hasSearchText && key === undefined && searchable.includes(name) ? candidates(text, alias, values) : null
}

/**
 * The condition of `search`: one of the columns contains the text. One or two letters or digits find words that begin with them. Composed and
 * decomposed letters are equal.
 */
export function searchCondition(
  { hasSearchText, searchable }: Pick<RecordShape, 'hasSearchText' | 'searchable'>,
  columns: readonly Pick<Column, 'key' | 'sql'>[],
  text: string,
  alias: string,
  values: Values,
): string {
  checkText(text)
  if (columns.length === 0) return 'false'
  const isPrefix = /^[A-Za-z0-9]{1,2}$/.test(text)
  const isIndexed = hasSearchText && columns.every(({ key }) => key === undefined)
  if (hasSeveralForms(text)) {
    const pattern = values.add(`%${escapeLikePattern(text.normalize('NFC'))}%`)
    const contains = columns.map((column) => `normalize(${column.sql(alias)}, NFC) ilike ${pattern}`).join(' or ')
    return isIndexed ? `${candidatesOfForms(text, alias, values)} and (${contains})` : `(${contains})`
  }
  const narrowed = isIndexed ? candidates(isPrefix ? ` ${text}` : text, alias, values) : null
  // The search text decides alone when every column may be searched and the text is part of one word.
  const isOneWord = /^[A-Za-z0-9]+$/.test(text) && !encodedCharacter.test(text)
  if (narrowed && isOneWord && columns.length === searchable.length) return narrowed
  const operand = isPrefix
    ? `~* ${values.add(`(^|[^[:alnum:]])${text}`)}`
    : `ilike ${values.add(`%${escapeLikePattern(text)}%`)}`
  const matches = `(${columns.map((column) => `${column.sql(alias)} ${operand}`).join(' or ')})`
  return narrowed ? `${narrowed} and ${matches}` : matches
}
