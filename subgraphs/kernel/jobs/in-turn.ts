import { Failures } from './failures.ts'

/**
 * Calls `step` for one item after the other, round after round, until it has returned false for each of them: an organization with much
 * work does not delay the others. An item whose step fails has no further turn; the errors are thrown together at the end. After
 * `until`, a time of `performance.now()`, no second round begins.
 */
export async function inTurn<T>(
  items: readonly T[],
  step: (item: T) => Promise<boolean>,
  { until = Infinity, failures = new Failures() }: { until?: number; failures?: Failures } = {},
): Promise<void> {
  let waiting = items
  do {
    const unfinished: T[] = []
    for (const item of waiting) if (await failures.catch(step(item))) unfinished.push(item)
    waiting = unfinished
  } while (waiting.length > 0 && performance.now() <= until)
  failures.throwTogether()
}
