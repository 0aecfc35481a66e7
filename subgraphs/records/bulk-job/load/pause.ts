import { transientError } from '../../../kernel/database/transient-error.ts'
import { Refusal } from '../../../kernel/errors.ts'
import type { Outcome } from '../../../kernel/queue/queue.ts'

/** Pauses in a row: after ten of them, which grow, so many of five minutes that a job waits for a day. */
const [growingMax, pausesMax] = [10, 300]

/** Why a job cannot go on at the moment, such as a hook that does not answer. */
export const waitRefusal = (error: Error): Refusal => (error instanceof Refusal ? error : transientError(error)!)

/** Whether a job has waited for a day in vain, and fails. */
export const hasWaitedLong = ({ pauses }: { readonly pauses: number }): boolean => pauses >= pausesMax

/** The job waits to go on: at first for seconds, after ten attempts in a row for five minutes. */
export function waiting({ message, extensions }: Refusal, { pauses }: { readonly pauses: number }): Outcome {
  const retryAfterMs = Number(extensions.retryAfter ?? 0) * 1_000
  const afterMs = Math.max(retryAfterMs, pauses < growingMax ? Math.min(1_000 * 2 ** pauses, 60_000) : 300_000)
  return { retry: message, isWait: true, afterMs, result: { pauses: pauses + 1 } }
}
