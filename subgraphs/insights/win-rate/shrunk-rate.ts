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
  return { rate, interval: wilsonInterval(rate, evidence), evidence }
}

/** Wilson's 95 % interval of a share that was seen in so many cases. */
export function wilsonInterval(share: number, cases: number): readonly [low: number, high: number] {
  const middle = (share + z ** 2 / (2 * cases)) / (1 + z ** 2 / cases)
  const reach = (z / (1 + z ** 2 / cases)) * Math.sqrt((share * (1 - share)) / cases + z ** 2 / (4 * cases ** 2))
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)]
}
