import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { decimalOf, exactOf, roundToCurrency } from '../../kernel/values/decimal.ts'
import type { Simulated } from './engine/simulate.ts'
import type { Summary } from './engine/tasks.ts'
import { digestOf, type Prepared } from './model/simulation-input.ts'
import type { Snapshot } from './model/snapshot.ts'
import type { SimulationDifference, SimulationDistribution, SimulationResult, SimulationStage } from './result.types.ts'

/** Rounds amounts to the base currency; all are null for a caller who must not know amounts. */
type MoneyOf = (value: number) => ExactNumber | null

const moneyOf = ({ currency, hidesMoney }: Pick<Snapshot, 'currency' | 'hidesMoney'>): MoneyOf =>
  hidesMoney ? () => null : (value) => exactOf(roundToCurrency(decimalOf(Number.isFinite(value) ? value : 0), currency))

const places = (value: number, decimals: number): number => Number(value.toFixed(decimals))

const amounts = ['mean', 'stdDev', 'p5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'min', 'max'] as const

function distributionOf(summary: Summary, money: MoneyOf, hidesMoney: boolean): SimulationDistribution {
  const rounded = Object.fromEntries(amounts.map((name) => [name, money(summary[name])]))
  return { ...rounded, probabilityOfTarget: hidesMoney ? null : summary.probabilityOfTarget } as SimulationDistribution
}

/** The difference of two distributions as they are shown. */
export function differenceOf(one: SimulationDistribution, other: SimulationDistribution): SimulationDifference {
  const minus = (name: 'mean' | 'p10' | 'p50' | 'p90' | 'probabilityOfTarget') => {
    const [value, base] = [one[name], other[name]]
    return value === null || base === null ? null : exactOf(decimalOf(value).minus(decimalOf(base)))
  }
  return {
    mean: minus('mean'),
    p10: minus('p10'),
    p50: minus('p50'),
    p90: minus('p90'),
    probabilityOfTarget: minus('probabilityOfTarget') as number | null,
  }
}

function stagesOf(
  { deals }: Prepared,
  { means, wonShares }: Simulated,
  { rates, stages }: Snapshot,
  money: MoneyOf,
): SimulationStage[] {
  return stages.flatMap(({ pipelineId, name }) => {
    const own = [...deals.keys()].filter(
      (index) => deals[index]!.pipelineId === pipelineId && deals[index]!.stage === name,
    )
    if (own.length === 0) return []
    const sum = (valueOf: (index: number) => number): number => own.reduce((total, index) => total + valueOf(index), 0)
    const { rate, interval, sampleSize } = rates.of(pipelineId, name, null)
    return {
      pipelineId,
      stage: name,
      deals: own.length,
      amount: money(sum((index) => deals[index]!.amount)),
      mean: money(sum((index) => means[index]!)),
      expectedWins: places(
        sum((index) => wonShares[index]!),
        2,
      ),
      winRate: places(rate, 4),
      winRateInterval: interval.map((bound) => places(bound, 4)),
      sampleSize,
    }
  })
}

export interface Computed {
  readonly prepared: Prepared
  readonly simulated: Simulated
}

/** The result as it is stored and answered. `baseline`: the same without assumptions. */
export function resultOf(
  snapshot: Snapshot,
  { prepared, simulated }: Computed,
  baseline: Computed | null,
): SimulationResult {
  const money = moneyOf(snapshot)
  const { currency, hidesMoney } = snapshot
  const { input, deals, months, wonAmount, unconverted, dealsPer30Days, newWinRate } = prepared
  const { summary, byMonth, means, wonShares, medianChanges, newPipelineMean } = simulated
  const distribution = distributionOf(summary, money, hidesMoney)
  const base = baseline && distributionOf(baseline.simulated.summary, money, hidesMoney)
  return {
    ...distribution,
    currency,
    iterations: input.iterations,
    seed: input.seed,
    deals: deals.length,
    unconverted,
    expectedWins: places(
      wonShares.reduce((sum, share) => sum + share, 0),
      2,
    ),
    closedWon: wonAmount === null ? null : money(wonAmount),
    histogram: hidesMoney
      ? []
      : summary.histogram.map(({ from, to, count }) => ({ from: money(from)!, to: money(to)!, count })),
    byMonth: byMonth.map(({ mean, p10, p50, p90 }, index) => ({
      month: months[index]!,
      mean: money(mean),
      p10: money(p10),
      p50: money(p50),
      p90: money(p90),
    })),
    byStage: stagesOf(prepared, simulated, snapshot, money),
    newPipeline:
      input.newPipeline && dealsPer30Days !== null
        ? { dealsPer30Days: places(dealsPer30Days, 2), winRate: places(newWinRate!, 4), mean: money(newPipelineMean) }
        : null,
    dealContributions: deals.map(({ id }, index) => ({
      opportunityId: id,
      meanContribution: money(means[index]!),
      p50Delta: medianChanges[index] === null ? null : money(medianChanges[index]!),
    })),
    baseline: base,
    delta: base && differenceOf(distribution, base),
    dataVersion: digestOf([input, ...(baseline ? [baseline.prepared.input] : [])]),
  }
}
