import { Refusal } from '../errors.ts'

const retryMin = 1
const retryMax = 3600

/** The model does not answer at the moment; the same request may succeed later. */
export function modelUnavailable(reason: string, retryAfter = 5): Refusal {
  const wait = Math.min(Math.max(Math.ceil(retryAfter) || retryMin, retryMin), retryMax)
  return new Refusal('UNAVAILABLE', `The language model ${reason}; retry in ${wait} s.`, { retryAfter: wait })
}

/** The model answered something that cannot be used. */
export const modelFailed = (reason: string): Refusal => new Refusal('MODEL_FAILED', `The language model ${reason}.`)

const withoutAnswer: ReadonlySet<string> = new Set(['UNAVAILABLE', 'MODEL_FAILED', 'TOKEN_LIMIT_REACHED'])

/** Whether fixed rules can answer instead: the model does not answer, its answer cannot be used, or its tokens are used up. Limits of calls hold for rules, too. */
export const hasNoAnswer = (error: unknown): error is Refusal =>
  error instanceof Refusal && withoutAnswer.has(error.code)
