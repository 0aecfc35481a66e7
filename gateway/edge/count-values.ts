/** Parsing, checking and storing this many values takes about as long as one request may block the event loop. */
export const valuesMax = 15_000
/** Members of the outermost object. No operation has nearly as many fields, and each unknown field costs an error entry. */
export const membersMax = 1_000

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const brace = 0x7b
const openings: ReadonlySet<number> = new Set([0x5b, brace])
const closings: ReadonlySet<number> = new Set([0x5d, 0x7d])
/** Deeper values are not counted, because a later check refuses such deep nesting. */
const countedDepthMax = 64

/** Whether JSON text has more than `valuesMax` values or `membersMax` outermost members. It counts bytes, without parsing. */
export function hasTooManyValues(raw: Uint8Array): boolean {
  // A value takes at least one byte and one delimiter; a member with its name takes at least four bytes.
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
      values += Number(++depth <= countedDepthMax)
    } else if (closings.has(byte)) depth -= 1
  }
  return values > valuesMax || members > membersMax
}
