import { largeFrom } from '../work/turn.ts'

/** A character becomes at most six bytes: `\u0001`, or three of UTF-8. */
const bytesOfUnit = 6
// `-1.2345678901234567e+100,` has 25 bytes.
const unitsOfNumber = 5
// A date is an object without members, of 27 bytes.
const unitsOfObject = 5
// For shorter texts, a loop over the characters is faster than JSON.stringify.
const shortMax = 24
const quote = 0x22
const backslash = 0x5c

/**
 * Whether `value` as JSON has more than `max` bytes, decided without building the JSON.
 *
 * An estimate first adds up the lengths of the texts, which takes 8 us for a page of 50 records with 45 fields. Only a value that
 * could exceed `max` if every character took six bytes is counted exactly. Counting stops at `max`, so a huge value costs no more
 * than the largest value that fits.
 */
export function isJsonLargerThan(value: unknown, max: number): boolean {
  const unitsMax = Math.floor(max / bytesOfUnit)
  return unitsOf(value, unitsMax) > unitsMax && jsonBytes(value, max) > max
}

/** Whether serializing `value` would block the event loop noticeably; stops counting when that is certain. */
export const isJsonLarge = (value: unknown): boolean => unitsOf(value, largeFrom) > largeFrom

/** A lower estimate: at least one sixth of the bytes of `value` and a comma. Stops soon after `max`. */
function unitsOf(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 1
  if (typeof value === 'number') return unitsOfNumber
  if (typeof value !== 'object' || value === null) return 1
  if (Array.isArray(value)) {
    let units = 1
    for (let index = 0; index < value.length && units <= max; index++) units += unitsOf(value[index], max - units)
    return units
  }
  const object = value as Record<string, unknown>
  let units = unitsOfObject
  for (const key in object) {
    const member = object[key]
    units += key.length + 1
    if (typeof member === 'string') units += member.length + 1
    else if (member !== null) units += unitsOf(member, max - units)
    else units++
    if (units > max) return units
  }
  return units
}

/** The exact bytes of `value` as JSON; stops soon after `max`. */
export function jsonBytes(value: unknown, max: number): number {
  switch (typeof value) {
    case 'string':
      return textBytes(value)
    case 'number':
      return numberBytes(value)
    case 'object':
      if (value === null) return 4
      return Array.isArray(value) ? arrayBytes(value, max) : objectBytes(value as Record<string, unknown>, max)
    default:
      return value === false ? 5 : 4
  }
}

function arrayBytes(items: readonly unknown[], max: number): number {
  let bytes = items.length === 0 ? 2 : 1
  for (let index = 0; index < items.length && bytes <= max; index++) bytes += 1 + jsonBytes(items[index], max - bytes)
  return bytes
}

function objectBytes(object: Record<string, unknown>, max: number): number {
  if (object instanceof Date) return textBytes(object.toISOString())
  // A raw number of `JSON.rawJSON` has no prototype; parsed objects always have one.
  if (typeof object['rawJSON'] === 'string' && Object.getPrototypeOf(object) === null) return object['rawJSON'].length
  let bytes = 1
  for (const key in object) {
    const member = object[key]
    if (member === undefined) continue
    bytes += textBytes(key) + 2 + jsonBytes(member, max - bytes)
    if (bytes > max) return bytes
  }
  return Math.max(bytes, 2)
}

function textBytes(text: string): number {
  if (text.length > shortMax) return Buffer.byteLength(JSON.stringify(text))
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const isPlain = code >= 0x20 && code < 0x7f && code !== quote && code !== backslash
    if (!isPlain) return Buffer.byteLength(JSON.stringify(text))
  }
  return text.length + 2
}

function numberBytes(value: number): number {
  if (!Number.isInteger(value) || Math.abs(value) >= 1e15) return JSON.stringify(value).length
  let digits = value < 0 ? 2 : 1
  for (let rest = Math.abs(value); rest >= 10; rest = Math.floor(rest / 10)) digits++
  return digits
}
