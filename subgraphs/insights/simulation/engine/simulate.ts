import type { SimulationInput } from './input.ts'
import {
  addDeals,
  addNewPipeline,
  medianChanges,
  newSums,
  summarise,
  summariseMonths,
  type MonthSummary,
  type Summary,
} from './tasks.ts'

/** Numbers that one task may draw, so that a thread is free for another organization after a tenth of a second. */
export const drawsMax = 10_000_000
/** Deals for which the effect on the median is computed. */
export const mediansMax = 500

export interface Simulated {
  readonly summary: Summary
  readonly byMonth: readonly MonthSummary[]
  /** In the order of the deals of the input. */
  readonly means: readonly number[]
  readonly wonShares: readonly number[]
  /** Of the deals with the largest means; null for the others. */
  readonly medianChanges: readonly (number | null)[]
  readonly newPipelineMean: number
}

const tasks = { addDeals, addNewPipeline, summarise, summariseMonths, medianChanges }
export type Tasks = typeof tasks
export type TaskName = keyof Tasks

/** Runs one part of a simulation, here or in a worker thread. */
export type RunPart = <Name extends TaskName>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
) => ReturnType<Tasks[Name]> | Promise<ReturnType<Tasks[Name]>>

/** Runs every part in this thread. */
export const runHere: RunPart = (name, input) =>
  (tasks[name] as (given: typeof input) => ReturnType<Tasks[typeof name]>)(input)

interface Options {
  readonly run: RunPart
  /** Whether the effect of deals on the median is wanted. */
  readonly withMedians: boolean
  /** Called after each part with the number of numbers drawn. */
  readonly drawn?: (count: number) => Promise<void> | void
}

function partsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  )
}

/** The number of draws that `drawn` is told in all. */
export const drawsOf = (
  { deals, iterations }: Pick<SimulationInput, 'deals' | 'iterations'>,
  withMedians: boolean,
): number => (deals.length + (withMedians ? Math.min(mediansMax, deals.length) : 0)) * iterations

export async function simulate(
  input: SimulationInput,
  { run, withMedians, drawn = () => undefined }: Options,
): Promise<Simulated> {
  const { seed, iterations, correlation, slips, ratios, horizon, deals, newPipeline, target } = input
  const shared = { seed, iterations, correlation, slips, ratios, horizon }
  const sums = newSums(input)
  const size = Math.max(1, Math.floor(drawsMax / iterations))
  const means: number[] = []
  const wonShares: number[] = []
  for (const part of partsOf(deals, size)) {
    const of = await run('addDeals', { shared, deals: part, sums })
    means.push(...of.means)
    wonShares.push(...of.wonShares)
    await drawn(part.length * iterations)
  }
  let newPipelineMean = 0
  if (newPipeline)
    for (const month of horizon.monthEnds.keys())
      newPipelineMean += await run('addNewPipeline', { shared, newPipeline, month, sums })
  const summary = await run('summarise', { totals: sums.totals, target })
  const byMonth = await run('summariseMonths', { months: sums.months, iterations })
  const changes: (number | null)[] = deals.map(() => null)
  const largest = withMedians ? largestOf(means) : []
  for (const part of partsOf(largest, size)) {
    const of = await run('medianChanges', {
      shared,
      deals: part.map((index) => deals[index]!),
      totals: sums.totals,
      median: summary.p50,
    })
    for (const [at, index] of part.entries()) changes[index] = of[at]!
    await drawn(part.length * iterations)
  }
  return { summary, byMonth, means, wonShares, medianChanges: changes, newPipelineMean }
}

/** The deals with the largest means, in the order of the deals; among equal ones the first. */
const largestOf = (means: readonly number[]): number[] =>
  [...means.keys()]
    .toSorted((a, b) => means[b]! - means[a]! || a - b)
    .slice(0, mediansMax)
    .toSorted((a, b) => a - b)
