// The words of a text, in the form in which search compares them. Entries and queries use the same functions, so both always agree.

/** A word of a text, or a run of characters of a script that writes no spaces between words. */
export interface Word {
  /** Where it is in the text, in UTF-16 code units. */
  readonly start: number
  readonly end: number
  /** Its forms: the usual one first, then others that mean the same, such as `mueller` for Müller. A run has one. */
  readonly forms: readonly string[]
  /** Of a run: where each code unit of its form begins in the text, and the end. */
  readonly offsets: readonly number[] | null
}

/** Longer words are compared by their beginnings. */
const wordMax = 40
/** The code units of a text from which the beginning of a word is made: it may have marks and ligatures. */
const wordSourceMax = 256

const unspaced =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u30fc\\uff70\\uff9e\\uff9f'
const letter = `(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}])`
const pattern = new RegExp(`((?:[${unspaced}]\\p{M}*)+)|${letter}+(?:['\\u2019\\u02bc]${letter}+)*`, 'gu')
const emailPart = /[^\s@<>()[\],;:"]+/g
/** A character with its marks, also those that half-width kana write as characters of their own. More marks are characters of their own. */
const character = /[\s\S][\p{M}\uff9e\uff9f]{0,30}/gu

/** Accents, vowel signs of Hebrew and Arabic, and the Arabic tatweel. Marks of other scripts are part of their words. */
const marks = new RegExp(
  `[${[
    ['0300', '036f'],
    ['0483', '0487'],
    ['0591', '05bd'],
    ['05bf', '05bf'],
    ['05c1', '05c2'],
    ['05c4', '05c5'],
    ['05c7', '05c7'],
    ['0610', '061a'],
    ['0640', '0640'],
    ['064b', '065f'],
    ['0670', '0670'],
    ['06d6', '06dc'],
    ['06df', '06e8'],
    ['06ea', '06ed'],
    ['1ab0', '1aff'],
    ['1dc0', '1dff'],
    ['20d0', '20ff'],
    ['fe20', 'fe2f'],
  ]
    .map(([first, last]) => `\\u${first}-\\u${last}`)
    .join('')}]`,
  'g',
)

/** Letters that Unicode does not decompose. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ς: 'σ',
  ٱ: 'ا',
  ى: 'ي',
  ة: 'ه',
  ک: 'ك',
  ی: 'ي',
}
const undecomposed = new RegExp(`[${Object.keys(letters).join('')}]`, 'g')
/** What people write who have no umlauts on the keyboard. */
const spelledOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const umlaut = /[äöüøå]/g
/** The first digit of scripts whose digits have no compatibility decomposition. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50]
const foreignDigit = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/g
const asciiDigit = (digit: string): string => {
  const code = digit.charCodeAt(0)
  return String(code - zeros.findLast((zero) => zero <= code)!)
}

/** Composed and decomposed forms, upper and lower case, full and half width, letters with and without accents become equal. */
const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(marks, '')
    .replace(undecomposed, (found) => letters[found]!)
    .replace(foreignDigit, asciiDigit)
    .normalize('NFC')

/** White space in the compatibility form of one letter, such as a ligature of several words. */
const space = /\s+/g

/** The forms of each word that a word of a text stands for: one word, unless it contains the ligature of several. */
function formsOf(source: string): string[][] {
  const beginning = source.slice(0, wordSourceMax)
  const [usual = '', ...more] = foldText(beginning)
    .replace(/['\u2019\u02bc]/g, '')
    .split(space)
    .filter(Boolean)
  if (more.length > 0) return [usual, ...more].map((form) => [form.slice(0, wordMax)])
  const forms = [usual]
  const composed = beginning.normalize('NFC').toLowerCase()
  if (composed.search(umlaut) >= 0) forms.push(foldText(composed.replace(umlaut, (found) => spelledOut[found]!)))
  // The Arabic article is part of the word.
  if (usual.startsWith('ال') && usual.length > 4) forms.push(usual.slice(2))
  const known = forms.map((form) => form.replace(space, '')).filter(Boolean)
  return known.length > 0 ? [known.map((form) => form.slice(0, wordMax))] : []
}

const foldedMax = 4096
const folded = new Map<string, string>()

/** The form of one character of a run. Few different ones are most of all texts. */
function foldCharacter(text: string): string {
  const known = folded.get(text)
  if (known !== undefined) return known
  if (folded.size >= foldedMax) folded.clear()
  const form = foldText(text).replace(space, '')
  folded.set(text, form)
  return form
}

function runOf(source: string, start: number): Word {
  let form = ''
  const offsets: number[] = []
  for (const { 0: one, index } of source.matchAll(character)) {
    const own = foldCharacter(one)
    for (let unit = 0; unit < own.length; unit++) offsets.push(start + index)
    form += own
  }
  const end = start + source.length
  return { start, end, forms: [form], offsets: [...offsets, end] }
}

/** The words of a text, in their order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: source, 1: run, index: start } of text.matchAll(pattern)) {
    if (run) words.push(runOf(source, start))
    else for (const forms of formsOf(source)) words.push({ start, end: start + source.length, forms, offsets: null })
  }
  return words
}

export interface FoundText {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The email addresses in a text, in lower case. */
export function emailsIn(text: string): FoundText[] {
  if (!text.includes('@')) return []
  const found: FoundText[] = []
  let before: { readonly start: number; readonly end: number } | null = null
  for (const { 0: part, index: start } of text.matchAll(emailPart)) {
    const end = start + part.length
    if (before && text[before.end] === '@' && before.end + 1 === start) {
      const email = text.slice(before.start, end).toLowerCase().replaceAll('\\', '')
      found.push({ start: before.start, end, text: email })
      before = null
    } else before = { start, end }
  }
  return found
}

const phonePattern = /^\+?[\d\s()./-]+$/
const phoneDigitsMin = 6
/** Longer texts are no telephone numbers. */
const phoneMax = 100
/** Numbers are equal by their last digits, with or without the prefix of a country. */
const phoneDigitsCompared = 9

/** The last digits of a text that is a telephone number, the last one first; null for any other text. */
export function phoneOf(text: string): string | null {
  if (text.length > phoneMax) return null
  const number = text.normalize('NFKC').replace(foreignDigit, asciiDigit)
  if (!phonePattern.test(number.trim())) return null
  const digits = number.replaceAll(/\D/g, '')
  return digits.length < phoneDigitsMin ? null : [...digits].toReversed().join('')
}

export const comparedPhone = (reversed: string): string => reversed.slice(0, phoneDigitsCompared)

/** The pairs of neighbouring characters of a run, and its last character. */
export function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.map((one, index) => one + (characters[index + 1] ?? ''))
}

/** The text of a title whose beginning is compared: its words in their usual forms. */
export const titleForm = (words: readonly Word[]): string => words.map(({ forms }) => forms[0]!).join(' ')

/** More characters than any query has. */
const beginningMax = 500

/** The part of it that entries have. */
export const beginningOfTitle = (words: readonly Word[]): string => titleForm(words).slice(0, beginningMax)
