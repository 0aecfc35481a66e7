import { upperCase, lowerCase } from './case-table.ts'
import { formulaLimits } from './limits.ts'

// Texts are sequences of code points, as in PostgreSQL. Most have no surrogate pairs, so that code units are code points.

const surrogate = /[\ud800-\udbff]/
const isSimple = (text: string): boolean => !surrogate.test(text)

export function lengthOf(text: string): number {
  if (isSimple(text)) return text.length
  let pairs = 0
  for (let index = 0; index < text.length; index++) if ((text.charCodeAt(index) & 0xfc00) === 0xd800) pairs++
  return text.length - pairs
}

/** The code unit at which the code point with this index begins. */
function unitAt(text: string, index: number): number {
  let unit = 0
  for (let left = index; left > 0 && unit < text.length; left--)
    unit += (text.charCodeAt(unit) & 0xfc00) === 0xd800 ? 2 : 1
  return unit
}

/** The part from one code point to before another. */
export const slice = (text: string, from: number, to: number): string =>
  isSimple(text) ? text.slice(from, to) : text.slice(unitAt(text, from), unitAt(text, to))

export const firstOf = (text: string, count: number): string => (text.length <= count ? text : slice(text, 0, count))

export function lastOf(text: string, count: number): string {
  const length = lengthOf(text)
  return slice(text, Math.max(length - count, 0), length)
}

/** By code point: negative, zero or positive. */
export const compareTexts = (one: string, other: string): number =>
  one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other))

/** The number of the first code point of the text that is searched, from 1 and not before `start`; 0 if there is none. */
export function find(search: string, text: string, start: number): number {
  const unit = text.indexOf(search, unitAt(text, start - 1))
  return unit < 0 ? 0 : lengthOf(text.slice(0, unit)) + 1
}

/** Replaces as many occurrences as can matter for the bounded result. */
export function substitute(text: string, search: string, replacement: string): string {
  if (search === '') return text
  const parts = text.split(search)
  if (replacement === '') return parts.join('')
  return parts.slice(0, Math.ceil(formulaLimits.text / lengthOf(replacement)) + 1).join(replacement)
}

/** The characters that fill a text up to a length. */
function padding(text: string, length: number, fill: string): string {
  const missing = length - lengthOf(text)
  return missing <= 0 ? '' : firstOf(fill.repeat(Math.ceil(missing / lengthOf(fill))), missing)
}

export const padStart = (text: string, length: number, fill: string): string =>
  firstOf(padding(text, length, fill) + text, length)

export const padEnd = (text: string, length: number, fill: string): string =>
  firstOf(text + padding(text, length, fill), length)

/** Blanks of a text, for TRIM. */
export const trimmed = ' \t\n\v\f\r\u00a0'

export function trim(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && trimmed.includes(text[start]!)) start++
  while (end > start && trimmed.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

const mapped = (text: string, table: ReadonlyMap<string, string>): string => {
  let result = ''
  for (const character of text) result += table.get(character) ?? character
  return result
}

export const upper = (text: string): string => mapped(firstOf(text, formulaLimits.text), upperCase)
export const lower = (text: string): string => mapped(firstOf(text, formulaLimits.text), lowerCase)
