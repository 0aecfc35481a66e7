/** Parsing, checking and storing this many values takes about as long as one request may block the event loop. */
export const valuesMax = 15_000
/** Members of the outermost object. No operation has nearly as many fields, and each unknown field costs an error entry. */
export const membersMax = 1_000

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const brace = 0x7b
const braceEnd = 0x7d
const bracket = 0x5b
const bracketEnd = 0x5d
/** Deeper values are not counted, because a later check refuses such deep nesting. */
const countedDepthMax = 64

/** From so many plain characters on, a search for the end of a text is faster than a loop. */
const searchedFrom = 64

/** The index of the quote that ends the text which begins at `start`; the length if none does. */
function endOfText(raw: Uint8Array, start: number): number {
  let plain = 0
  for (let index = start + 1; index < raw.length; index++) {
    const byte = raw[index]!
    if (byte === quote) return index
    plain = byte === backslash ? 0 : plain + 1
    if (byte === backslash) index += 1
    if (plain < searchedFrom) continue
    const close = raw.indexOf(quote, index + 1)
    if (close < 0) return raw.length
    let first = close
    while (first > index + 1 && raw[first - 1] === backslash) first--
    if ((close - first) % 2 === 0) return close
    index = close
    plain = 0
  }
  return raw.length
}

/** Whether JSON text has more than `valuesMax` values or `membersMax` outermost members. It counts bytes, without parsing. */
export function hasTooManyValues(raw: Uint8Array): boolean {
  // A value takes at least one byte and one delimiter; a member with its name takes at least four bytes.
  if (raw.length <= 4 * membersMax) return false
  let values = 0
  let members = 1
  let isObject = false
  let depth = 0
  for (let index = 0; index < raw.length && values <= valuesMax && members <= membersMax; index++) {
    const byte = raw[index]!
    if (byte === quote) index = endOfText(raw, index)
    else if (byte === comma) {
      values += 1
      if (depth === 1 && isObject) members += 1
    } else if (byte === brace || byte === bracket) {
      if (depth === 0) isObject = byte === brace
      values += Number(++depth <= countedDepthMax)
    } else if (byte === braceEnd || byte === bracketEnd) depth -= 1
  }
  return values > valuesMax || members > membersMax
}
