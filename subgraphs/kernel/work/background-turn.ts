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

/**
 * Answers that have not begun, each in a place that is used again; those that have begun since are removed when somebody asks. A `Set` would not do: each table
 * that it outgrows holds its last entries and the next table, so that every minor collection of V8 would keep nearly all requests.
 */
const places: (Answer | null)[] = []
const freePlaces: number[] = []

/** Returns the function that ends the request, which must be called once. */
export function requestBegan(answer: Answer): () => void {
  const place = freePlaces.pop() ?? places.length
  places[place] = answer
  return () => {
    places[place] = null
    freePlaces.push(place)
  }
}

/** Streams and downloads do not count: their answers have begun. */
function isRequestWaiting(): boolean {
  for (const [place, answer] of places.entries()) {
    if (answer && !answer.headersSent) return true
    places[place] = null
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
