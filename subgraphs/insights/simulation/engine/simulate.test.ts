import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { NewPipeline, SimulatedDeal, SimulationInput } from './input.ts'
import { addNewDeals, expectedWins, singleMax } from './new-deals.ts'
import { drawsMax, drawsOf, mediansMax, runHere, simulate, type Simulated } from './simulate.ts'
import { expectationOf, WinCurves } from './win-curve.ts'

const noSlip = Float64Array.of(0)
const stageShares = [0.1, 0.2, 0.35, 0.55, 0.8]

const aDeal = (index: number, values: Partial<SimulatedDeal> = {}): SimulatedDeal => ({
  id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  amount: 1000 + 137 * index,
  probability: stageShares[index % stageShares.length]!,
  evidence: 20 + (index % 40),
  closeDay: index % 60,
  pace: 1,
  slip: 0,
  ...values,
})

const anInput = (values: Partial<SimulationInput> = {}): SimulationInput => ({
  seed: 1,
  iterations: 10_000,
  correlation: 0.15,
  deals: Array.from({ length: 40 }, (_, index) => aDeal(index)),
  slips: [noSlip],
  ratios: Float64Array.of(1),
  horizon: { firstDay: 0, lastDay: 90, monthEnds: [27, 58, 88, 90] },
  won: new Float64Array(4),
  newPipeline: null,
  target: null,
  ...values,
})

const run = (input: SimulationInput, withMedians = false): Promise<Simulated> =>
  simulate(input, { run: runHere, withMedians })

const sumOf = (values: Iterable<number>): number => [...values].reduce((sum, value) => sum + value, 0)
const digest = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value, (_, one: unknown) => (one instanceof Float64Array ? [...one] : one)))
    .digest('hex')

describe('the distribution of independent deals', () => {
  it.each([0, 1, 7, 2 ** 31 - 1])('has the analytic mean and variance with the seed %i', async (seed) => {
    const input = anInput({ seed, correlation: 0, iterations: 100_000 })
    const { summary } = await run(input)
    const mean = sumOf(input.deals.map(({ amount, probability: p }) => p * amount))
    const variance = sumOf(input.deals.map(({ amount, probability: p }) => p * (1 - p) * amount ** 2))
    const fourth = sumOf(
      input.deals.map(({ amount, probability: p }) => p * (1 - p) * (1 - 6 * p * (1 - p)) * amount ** 4),
    )
    const standardError = Math.sqrt(variance / input.iterations)
    // The variance of an estimated variance is (κ₄ + 2σ⁴)/n.
    const errorOfVariance = Math.sqrt((fourth + 2 * variance ** 2) / input.iterations)
    expect(Math.abs(summary.mean - mean) / standardError).toBeLessThan(4)
    expect(Math.abs(summary.stdDev ** 2 - variance) / errorOfVariance).toBeLessThan(4)
  })

  it('has amounts times a ratio, and days late, of the past', async () => {
    const ratios = Float64Array.of(0.5, 1, 1.2)
    const slips = [Float64Array.of(-5, 0, 20, 200)]
    const deals = [aDeal(1, { probability: 1, amount: 900, closeDay: 10 })]
    const { summary, byMonth, wonShares } = await run(
      anInput({ correlation: 0, deals, ratios, slips, iterations: 90_000 }),
    )
    // Three of four delays are within the horizon; the mean of the ratios is 0.9.
    expect(Math.abs(wonShares[0]! - 0.75)).toBeLessThan(4 * Math.sqrt((0.75 * 0.25) / 90_000))
    expect(Math.abs(summary.mean - 900 * 0.9 * 0.75)).toBeLessThan(4 * Math.sqrt((900 ** 2 * 0.26) / 90_000))
    expect(sumOf(byMonth.map(({ mean }) => mean))).toBeCloseTo(summary.mean, 6)
    // 5 and 10 days from today are in the first month, 30 in the second.
    expect(byMonth[0]!.mean / byMonth[1]!.mean).toBeCloseTo(2, 0)
    expect(byMonth.slice(2).map(({ mean }) => mean)).toEqual([0, 0])
  })
})

describe('the distribution of correlated deals', () => {
  it('has the same mean and is wider', async () => {
    const [one, other] = [await run(anInput({ correlation: 0 })), await run(anInput())]
    const mean = sumOf(anInput().deals.map(({ amount, probability }) => amount * probability))
    expect(Math.abs(other.summary.mean - mean)).toBeLessThan(4 * (other.summary.stdDev / 100))
    expect(other.summary.stdDev / one.summary.stdDev).toBeGreaterThan(1.3)
  })

  it.each([
    [1e-6, 20],
    [0.01, 20],
    [0.3, 57],
    [0.5, 5000],
    [0.999, 400],
  ])('wins a deal with probability %f and evidence %i exactly so often on average', (probability, evidence) => {
    const curve = new WinCurves(0.15).of(probability, evidence)
    expect(expectationOf(curve)).toBeCloseTo(probability, 12)
    for (const [point, share] of curve.entries())
      if (point > 0) expect(share).toBeLessThanOrEqual(curve[point - 1]! + 1e-12)
  })

  it('does not depend on which of the two ways computes the integral', () => {
    const curves = new WinCurves(0.15)
    const [below, above] = [curves.of(0.4, 249), curves.of(0.4, 251)]
    for (const [point, share] of below.entries()) expect(Math.abs(share - above[point]!)).toBeLessThan(1e-3)
  })
})

describe('common random numbers', () => {
  it('do not change when other deals are left out, added or adjusted', async () => {
    const whole = await run(anInput())
    const without = await run(anInput({ deals: anInput().deals.filter((_, index) => index !== 3) }))
    const adjusted = await run(
      anInput({ deals: anInput().deals.map((deal, index) => (index === 3 ? { ...deal, probability: 0.9 } : deal)) }),
    )
    expect(without.means).toEqual(whole.means.filter((_, index) => index !== 3))
    expect(adjusted.means.filter((_, index) => index !== 3)).toEqual(without.means)
    expect(adjusted.means[3]!).toBeGreaterThan(whole.means[3]!)
  })

  it('make the difference of two scenarios vary less than that of two seeds', async () => {
    const more = anInput().deals.map((deal, index) =>
      index % 5 === 4 ? { ...deal, probability: deal.probability * 1.1 } : deal,
    )
    const differences = { common: [] as number[], own: [] as number[] }
    for (let seed = 1; seed <= 12; seed++) {
      const base = (await run(anInput({ seed, iterations: 1000 }))).summary.mean
      differences.common.push((await run(anInput({ seed, iterations: 1000, deals: more }))).summary.mean - base)
      differences.own.push(
        (await run(anInput({ seed: seed + 100, iterations: 1000, deals: more }))).summary.mean - base,
      )
    }
    const deviation = (values: number[]): number => {
      const mean = sumOf(values) / values.length
      return Math.sqrt(sumOf(values.map((value) => (value - mean) ** 2)) / values.length)
    }
    expect(deviation(differences.own) / deviation(differences.common)).toBeGreaterThan(4)
  })
})

describe('a result', () => {
  it('is the same in every digit whenever it is computed', async () => {
    const input = anInput({ iterations: 20_000, slips: [Float64Array.of(0, 5, 40)], ratios: Float64Array.of(0.8, 1) })
    const once = await run(input, true)
    expect(await run(input, true)).toEqual(once)
    expect(digest(once)).toBe('a0f3e42b51604814a1e5c818e39a3fdff1d75f8daf60d848d540762e6d1fc680')
  })

  it('has a mean that is the sum of the contributions, of new deals and of what is won', async () => {
    const newPipeline: NewPipeline = {
      dealsPerDay: 0.4,
      probability: 0.25,
      amounts: Float64Array.of(500, 1500),
      cycles: Float64Array.of(10, 40),
    }
    const won = Float64Array.of(7000, 0, 100, 0)
    const { summary, means, newPipelineMean, byMonth } = await run(anInput({ newPipeline, won }))
    expect(sumOf(means) + newPipelineMean + 7100).toBeCloseTo(summary.mean, 6)
    expect(sumOf(byMonth.map(({ mean }) => mean))).toBeCloseTo(summary.mean, 6)
    const wins = sumOf(expectedWins(anInput().horizon, newPipeline))
    // 81 days for cycles of 10 days and 51 for those of 40 days, of 91.
    expect(wins).toBeCloseTo((0.4 * 0.25 * (81 + 51)) / 2, 10)
    expect(Math.abs(newPipelineMean - wins * 1000)).toBeLessThan(4 * Math.sqrt((wins * 1_250_000) / 10_000))
  })

  it('has percentiles by the nearest rank, and a histogram of all runs', async () => {
    const deals = [aDeal(1, { probability: 0.5, amount: 100 }), aDeal(2, { probability: 0.5, amount: 1000 })]
    const { summary } = await run(anInput({ deals, correlation: 0, target: 1000 }))
    const { p5, p75, p95, min, max, histogram, probabilityOfTarget } = summary
    // Half of the runs have 1000 or 1100, a quarter each; so the 75th percentile is one of them, and the 5th and 95th are certain.
    expect([p5, p95, min, max]).toEqual([0, 1100, 0, 1100])
    expect([1000, 1100]).toContain(p75)
    expect(histogram).toHaveLength(20)
    expect([histogram[0]!.from, histogram.at(-1)!.to]).toEqual([0, 1100])
    expect(sumOf(histogram.map(({ count }) => count))).toBe(10_000)
    expect(probabilityOfTarget).toBe(sumOf(histogram.slice(18).map(({ count }) => count)) / 10_000)
  })

  it('of no deals is zero, with one bar of width 1', async () => {
    const { summary, byMonth, means, medianChanges, newPipelineMean } = await run(
      anInput({ deals: [], target: 1 }),
      true,
    )
    const zeros = { mean: 0, stdDev: 0, p5: 0, p10: 0, p25: 0, p50: 0, p75: 0, p90: 0, p95: 0, min: 0, max: 0 }
    expect(summary).toEqual({ ...zeros, probabilityOfTarget: 0, histogram: [{ from: 0, to: 1, count: 10_000 }] })
    expect(byMonth).toEqual(Array.from({ length: 4 }, () => ({ mean: 0, p10: 0, p50: 0, p90: 0 })))
    expect([means, medianChanges, newPipelineMean]).toEqual([[], [], 0])
  })

  it('of certain deals is a constant, and no number is not finite', async () => {
    const deals = [
      aDeal(1, { probability: 1, amount: 0.1 }),
      aDeal(2, { probability: 1, amount: 0.2 }),
      aDeal(3, { probability: 0, amount: 5 }),
      aDeal(4, { probability: 1, amount: 7, closeDay: 91 }),
    ]
    const { summary, means } = await run(anInput({ deals }))
    expect(summary).toMatchObject({ mean: 0.1 + 0.2, stdDev: 0, min: 0.1 + 0.2, max: 0.1 + 0.2 })
    expect(means.map((mean) => Number(mean.toFixed(9)))).toEqual([0.1, 0.2, 0, 0])
    for (const probability of [1e-6, 1 - 1e-6])
      for (const evidence of [20, 1_000_000])
        expect(
          Number.isFinite((await run(anInput({ deals: [aDeal(1, { probability, evidence })] }))).summary.mean),
        ).toBe(true)
  })

  it('has for each deal by how much the median would be lower without it', async () => {
    const input = anInput()
    const { medianChanges, summary } = await run(input, true)
    for (const index of [0, 17, 39]) {
      const without = await run({ ...input, deals: input.deals.filter((_, at) => at !== index) })
      expect(medianChanges[index]!).toBeCloseTo(summary.p50 - without.summary.p50, 6)
    }
  })

  it('has the effect on the median of the deals that contribute most only, and parts of bounded size', async () => {
    const input = anInput({
      iterations: 1000,
      deals: Array.from({ length: mediansMax + 3 }, (_, index) => aDeal(index)),
    })
    const sizes: number[] = []
    const { medianChanges, means } = await simulate(input, {
      run: runHere,
      withMedians: true,
      drawn: (count) => void sizes.push(count),
    })
    const least = means.toSorted((a, b) => a - b)[3]!
    expect(medianChanges.map((change) => change === null)).toEqual(means.map((mean) => mean < least))
    expect(sumOf(sizes)).toBe(drawsOf(input, true))
    const long = anInput({
      iterations: 100_000,
      deals: Array.from({ length: 150 }, (_, index) => aDeal(index, { probability: 0 })),
    })
    const parts: number[] = []
    await simulate(long, { run: runHere, withMedians: false, drawn: (count) => void parts.push(count) })
    expect(parts).toEqual([drawsMax, drawsMax / 2])
  })
})

describe('new deals of a month', () => {
  it.each([0.3, 5, singleMax, singleMax + 1, 400])(
    'have the mean and the variance of a compound Poisson process (%f)',
    (expected) => {
      const iterations = 50_000
      const totals = new Float64Array(iterations)
      const amounts = Float64Array.of(100, 300)
      addNewDeals({ seed: 3, amounts }, 0, expected, (run, amount) => void (totals[run]! += amount), iterations)
      const mean = sumOf(totals) / iterations
      const variance = sumOf(totals.map((total) => (total - mean) ** 2)) / iterations
      expect(Math.abs(mean - expected * 200)).toBeLessThan(4 * Math.sqrt((expected * 50_000) / iterations))
      expect(variance / (expected * 50_000)).toBeCloseTo(1, 1)
    },
  )
})
