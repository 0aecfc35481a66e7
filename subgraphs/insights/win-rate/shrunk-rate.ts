/** Weight of the prior, in cases. */
export const priorCases = 20

/** Normal quantile of the 95 % interval. */
const z = 1.959963984540054

export interface ShrunkRate {
  /** Between 0 and 1. */
  readonly rate: number
  readonly interval: readonly [low: number, high: number]
  /** The cases that count in the rate: those that were seen, and those of the prior. */
  readonly evidence: number
}

/** The share that was won, pulled towards the prior as if 20 further cases had had its share; with Wilson's 95 % interval for these cases. */
export function shrunkRate(won: number, closed: number, prior: number): ShrunkRate {
  const evidence = closed + priorCases
  const rate = (won + priorCases * prior) / evidence
  const middle = (rate + z ** 2 / (2 * evidence)) / (1 + z ** 2 / evidence)
  const reach = (z / (1 + z ** 2 / evidence)) * Math.sqrt((rate * (1 - rate)) / evidence + z ** 2 / (4 * evidence ** 2))
  return { rate, interval: [Math.max(0, middle - reach), Math.min(1, middle + reach)], evidence }
}
