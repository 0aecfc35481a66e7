import type { Horizon, NewPipeline } from './input.ts'
import { normalQuantile } from './normal.ts'
import { fill, streamOf, uniformOf, wordRange } from './random.ts'

/** Up to so many expected deals in a month are drawn one by one; the sum of more is as good as normal. */
export const singleMax = 30
/** Smaller than the distance of two random numbers. */
const negligible = 1e-12

/**
 * Expected new deals that are won, by month of the horizon. Deals are created evenly from today to the end; those of one month are as
 * many as their cycles, begun on any of these days, end in it.
 */
export function expectedWins(horizon: Horizon, { dealsPerDay, probability, cycles }: NewPipeline): Float64Array {
  const { firstDay, lastDay, monthEnds } = horizon
  return Float64Array.from(monthEnds, (end, month) => {
    const begin = month === 0 ? firstDay : monthEnds[month - 1]! + 1
    const days = cycles.reduce(
      (sum, cycle) => sum + Math.max(0, Math.min(lastDay + 1, end + 1 - cycle) - Math.max(0, begin - cycle)),
      0,
    )
    return cycles.length === 0 ? 0 : (dealsPerDay * probability * days) / cycles.length
  })
}

/** Cumulative probabilities of 0, 1, 2 … deals, until the rest is negligible. */
function poissonLimits(mean: number): number[] {
  let share = Math.exp(-mean)
  let sum = share
  const limits = [sum]
  for (let count = 1; 1 - sum > negligible && count < 10 * singleMax; count++) {
    share *= mean / count
    sum += share
    limits.push(sum)
  }
  return limits
}

/** Adds what new deals of one month yield in each run. Each deal of a run has a stream of its own for its amount. */
export function addNewDeals(
  { seed, amounts }: { readonly seed: number; readonly amounts: Float64Array },
  month: number,
  expected: number,
  add: (run: number, amount: number) => void,
  iterations: number,
): void {
  if (expected <= 0 || amounts.length === 0) return
  const words = new Uint32Array(iterations)
  fill(streamOf(seed, 'new', month, 'count'), words)
  if (expected > singleMax) {
    const mean = amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length
    const square = amounts.reduce((sum, amount) => sum + amount * amount, 0) / amounts.length
    const deviation = Math.sqrt(expected * square)
    for (let run = 0; run < iterations; run++)
      add(run, Math.max(0, expected * mean + deviation * normalQuantile(uniformOf(words[run]!))))
    return
  }
  const limits = poissonLimits(expected)
  const counts = new Uint16Array(iterations)
  let most = 0
  for (let run = 0; run < iterations; run++) {
    const share = uniformOf(words[run]!)
    let count = 0
    while (count < limits.length && share >= limits[count]!) count++
    counts[run] = count
    most = Math.max(most, count)
  }
  for (let deal = 0; deal < most; deal++) {
    fill(streamOf(seed, 'new', month, deal), words)
    for (let run = 0; run < iterations; run++)
      if (counts[run]! > deal) add(run, amounts[Math.floor((words[run]! / wordRange) * amounts.length)]!)
  }
}
