/** What was known of an account, with the base rate as the first value, and whether it churned afterwards. */
export interface Example {
  /** The first day of the month in which it was observed. */
  readonly month: string
  readonly accountId: string
  /** 1 and the values of the signals, 0 where there are no data. */
  readonly x: readonly number[]
  readonly churned: boolean
}

/** Months after an observation within which an account counts as churned. */
export const outcomeMonths = 3
export const churnedMin = 50
export const testedMin = 100
/** Churned accounts, and others, that a test and what comes before it have at least. */
const outcomesMin = 10
/** Keeps weights finite, and near the start where the examples say little: a deviation of 1 costs as much as half a unit of log-likelihood. */
const ridge = 1
const roundsMax = 50
const weightMax = 10

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z))
const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, index) => sum + value * b[index]!, 0)

export const predicted = (weights: readonly number[], x: readonly number[]): number => sigmoid(dot(weights, x))

/** Solves a symmetric positive definite system by elimination. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length
  const rows = matrix.map((row, index) => [...row, right[index]!])
  for (let pivot = 0; pivot < size; pivot++)
    for (let row = pivot + 1; row < size; row++) {
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!
      for (let column = pivot; column <= size; column++) rows[row]![column]! -= factor * rows[pivot]![column]!
    }
  const solution = Array.from({ length: size }, () => 0)
  for (let row = size - 1; row >= 0; row--) {
    const known = rows[row]!.slice(row + 1, size).reduce((sum, value, at) => sum + value * solution[row + 1 + at]!, 0)
    solution[row] = (rows[row]![size]! - known) / rows[row]![row]!
  }
  return solution
}

/** Logistic regression towards the start weights, by Newton's method: the same examples in the same order give the same weights. */
export function fitted(examples: readonly Example[], start: readonly number[]): number[] {
  const weights = [...start]
  const size = start.length
  for (let round = 0; round < roundsMax; round++) {
    const gradient = weights.map((weight, index) => ridge * (weight - start[index]!))
    const hessian = Array.from({ length: size }, (_, row) =>
      Array.from({ length: size }, (__, column) => (row === column ? ridge : 0)),
    )
    for (const { x, churned } of examples) {
      const p = predicted(weights, x)
      const spread = p * (1 - p)
      for (let row = 0; row < size; row++) {
        if (x[row] === 0) continue
        gradient[row]! += (p - Number(churned)) * x[row]!
        for (let column = 0; column < size; column++) hessian[row]![column]! += spread * x[row]! * x[column]!
      }
    }
    const step = solved(hessian, gradient)
    // A long step may overshoot, because the curve is flat far from the optimum.
    const length = Math.max(...step.map(Math.abs))
    const scale = length > 1 ? 1 / length : 1
    for (let index = 0; index < size; index++) weights[index]! -= scale * step[index]!
    if (length < 1e-9) break
  }
  return weights.map((weight) => Math.round(Math.min(weightMax, Math.max(-weightMax, weight)) * 10_000) / 10_000)
}

/** Squared errors of predictions, one for each example. */
const errorsOf = (weights: readonly number[], examples: readonly Example[]): number[] =>
  examples.map(({ x, churned }) => (predicted(weights, x) - Number(churned)) ** 2)
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export type WeightsDecision = 'TOO_FEW_CHURNED' | 'TOO_FEW_TESTED' | 'NOT_BETTER' | 'BETTER'

export interface WeightsTest {
  readonly decision: WeightsDecision
  /** Accounts that churned within three months of an observation. */
  readonly churned: number
  readonly tested: number
  /** Mean squared errors on the accounts of the test; null without a test. */
  readonly brierStart: number | null
  readonly brierFitted: number | null
}

export interface Refit {
  readonly test: WeightsTest
  /** Null: the start weights stay. */
  readonly weights: readonly number[] | null
}

const churnedOf = (examples: readonly Example[]): Example[] => examples.filter(({ churned }) => churned)
const hasBoth = (examples: readonly Example[]): boolean => {
  const churned = churnedOf(examples).length
  return churned >= outcomesMin && examples.length - churned >= outcomesMin
}

/** The month that many months before. */
export function monthsBefore(month: string, months: number): string {
  const date = new Date(`${month}T00:00:00.000Z`)
  date.setUTCMonth(date.getUTCMonth() - months)
  return date.toISOString().slice(0, 10)
}

/**
 * Fits weights to examples whose outcome is known. They are used if they predict the latest month better than the start weights, by more than one
 * standard error, when they are fitted to the months whose outcomes were known before it.
 */
export function refit(examples: readonly Example[], start: readonly number[]): Refit {
  const churned = new Set(churnedOf(examples).map(({ accountId }) => accountId)).size
  const untested = { churned, tested: 0, brierStart: null, brierFitted: null }
  if (churned < churnedMin) return { test: { decision: 'TOO_FEW_CHURNED', ...untested }, weights: null }
  const latest = examples.reduce((last, { month }) => (month > last ? month : last), '')
  const tested = examples.filter(({ month }) => month === latest)
  const earlier = examples.filter(({ month }) => month <= monthsBefore(latest, outcomeMonths))
  if (tested.length < testedMin || !hasBoth(tested) || !hasBoth(earlier))
    return { test: { decision: 'TOO_FEW_TESTED', ...untested }, weights: null }
  const ofStart = errorsOf(start, tested)
  const ofFitted = errorsOf(fitted(earlier, start), tested)
  const gains = ofStart.map((error, index) => error - ofFitted[index]!)
  const gain = meanOf(gains)
  const standardError = Math.sqrt(meanOf(gains.map((one) => (one - gain) ** 2)) / gains.length)
  const isBetter = gain > standardError
  const test: WeightsTest = {
    decision: isBetter ? 'BETTER' : 'NOT_BETTER',
    churned,
    tested: tested.length,
    brierStart: meanOf(ofStart),
    brierFitted: meanOf(ofFitted),
  }
  return { test, weights: isBetter ? fitted(examples, start) : null }
}
