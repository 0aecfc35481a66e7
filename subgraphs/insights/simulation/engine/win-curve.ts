import { normalDensity, normalDistribution, normalQuantile } from './normal.ts'

// The probability of winning a deal, given the state z of the market, which is the same for all deals of a run (one-factor Gaussian copula). The true
// win rate of the deal is uncertain: B follows Beta(p·n, (1−p)·n), where n is the evidence. As each deal draws its own B, it is integrated out:
// c(z) = E[Φ((Φ⁻¹(B) − √ρ·z) / √(1−ρ))]. The distribution of the runs is the same as with a draw of B, for one draw less.

/** Points of a table, equally spaced from `-zMax` to `zMax`. Between two points the curve is a line, beyond them constant. */
export const curvePoints = 513
export const zMax = 6
export const zStep = (2 * zMax) / (curvePoints - 1)
const middle = (curvePoints - 1) / 2

/** Steps of the fine grid between two values of Φ⁻¹(B), at which the integrand is summed. */
const stride = 4
/** Values of Φ⁻¹(B) reach from `-xMax` to `xMax`. */
const xMax = 9
/** From so many cases of the rarer outcome on, Φ⁻¹(B) is as good as normal, and the integral has a closed form. */
const manyCases = 100
/** Weights smaller than the largest one by this factor are left out. */
const negligible = 1e-13

/** The integral of a function that is a line between the points, under the normal distribution, is the sum of its values with these weights. */
const pointWeights: Float64Array = (() => {
  const antiderivative = (z: number): number => z * normalDistribution(z) + normalDensity(z)
  const at = (index: number): number => antiderivative((index - middle) * zStep)
  const weights = Float64Array.from(
    { length: curvePoints },
    (_, index) => (at(index + 1) - 2 * at(index) + at(index - 1)) / zStep,
  )
  const outside = (1 - weights.reduce((sum, weight) => sum + weight, 0)) / 2
  weights[0]! += outside
  weights[curvePoints - 1]! += outside
  return weights
})()

/** What does not depend on the deal, for one correlation. */
interface Grid {
  readonly correlation: number
  /** Nodes on each side of 0. */
  readonly reach: number
  /** ln Φ(x), ln Φ(−x) and ln φ(x) at the nodes. */
  readonly logBelow: Float64Array
  readonly logAbove: Float64Array
  readonly logDensity: Float64Array
  /** Φ(y / √(1−ρ)) on the fine grid, whose step is √ρ·zStep. */
  readonly won: Float64Array
  readonly wonMiddle: number
}

function gridOf(correlation: number): Grid {
  const fine = Math.sqrt(correlation) * zStep
  const node = stride * fine
  const reach = Math.ceil(xMax / node)
  const nodes = Float64Array.from({ length: 2 * reach + 1 }, (_, index) => (index - reach) * node)
  const wonMiddle = stride * reach + middle
  const scale = fine / Math.sqrt(1 - correlation)
  return {
    correlation,
    reach,
    logBelow: nodes.map((x) => Math.log(normalDistribution(x))),
    logAbove: nodes.map((x) => Math.log(normalDistribution(-x))),
    logDensity: nodes.map((x) => (-x * x) / 2),
    won: Float64Array.from({ length: 2 * wonMiddle + 1 }, (_, index) =>
      normalDistribution((index - wonMiddle) * scale),
    ),
    wonMiddle,
  }
}

/** The curve by summing over the nodes at which the density of Φ⁻¹(B) is not negligible. */
function integratedCurve(
  { reach, logBelow, logAbove, logDensity, won, wonMiddle }: Grid,
  p: number,
  n: number,
): Float64Array {
  const logs = logBelow.map((below, at) => (p * n - 1) * below + ((1 - p) * n - 1) * logAbove[at]! + logDensity[at]!)
  const largest = logs.reduce((most, log) => Math.max(most, log), -Infinity)
  const curve = new Float64Array(curvePoints)
  for (const [at, log] of logs.entries()) {
    const weight = Math.exp(log - largest)
    if (weight < negligible) continue
    const first = wonMiddle + stride * (at - reach) + middle
    for (let point = 0; point < curvePoints; point++) curve[point]! += weight * won[first - point]!
  }
  return curve
}

/** The curve for much evidence: with the variance of Φ⁻¹(B) by the delta method. */
function normalCurve({ correlation }: Grid, p: number, n: number): Float64Array {
  const x = normalQuantile(p)
  const variance = (p * (1 - p)) / n / normalDensity(x) ** 2
  const width = Math.sqrt(1 - correlation + variance)
  const slope = Math.sqrt(correlation) * zStep
  return Float64Array.from({ length: curvePoints }, (_, point) =>
    normalDistribution((x - (point - middle) * slope) / width),
  )
}

/** The tables of all deals of a run; deals with equal probability and evidence share one. */
export class WinCurves {
  readonly #grid: Grid | null
  readonly #curves = new Map<string, Float64Array>()

  /** With correlation 0 the curve is the constant p. */
  constructor(correlation: number) {
    this.#grid = correlation > 0 ? gridOf(correlation) : null
  }

  /** Probabilities of winning at the points, normalised so that their expectation is `p`. */
  of(p: number, n: number): Float64Array {
    const key = `${p}/${n}`
    const found = this.#curves.get(key)
    if (found) return found
    const curve =
      this.#grid && p > 0 && p < 1 ? this.#normalised(this.#grid, p, n) : new Float64Array(curvePoints).fill(p)
    this.#curves.set(key, curve)
    return curve
  }

  /** Above one half, the curve of the opposite outcome is computed: the density of a small B is exact on the whole grid that counts. */
  #normalised(grid: Grid, p: number, n: number): Float64Array {
    if (p > 0.5)
      return this.of(1 - p, n)
        .map((lost) => 1 - lost)
        .toReversed()
    const curve = p * n >= manyCases ? normalCurve(grid, p, n) : integratedCurve(grid, p, n)
    const expected = curve.reduce((sum, value, point) => sum + value * pointWeights[point]!, 0)
    return curve.map((value) => Math.min(1, (value * p) / expected))
  }
}

/** The expectation of a curve over the states of the market. */
export const expectationOf = (curve: Float64Array): number =>
  curve.reduce((sum, value, point) => sum + value * pointWeights[point]!, 0)
