import { Refusal } from '../errors.ts'
import { usualLimits } from '../operation-limits.ts'
import { isJsonLargerThan } from './json-size.ts'

/** Maximum bytes of JSON in the answer to one operation, and in the part that one subgraph contributes. */
export const answerBytesMax = usualLimits.answerBytes
/** Maximum bytes of rows read for one operation. Twice the answer, because the JSON text of PostgreSQL contains spaces that answers omit. */
export const rowBytesMax = 2 * answerBytesMax

const advice = 'Request fewer records or fields.'

export const rowsTooLarge = (): Refusal =>
  new Refusal('ANSWER_TOO_LARGE', `The rows that an operation reads must have at most ${rowBytesMax} bytes. ${advice}`)

/** A refusal when the answer would be too large, otherwise null. Decided before the JSON is built. */
export function refusalOfSize(answer: unknown, bytesMax = answerBytesMax): Refusal | null {
  if (!isJsonLargerThan(answer, bytesMax)) return null
  return new Refusal('ANSWER_TOO_LARGE', `The answer must have at most ${bytesMax} bytes. ${advice}`)
}

/** Like `refusalOfSize`, for a mutation that has already been committed. */
export function refusalOfSizeWhenDone(answer: unknown, bytesMax = answerBytesMax): Refusal | null {
  if (!isJsonLargerThan(answer, bytesMax)) return null
  const message = `The mutation has been executed, but its answer must have at most ${bytesMax} bytes. Read the changed records with fewer fields.`
  return new Refusal('ANSWER_TOO_LARGE', message)
}
