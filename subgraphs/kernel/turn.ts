import { setImmediate as nextRound } from 'node:timers/promises'

/** What is smaller takes the event loop for less than a millisecond or two. */
export const largeFrom = 262_144

let last: Promise<unknown> = Promise.resolve()

/**
 * Resolves in a round of the event loop of its own: whoever then works on something large is alone in it. Between two of them
 * everything that is ready goes on, so the requests of others wait for one such piece and not for all that have arrived.
 */
export function ownTurn(): Promise<unknown> {
  last = last.then(() => nextRound())
  return last
}
