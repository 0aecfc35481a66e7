import { Refusal } from './errors.ts'
import { isJsonLargerThan } from './json-size.ts'

/** Most bytes of JSON in the answer to one operation, and in what one subgraph adds to it. */
export const answerBytesMax = 4_194_304
/** Most bytes of rows that are read for one operation: as texts of PostgreSQL, whose JSON has spaces that answers do not have. */
export const rowBytesMax = 2 * answerBytesMax

const tooMuch = 'Ask for fewer records or fields at once.'

export const rowsTooLarge = (): Refusal =>
  new Refusal('ANSWER_TOO_LARGE', `The operation reads more than ${rowBytesMax} bytes. ${tooMuch}`)

/** The refusal of an answer that would be too large, found before it is built; null for any other. */
export function refusalOfSize(answer: unknown): Refusal | null {
  if (!isJsonLargerThan(answer, answerBytesMax)) return null
  return new Refusal('ANSWER_TOO_LARGE', `The answer has more than ${answerBytesMax} bytes. ${tooMuch}`)
}

/** The same of a mutation that was carried out. */
export function refusalOfSizeWhenDone(answer: unknown): Refusal | null {
  if (!isJsonLargerThan(answer, answerBytesMax)) return null
  const message = `The mutation was carried out, but its answer has more than ${answerBytesMax} bytes. Read what it wrote with fewer fields.`
  return new Refusal('ANSWER_TOO_LARGE', message)
}
