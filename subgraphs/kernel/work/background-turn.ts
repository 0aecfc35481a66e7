import { setTimeout as delay } from 'node:timers/promises'
import { isTurnOver, nextTurn } from './turn.ts'

/** The time that work in the background may use in one iteration of the event loop: much less than the time of a request. */
const turnMs = 2
/** So long such work waits for requests, so that it has a fifth of the time under any load. */
const waitMsMax = 8

/** The answer of a request, as far as this file needs it. */
interface Answer {
  readonly headersSent: boolean
}

/** Answers that have not begun; those that have begun since are removed when somebody asks. */
const awaited = new Set<Answer>()

export const requestBegan = (answer: Answer): void => void awaited.add(answer)
export const requestEnded = (answer: Answer): void => void awaited.delete(answer)

/** Streams and downloads do not count: their answers have begun. */
function isRequestWaiting(): boolean {
  for (const answer of awaited) {
    if (!answer.headersSent) return true
    awaited.delete(answer)
  }
  return false
}

/**
 * Lets requests run before work for which no request waits, such as the rows of a bulk job. Such work calls it between small pieces: after a turn of two
 * milliseconds it continues when no request waits for its answer, or after a short time.
 */
export async function giveWay(organizationId: string): Promise<void> {
  if (!isTurnOver(turnMs)) return
  const endMs = performance.now() + waitMsMax
  while (isRequestWaiting() && performance.now() < endMs) await delay(1)
  await nextTurn(organizationId)
}
