import { createHash } from 'node:crypto'
import type { Adjustment } from '../adjustment.ts'
import type { NewPipeline, SimulationInput } from '../engine/input.ts'
import { horizonFrom, monthsOf } from '../horizon.ts'
import { adjusted, expectedDeal, type AssumedDeal, type Assumptions } from './adjust.ts'
import { stageKey, typicalSlips } from './history.ts'
import type { Snapshot } from './snapshot.ts'

/** Correlation of the outcomes of deals: independent deals would give ranges that are too narrow. */
export const correlation = 0.15

export interface Settings {
  readonly seed: number
  readonly iterations: number
  readonly target: number | null
}

/** A simulation that is ready to run, and what its result is described with. */
export interface Prepared {
  readonly input: SimulationInput
  readonly deals: readonly AssumedDeal[]
  readonly months: readonly string[]
  readonly dealsPer30Days: number | null
  readonly newWinRate: number | null
  readonly wonAmount: number | null
  /** Deals without an exchange rate, which are left out. */
  readonly unconverted: number
}

const isConverted = <T extends { readonly amount: number | null }>(deal: T): deal is T & { readonly amount: number } =>
  deal.amount !== null

export function prepare(snapshot: Snapshot, settings: Settings, adjustments: readonly Adjustment[]): Prepared {
  const { today, days, rates, stages, won, past } = snapshot
  const expected: Assumptions = {
    deals: snapshot.deals.filter(isConverted).map((deal) => expectedDeal(deal, rates)),
    dealsPer30Days: past.dealsPer30Days,
  }
  const { deals, dealsPer30Days } = adjusted(expected, adjustments, { rates, stages, today })
  const months = monthsOf(days)
  const newPipeline = newPipelineOf(snapshot, expected.deals, dealsPer30Days)
  const { slips, slipOf } = slipsOf(snapshot, deals)
  return {
    input: {
      ...settings,
      correlation,
      deals: deals.map(({ id, amount, probability, evidence, closeDay, pace, pipelineId, stage }) => ({
        id,
        amount,
        probability,
        evidence,
        closeDay,
        pace,
        slip: slipOf(pipelineId, stage),
      })),
      slips,
      ratios: snapshot.ratios,
      horizon: horizonFrom(today, days),
      won: Float64Array.from(months, (month) => won?.find((one) => one.month === month)?.amount ?? 0),
      newPipeline,
    },
    deals,
    months,
    dealsPer30Days,
    newWinRate: newPipeline?.probability ?? null,
    wonAmount: won && won.reduce((sum, { amount }) => sum + amount, 0),
    unconverted:
      snapshot.deals.filter((deal) => !isConverted(deal)).length +
      (won ?? []).reduce((sum, { unconverted }) => sum + unconverted, 0),
  }
}

function slipsOf({ slips }: Snapshot, deals: readonly AssumedDeal[]) {
  const lists: Float64Array[] = [typicalSlips]
  const places = new Map<string, number>()
  for (const { pipelineId, stage } of deals) {
    const key = stageKey(pipelineId, stage)
    const list = slips.get(key)
    if (list && !places.has(key)) places.set(key, lists.push(list) - 1)
  }
  return { slips: lists, slipOf: (pipelineId: string, stage: string) => places.get(stageKey(pipelineId, stage)) ?? 0 }
}

/** New deals begin in the first open stage of the default pipeline, and have its win rate. */
function newPipelineOf(
  { past, stages, rates }: Snapshot,
  deals: readonly AssumedDeal[],
  dealsPer30Days: number | null,
): NewPipeline | null {
  if (dealsPer30Days === null) return null
  const first = stages.find(({ isDefault, kind }) => isDefault && kind === 'OPEN')!
  const amounts = past.amounts.length > 0 ? past.amounts : Float64Array.from(deals, ({ amount }) => amount)
  return {
    dealsPerDay: dealsPer30Days / 30,
    probability: rates.of(first.pipelineId, first.name, null).rate,
    amounts,
    cycles: past.cycles,
  }
}

/** A digest of everything that the result depends on, so that equal digests mean equal results. */
export function digestOf(inputs: readonly SimulationInput[]): string {
  const text = JSON.stringify(inputs, (_, value: unknown) => (value instanceof Float64Array ? [...value] : value))
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
