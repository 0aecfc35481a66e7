/** Reading so many values, checking and storing them takes about as long as one request may hold the others up. */
export const valuesMax = 15_000
/** Of the object that a body is: far more than any operation knows, and each that is unknown costs a problem to name. */
export const membersMax = 1_000

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const brace = 0x7b
const openings: ReadonlySet<number> = new Set([0x5b, brace])
const closings: ReadonlySet<number> = new Set([0x5d, 0x7d])
/** What is nested deeper than anything that is accepted is refused for that. */
const depthCounted = 64

/** Whether a text of JSON has more values than are read, or is an object of more members; told before they are made. */
export function hasTooManyValues(raw: Uint8Array): boolean {
  // Every value takes a byte and another one to end it, every member at least four with its name.
  if (raw.length <= 4 * membersMax) return false
  let values = 0
  let members = 1
  let isObject = false
  let depth = 0
  let isInText = false
  for (let index = 0; index < raw.length && values <= valuesMax && members <= membersMax; index++) {
    const byte = raw[index]!
    if (byte === quote) isInText = !isInText
    else if (isInText) index += Number(byte === backslash)
    else if (byte === comma) {
      values += 1
      if (depth === 1 && isObject) members += 1
    } else if (openings.has(byte)) {
      if (depth === 0) isObject = byte === brace
      values += Number(++depth <= depthCounted)
    } else if (closings.has(byte)) depth -= 1
  }
  return values > valuesMax || members > membersMax
}
