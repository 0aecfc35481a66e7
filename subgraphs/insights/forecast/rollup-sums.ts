import { decimalOf, exactOf, rounded, zero } from '../../kernel/values/decimal.ts'
import type { ForecastAmounts, ForecastSums } from './rollup.types.ts'

type Amount = ReturnType<typeof decimalOf>

export interface Sums {
  readonly closed: Amount
  readonly commit: Amount
  readonly bestCase: Amount
  readonly pipeline: Amount
  readonly weighted: Amount
  /** Null without a quota. */
  readonly quota: Amount | null
}

export interface Amounts {
  readonly commit: Amount
  readonly bestCase: Amount
  readonly pipeline: Amount
}

export const nothing: Sums = {
  closed: zero,
  commit: zero,
  bestCase: zero,
  pipeline: zero,
  weighted: zero,
  quota: null,
}

export const plus = (a: Sums, b: Sums): Sums => ({
  closed: a.closed.plus(b.closed),
  commit: a.commit.plus(b.commit),
  bestCase: a.bestCase.plus(b.bestCase),
  pipeline: a.pipeline.plus(b.pipeline),
  weighted: a.weighted.plus(b.weighted),
  quota: a.quota && b.quota ? a.quota.plus(b.quota) : (a.quota ?? b.quota),
})

export const together = (all: readonly Amounts[]): Amounts | null =>
  all.length === 0
    ? null
    : all.reduce((a, b) => ({
        commit: a.commit.plus(b.commit),
        bestCase: a.bestCase.plus(b.bestCase),
        pipeline: a.pipeline.plus(b.pipeline),
      }))

export const less = (a: Amounts, b: Amounts): Amounts => ({
  commit: a.commit.minus(b.commit),
  bestCase: a.bestCase.minus(b.bestCase),
  pipeline: a.pipeline.minus(b.pipeline),
})

export const shownAmounts = (amounts: Amounts | null): ForecastAmounts | null =>
  amounts && {
    commit: exactOf(amounts.commit),
    bestCase: exactOf(amounts.bestCase),
    pipeline: exactOf(amounts.pipeline),
  }

/** Figures of deals are null if the caller may not read what they need. */
export function shownSums(sums: Sums, hasFigures: boolean): ForecastSums {
  const shown = (amount: Amount) => (hasFigures ? exactOf(amount) : null)
  const commitTotal = sums.closed.plus(sums.commit)
  return {
    closed: shown(sums.closed),
    commit: shown(sums.commit),
    bestCase: shown(sums.bestCase),
    pipeline: shown(sums.pipeline),
    weighted: shown(sums.weighted),
    commitTotal: shown(commitTotal),
    bestCaseTotal: shown(commitTotal.plus(sums.bestCase)),
    quota: sums.quota && exactOf(sums.quota),
  }
}

const hundred = decimalOf(100)

export const attainmentOf = ({ closed, quota }: Sums, hasFigures: boolean) =>
  !hasFigures || quota === null || quota.eq(zero) ? null : exactOf(rounded(closed.times(hundred).div(quota), 2))
