import { bayesProbability, learn, type BayesTables, type ClosedDeal } from './naive-bayes.ts'
import { WinRates, type CountRow, type PriorStage } from './win-rates.ts'

/** Fewer later deals say nothing about a model. */
export const testedMin = 100
/** From so many closed deals on, with so many of each outcome, naive Bayes is tried. */
export const bayesFrom = 400
export const bayesOutcomeMin = 50
const binCount = 10

export type WinModelName = 'STAGE_HISTORY' | 'NAIVE_BAYES'
export type WinModelReason =
  'TOO_FEW_CASES' | 'TOO_FEW_FOR_NAIVE_BAYES' | 'NAIVE_BAYES_NOT_BETTER' | 'NAIVE_BAYES_BETTER'

/** Predictions between two probabilities, and what came of them. */
export interface ReliabilityBin {
  readonly from: number
  readonly to: number
  readonly predictions: number
  readonly meanPredicted: number | null
  readonly shareWon: number | null
}

export interface TestedModel {
  readonly model: WinModelName
  readonly brierScore: number
  readonly bins: readonly ReliabilityBin[]
}

export interface BackTest {
  readonly model: WinModelName
  readonly reason: WinModelReason
  readonly closedDeals: number
  readonly wonDeals: number
  readonly trainingDeals: number
  readonly testedDeals: number
  readonly models: readonly TestedModel[]
  /** Of the Brier scores: naive Bayes minus the shrunk rate, and the standard error of that; null unless both were tested. */
  readonly difference: number | null
  readonly standardError: number | null
}

export interface BackTested {
  readonly test: BackTest
  /** Learned from all deals; null unless naive Bayes is used. */
  readonly tables: BayesTables | null
}

interface Predicted {
  readonly probability: number
  readonly isWon: boolean
}

type Predict = (deal: ClosedDeal, stage: string) => number

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length

/** Rates from the deals alone. */
function ratesFrom(deals: readonly ClosedDeal[], stages: readonly PriorStage[], teams: Teams): WinRates {
  const counts = new Map<string, { -readonly [Name in keyof CountRow]: CountRow[Name] }>()
  for (const { pipelineId, ownerId, isWon, stages: own } of deals)
    for (const stage of own) {
      const key = `${pipelineId}/${stage}/${ownerId}`
      let row = counts.get(key)
      if (!row) counts.set(key, (row = { pipelineId, stage, ownerId, won: 0, closed: 0 }))
      row.closed++
      if (isWon) row.won++
    }
  return new WinRates(stages, [...counts.values()], teams)
}

/** The loss of each deal is the mean over the stages that it was in, so that each deal counts once. */
const lossesOf = (deals: readonly ClosedDeal[], predict: Predict): number[] =>
  deals.map((deal) => meanOf(deal.stages.map((stage) => (predict(deal, stage) - (deal.isWon ? 1 : 0)) ** 2)))

function binsOf(predicted: readonly Predicted[]): ReliabilityBin[] {
  const binOf = ({ probability }: Predicted): number => Math.min(binCount - 1, Math.floor(probability * binCount))
  return Array.from({ length: binCount }, (_, bin) => {
    const own = predicted.filter((one) => binOf(one) === bin)
    const isEmpty = own.length === 0
    return {
      from: bin / binCount,
      to: (bin + 1) / binCount,
      predictions: own.length,
      meanPredicted: isEmpty ? null : meanOf(own.map(({ probability }) => probability)),
      shareWon: isEmpty ? null : own.filter(({ isWon }) => isWon).length / own.length,
    }
  })
}

function testedModel(model: WinModelName, deals: readonly ClosedDeal[], predict: Predict) {
  const losses = lossesOf(deals, predict)
  const predicted = deals.flatMap((deal) =>
    deal.stages.map((stage) => ({ probability: predict(deal, stage), isWon: deal.isWon })),
  )
  return { losses, tested: { model, brierScore: meanOf(losses), bins: binsOf(predicted) } satisfies TestedModel }
}

export type Teams = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Tests by the latest third of the deals, at least 100, what the deals before them predict. Deals are in the order in which they were closed, each
 * with at least one stage. Naive Bayes is used if its Brier score is lower by more than the standard error of the difference.
 */
export function backTest(deals: readonly ClosedDeal[], stages: readonly PriorStage[], teams: Teams): BackTested {
  const closedDeals = deals.length
  const wonDeals = deals.filter(({ isWon }) => isWon).length
  const untested = {
    closedDeals,
    wonDeals,
    trainingDeals: 0,
    testedDeals: 0,
    models: [],
    difference: null,
    standardError: null,
  }
  if (closedDeals < testedMin)
    return { test: { model: 'STAGE_HISTORY', reason: 'TOO_FEW_CASES', ...untested }, tables: null }
  const testedDeals = Math.max(testedMin, Math.floor(closedDeals / 3))
  const [earlier, later] = [deals.slice(0, -testedDeals), deals.slice(-testedDeals)]
  const rates = ratesFrom(earlier, stages, teams)
  const rate = testedModel(
    'STAGE_HISTORY',
    later,
    ({ pipelineId, ownerId }, stage) => rates.of(pipelineId, stage, ownerId).rate,
  )
  const counted = { closedDeals, wonDeals, trainingDeals: earlier.length, testedDeals }
  if (closedDeals < bayesFrom || Math.min(wonDeals, closedDeals - wonDeals) < bayesOutcomeMin)
    return {
      test: {
        model: 'STAGE_HISTORY',
        reason: 'TOO_FEW_FOR_NAIVE_BAYES',
        ...counted,
        models: [rate.tested],
        difference: null,
        standardError: null,
      },
      tables: null,
    }
  const learned = learn(earlier)
  const bayes = testedModel('NAIVE_BAYES', later, (deal, stage) => bayesProbability(learned, { ...deal, stage }))
  const differences = bayes.losses.map((loss, index) => loss - rate.losses[index]!)
  const difference = meanOf(differences)
  const variance = sumOf(differences.map((one) => (one - difference) ** 2)) / (testedDeals - 1)
  const standardError = Math.sqrt(variance / testedDeals)
  const isBetter = difference < -standardError
  return {
    test: {
      model: isBetter ? 'NAIVE_BAYES' : 'STAGE_HISTORY',
      reason: isBetter ? 'NAIVE_BAYES_BETTER' : 'NAIVE_BAYES_NOT_BETTER',
      ...counted,
      models: [rate.tested, bayes.tested],
      difference,
      standardError,
    },
    tables: isBetter ? learn(deals) : null,
  }
}
