import { randomUUID } from 'node:crypto'
import { exactNumber, isRawNumber, nearestNumber, type RawNumber } from './exact-number.ts'

/** Sixteen digits or a three-digit exponent: every other JSON number is exact as a double. May also match inside a string. */
const perhapsInexact = '\\d[\\d.]{15}|\\d[eE][+-]?\\d{3}'
const mayBeInexact = new RegExp(perhapsInexact)
const numberToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const partOfNumber = /[-+.\deE]/

/** Placeholder of a number while the rest is parsed. Random, so that no client can send it. */
const mark = randomUUID()

/** Maximum number of numbers without an exact double in a client's input, because each takes microseconds to find and to convert. */
export const inexactMax = 1_000

/** The JSON has more numbers without an exact double than the caller of the parser allows. */
export class TooManyInexact extends Error {}

interface Inexact {
  readonly start: number
  readonly end: number
  readonly value: RawNumber
}

/**
 * `JSON.parse` that loses no digit: a number without an exact double becomes a raw number, which `JSON.stringify` writes with
 * all its digits. A reviver would do the same at forty times the cost, on bodies that untrusted clients send.
 */
export function parseJsonExactly(text: string, max = Infinity): unknown {
  if (text === '{}') return {}
  const parsed: unknown = JSON.parse(text)
  if (!mayBeInexact.test(text)) return parsed
  const found = inexactNumbers(text, max)
  return found.length === 0 ? parsed : withNumbers(text, found)
}

/** The numbers of valid JSON that have no exact double. */
function inexactNumbers(text: string, max: number): Inexact[] {
  const found: Inexact[] = []
  const candidate = new RegExp(perhapsInexact, 'g')
  let quote = text.indexOf('"')
  for (let match = candidate.exec(text); match; match = candidate.exec(text)) {
    let end = -1
    while (quote >= 0 && quote < match.index) {
      end = endOfString(text, quote)
      quote = text.indexOf('"', end)
    }
    if (end > match.index) {
      candidate.lastIndex = end
      continue
    }
    let start = match.index
    while (start > 0 && partOfNumber.test(text[start - 1]!)) start--
    numberToken.lastIndex = start
    const [token] = numberToken.exec(text)!
    const value = exactNumber(token)
    candidate.lastIndex = start + token.length
    if (typeof value !== 'number') found.push({ start, end: candidate.lastIndex, value })
    if (found.length > max) throw new TooManyInexact()
  }
  return found
}

/** The index after the string that begins at the given quote. */
function endOfString(text: string, quote: number): number {
  for (let close = text.indexOf('"', quote + 1); ; close = text.indexOf('"', close + 1)) {
    let before = close
    while (text[before - 1] === '\\') before--
    if ((close - before) % 2 === 0) return close + 1
  }
}

function withNumbers(text: string, found: readonly Inexact[]): unknown {
  let marked = ''
  let done = 0
  found.forEach(({ start, end }, index) => {
    marked += `${text.slice(done, start)}"${mark}${index}"`
    done = end
  })
  const root = { value: JSON.parse(marked + text.slice(done)) as unknown }
  // A loop instead of recursion, because the nesting depth has not been checked yet.
  const open: (Record<string, unknown> | unknown[])[] = [root]
  const restore = (holder: Record<string, unknown>, key: string | number, value: unknown): void => {
    if (typeof value === 'string') {
      if (value.startsWith(mark)) holder[key] = found[Number(value.slice(mark.length))]!.value
    } else if (typeof value === 'object' && value !== null) open.push(value as Record<string, unknown>)
  }
  for (let holder = open.pop(); holder; holder = open.pop()) {
    if (Array.isArray(holder)) {
      for (let index = 0; index < holder.length; index++) restore(holder as never, index, holder[index])
    } else {
      for (const key of Object.keys(holder)) restore(holder, key, holder[key])
    }
  }
  return root.value
}

/** A copy in which every raw number is replaced by the closest double; the value itself when it contains no raw number. */
export function withNearestNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isRawNumber(value)) return nearestNumber(value)
  let copy: Record<string, unknown> | unknown[] | null = null
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    const nearest = withNearestNumbers(member)
    if (nearest === member) continue
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...value }
    ;(copy as Record<string, unknown>)[key] = nearest
  }
  return copy ?? value
}

/** Whether a value is or contains a raw number. */
export const holdsRawNumber = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (isRawNumber(value) || Object.values(value).some((member) => holdsRawNumber(member)))
