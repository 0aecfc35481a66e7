import type { NewPipeline, SimulatedDeal, SimulationInput } from './input.ts'
import { addNewDeals, expectedWins } from './new-deals.ts'
import { histogramOf, rankOf, select, type Bar } from './order-statistics.ts'
import { DealRuns, type SharedInput } from './runs.ts'

// The parts of a simulation, each short enough for one task of a worker thread. The sums are memory that the threads share, and the parts
// run one after another, so that the order of every addition is that of the ids.

/** Sums of all deals so far. */
export interface Sums {
  /** By run. */
  readonly totals: Float64Array<SharedArrayBuffer>
  /** By month, then by run. */
  readonly months: Float64Array<SharedArrayBuffer>
}

const shared = (length: number) => new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT))

/** Sums that contain what is won already. */
export function newSums({ iterations, won }: Pick<SimulationInput, 'iterations' | 'won'>): Sums {
  const sums = { totals: shared(iterations), months: shared(iterations * won.length) }
  sums.totals.fill(won.reduce((sum, amount) => sum + amount, 0))
  for (const [month, amount] of won.entries()) sums.months.fill(amount, month * iterations, (month + 1) * iterations)
  return sums
}

export interface DealsPart {
  readonly shared: SharedInput
  readonly deals: readonly SimulatedDeal[]
  readonly sums: Sums
}

/** What deals yield on average over the runs, and in which share of the runs they are won within the horizon. */
export interface DealMeans {
  readonly means: Float64Array
  readonly wonShares: Float64Array
}

/** Adds the deals to the sums. */
export function addDeals({ shared: input, deals, sums: { totals, months } }: DealsPart): DealMeans {
  const { iterations } = input
  const runs = new DealRuns(input)
  const means = new Float64Array(deals.length)
  const wonShares = new Float64Array(deals.length)
  for (const [index, deal] of deals.entries()) {
    const count = runs.of(deal)
    let sum = 0
    for (let hit = 0; hit < count; hit++) {
      const run = runs.hits.runs[hit]!
      const amount = runs.hits.amounts[hit]!
      totals[run]! += amount
      months[runs.hits.months[hit]! * iterations + run]! += amount
      sum += amount
    }
    means[index] = sum / iterations
    wonShares[index] = count / iterations
  }
  return { means, wonShares }
}

export interface NewDealsPart {
  readonly shared: SharedInput
  readonly newPipeline: NewPipeline
  readonly month: number
  readonly sums: Sums
}

/** Adds the new deals of one month to the sums; returns their mean. */
export function addNewPipeline({ shared: input, newPipeline, month, sums: { totals, months } }: NewDealsPart): number {
  const { seed, iterations, horizon } = input
  const { amounts } = newPipeline
  let sum = 0
  const add = (run: number, amount: number): void => {
    totals[run]! += amount
    months[month * iterations + run]! += amount
    sum += amount
  }
  addNewDeals({ seed, amounts }, month, expectedWins(horizon, newPipeline)[month]!, add, iterations)
  return sum / iterations
}

const percents = [5, 10, 25, 50, 75, 90, 95] as const
export type Percentiles = Readonly<Record<`p${(typeof percents)[number]}`, number>>

export interface Summary extends Percentiles {
  readonly mean: number
  readonly stdDev: number
  readonly min: number
  readonly max: number
  readonly probabilityOfTarget: number | null
  readonly histogram: readonly Bar[]
}

export interface MonthSummary {
  readonly mean: number
  readonly p10: number
  readonly p50: number
  readonly p90: number
}

const barsMax = 20

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The distribution of the totals. */
export function summarise({
  totals,
  target,
}: {
  readonly totals: Float64Array
  readonly target: number | null
}): Summary {
  const sorted = Float64Array.from(totals).sort()
  const count = sorted.length
  // Values that are all equal must not differ from their mean by rounding.
  const mean = sorted[0] === sorted[count - 1] ? sorted[0]! : meanOf(totals)
  const variance = totals.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count
  return {
    mean,
    stdDev: Math.sqrt(variance),
    ...(Object.fromEntries(percents.map((percent) => [`p${percent}`, sorted[rankOf(percent, count)]!])) as Percentiles),
    min: sorted[0]!,
    max: sorted[count - 1]!,
    probabilityOfTarget: target === null ? null : sorted.filter((value) => value >= target).length / count,
    histogram: histogramOf(sorted, barsMax),
  }
}

/** The distribution of each month. */
export function summariseMonths({
  months,
  iterations,
}: {
  readonly months: Float64Array
  readonly iterations: number
}): MonthSummary[] {
  return Array.from({ length: months.length / iterations }, (_, month) => {
    const sorted = months.slice(month * iterations, (month + 1) * iterations)
    const mean = meanOf(sorted)
    sorted.sort()
    const at = (percent: number): number => sorted[rankOf(percent, iterations)]!
    return { mean, p10: at(10), p50: at(50), p90: at(90) }
  })
}

/** By how much the median would be lower without each of these deals. */
export function medianChanges({
  shared: input,
  deals,
  totals,
  median,
}: {
  readonly shared: SharedInput
  readonly deals: readonly SimulatedDeal[]
  readonly totals: Float64Array
  readonly median: number
}): number[] {
  const runs = new DealRuns(input)
  const without = new Float64Array(totals.length)
  const rank = rankOf(50, totals.length)
  return deals.map((deal) => {
    without.set(totals)
    const count = runs.of(deal)
    for (let hit = 0; hit < count; hit++) without[runs.hits.runs[hit]!]! -= runs.hits.amounts[hit]!
    return median - select(without, rank)
  })
}
