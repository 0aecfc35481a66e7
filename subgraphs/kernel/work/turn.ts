import { setImmediate as nextIteration } from 'node:timers/promises'

/** Bytes or characters. Smaller values block the event loop for less than one or two milliseconds. */
export const largeFrom = 262_144

let last: Promise<unknown> = Promise.resolve()

/**
 * Waits for an iteration of the event loop in which no other caller of this function runs. Work on a large value then blocks one
 * iteration only, and other requests run between two such pieces of work instead of waiting for all of them.
 */
export function ownEventLoopTurn(): Promise<unknown> {
  last = last.then(() => nextIteration())
  return last
}
