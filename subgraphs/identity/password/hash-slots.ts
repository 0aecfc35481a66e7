import { Refusal } from '../../kernel/errors.ts'

const runningMax = 2
const waitingMax = 200

let running = 0
const waiting: (() => void)[] = []

/**
 * Runs work that hashes a password. Each hash takes a core for tens of milliseconds and 19 MB: few run at once, whoever comes
 * when many wait is sent away, and all other requests keep being served.
 */
export async function inHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running < runningMax) running++
  else if (waiting.length >= waitingMax) {
    throw new Refusal('UNAVAILABLE', 'Too many people are signing in at once; try again.', { retryAfter: 1 })
  } else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
