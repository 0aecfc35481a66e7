import { monthOf, type Horizon, type SimulatedDeal, type SimulationInput } from './input.ts'
import { normalQuantile } from './normal.ts'
import { fill, streamOf, uniformOf, wordRange } from './random.ts'
import { curvePoints, WinCurves, zMax, zStep } from './win-curve.ts'

/** The part of the input that all deals share. */
export type SharedInput = Pick<SimulationInput, 'seed' | 'iterations' | 'correlation' | 'slips' | 'ratios' | 'horizon'>

/**
 * What each deal yields in each run. A deal and a run use one number of each of its streams, whether or not the deal is won, so that deals that
 * are added, left out or adjusted never change the numbers of other deals and runs: results of one seed differ by the adjustment only.
 */
export class DealRuns {
  readonly #input: SharedInput
  readonly #curves: WinCurves
  /** The state of the market in each run: the point of the curve below it, and the way to the next point. */
  readonly #points: Uint16Array
  readonly #ways: Float64Array
  readonly #wins: Uint32Array
  readonly #slips: Uint32Array
  readonly #ratios: Uint32Array
  readonly #limits = new Float64Array(curvePoints)
  readonly #slopes = new Float64Array(curvePoints)
  /** Of the deal that was looked at last: the runs in which it is won, its amounts and months. */
  readonly hits: { readonly runs: Uint32Array; readonly amounts: Float64Array; readonly months: Int16Array }

  constructor(input: SharedInput) {
    const { seed, iterations, correlation } = input
    this.#input = input
    this.#curves = new WinCurves(correlation)
    this.#wins = new Uint32Array(iterations)
    this.#slips = new Uint32Array(iterations)
    this.#ratios = new Uint32Array(iterations)
    this.hits = {
      runs: new Uint32Array(iterations),
      amounts: new Float64Array(iterations),
      months: new Int16Array(iterations),
    }
    this.#points = new Uint16Array(iterations)
    this.#ways = new Float64Array(iterations)
    if (correlation === 0) return
    const shocks = new Uint32Array(iterations)
    fill(streamOf(seed, 'market'), shocks)
    for (let run = 0; run < iterations; run++) {
      const z = normalQuantile(uniformOf(shocks[run]!))
      const place = Math.min(Math.max((z + zMax) / zStep, 0), curvePoints - 1)
      const point = Math.min(Math.floor(place), curvePoints - 2)
      this.#points[run] = point
      this.#ways[run] = place - point
    }
  }

  /** Finds the runs in which the deal is won within the horizon; returns their number. They are in `hits` until the next call. */
  of(deal: SimulatedDeal): number {
    const { seed, slips: lists, ratios, horizon } = this.#input
    const { id, amount, probability } = deal
    const slips = lists[deal.slip]!
    const months = monthsOf(horizon, deal, slips)
    if (probability <= 0 || amount === 0 || months.every((month) => month < 0)) return 0
    const won = this.#won(deal)
    const slipWords = this.#words('slip', seed, id, slips.length)
    const ratioWords = this.#words('ratio', seed, id, ratios.length)
    const { runs, amounts, months: found } = this.hits
    let count = 0
    for (let hit = 0; hit < won; hit++) {
      const run = runs[hit]!
      const month = months[slipWords ? Math.floor((slipWords[run]! / wordRange) * slips.length) : 0]!
      runs[count] = run
      found[count] = month
      amounts[count] = ratioWords
        ? amount * ratios[Math.floor((ratioWords[run]! / wordRange) * ratios.length)]!
        : amount
      if (month >= 0) count++
    }
    return count
  }

  /** The numbers of a stream of the deal, one for each run; null if there is nothing to choose. */
  #words(name: 'slip' | 'ratio', seed: number, id: string, choices: number): Uint32Array | null {
    if (choices <= 1) return null
    const words = name === 'slip' ? this.#slips : this.#ratios
    fill(streamOf(seed, id, name), words)
    return words
  }

  /** Puts the runs in which the deal is won, at any time, into `hits`. The processor cannot guess the outcomes, so the loop has no branch. */
  #won({ id, probability, evidence }: SimulatedDeal): number {
    const [wins, points, ways, limits, slopes] = [this.#wins, this.#points, this.#ways, this.#limits, this.#slopes]
    fill(streamOf(this.#input.seed, id, 'win'), wins)
    const curve = this.#curves.of(probability, evidence)
    for (let point = 0; point < curvePoints; point++) limits[point] = curve[point]! * wordRange
    for (let point = 0; point < curvePoints - 1; point++) slopes[point] = limits[point + 1]! - limits[point]!
    const { runs } = this.hits
    let count = 0
    for (let run = 0; run < wins.length; run++) {
      const point = points[run]!
      runs[count] = run
      count += wins[run]! < limits[point]! + slopes[point]! * ways[run]! ? 1 : 0
    }
    return count
  }
}

/** The month in which the deal closes, for each slip; -1 outside of the horizon. No deal closes before today. */
const monthsOf = (horizon: Horizon, { closeDay, pace }: SimulatedDeal, slips: Float64Array): Int16Array =>
  Int16Array.from(slips, (slip) => monthOf(horizon, Math.max(0, Math.round(Math.max(0, closeDay + slip) * pace))))
