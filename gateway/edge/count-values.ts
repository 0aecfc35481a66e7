/** Reading so many values, checking and storing them takes about as long as one request may hold the others up. */
export const valuesMax = 15_000

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openings: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closings: ReadonlySet<number> = new Set([0x5d, 0x7d])
/** What is nested deeper than anything that is accepted is refused for that. */
const depthCounted = 64

/** Whether a text of JSON has more values than that, told before they are made. */
export function hasTooManyValues(raw: Uint8Array): boolean {
  // Every value takes a byte and another one to end it.
  if (raw.length <= 2 * valuesMax) return false
  let values = 0
  let depth = 0
  let isInText = false
  for (let index = 0; index < raw.length && values <= valuesMax; index++) {
    const byte = raw[index]!
    if (byte === quote) isInText = !isInText
    else if (isInText) index += Number(byte === backslash)
    else if (byte === comma) values += 1
    else if (openings.has(byte)) values += Number(++depth <= depthCounted)
    else if (closings.has(byte)) depth -= 1
  }
  return values > valuesMax
}
