import { roundTogether } from '../largest-remainder.ts'

/** The shares of the three scores in the rank; they add up to 1. */
export interface RankShares {
  readonly network: number
  readonly engagement: number
  readonly momentum: number
}

export const rankSharesDefault: RankShares = { network: 0.3, engagement: 0.45, momentum: 0.25 }

export type Factor = 'NETWORK' | 'ENGAGEMENT' | 'MOMENTUM'

/** The rank score of three scores from 0 to 100, with the contribution of each; the contributions add up to the score. */
export function rankScore(
  scores: RankShares,
  shares: RankShares = rankSharesDefault,
): {
  readonly score: number
  readonly explanation: readonly { readonly factor: Factor; readonly contribution: number }[]
} {
  const { sum, parts } = roundTogether([
    shares.network * scores.network,
    shares.engagement * scores.engagement,
    shares.momentum * scores.momentum,
  ])
  const factors = ['NETWORK', 'ENGAGEMENT', 'MOMENTUM'] as const
  return { score: sum, explanation: factors.map((factor, index) => ({ factor, contribution: parts[index]! })) }
}
