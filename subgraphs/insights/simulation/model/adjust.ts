import type { WinRates } from '../../win-rate/win-rates.ts'
import type { Adjustment, AdjustmentScope } from '../adjustment.ts'
import { daysBetween } from '../horizon.ts'
import type { OpenDeal } from './open-deals.ts'

/** A deal of a simulation, with its assumptions. */
export interface AssumedDeal {
  readonly id: string
  readonly pipelineId: string
  readonly ownerId: string | null
  readonly type: string | null
  stage: string
  amount: number
  probability: number
  evidence: number
  closeDay: number
  pace: number
}

/** The stages of the pipelines of an organization. */
export interface KnownStage {
  readonly pipelineId: string
  readonly name: string
  readonly kind: 'OPEN' | 'WON' | 'LOST'
}

export interface Assumptions {
  readonly deals: AssumedDeal[]
  /** New deals for each 30 days; null: none are expected. */
  readonly dealsPer30Days: number | null
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

const applied = (value: number, { operation, number }: Adjustment): number =>
  operation === 'MULTIPLY' ? value * number : operation === 'ADD' ? value + number : number

/** What a deal is expected to do without assumptions: with the probability that a user has set, or the win rate of its stage. */
export function expectedDeal(deal: OpenDeal & { readonly amount: number }, rates: WinRates): AssumedDeal {
  const { id, pipelineId, ownerId, type, stage, amount, closeDay, ownProbability } = deal
  const { rate, evidence } = rates.of(pipelineId, stage, ownerId)
  const probability = roundedShare(ownProbability ?? rate)
  return {
    id,
    pipelineId,
    ownerId,
    type,
    stage,
    amount,
    probability,
    evidence,
    closeDay: Math.max(0, closeDay),
    pace: 1,
  }
}

/** Shares are rounded, so that no table is computed for probabilities that differ by less than matters. */
const roundedShare = (share: number): number => Math.round(clamp(share, 0, 1) * 1e6) / 1e6

const isIn = (deal: AssumedDeal, { stage, ownerId, opportunityId, type }: AdjustmentScope): boolean =>
  (stage === undefined || deal.stage === stage) &&
  (ownerId === undefined || deal.ownerId === ownerId) &&
  (opportunityId === undefined || deal.id === opportunityId) &&
  (type === undefined || deal.type === type)

/** Applies the adjustments in their order. */
export function adjusted(
  { deals, dealsPer30Days }: Assumptions,
  adjustments: readonly Adjustment[],
  context: { readonly rates: WinRates; readonly stages: readonly KnownStage[]; readonly today: string },
): Assumptions {
  let remaining = deals.map((deal) => ({ ...deal }))
  let rate = dealsPer30Days
  for (const adjustment of adjustments) {
    const { target, scope } = adjustment
    if (target === 'NEW_PIPELINE') rate = Math.max(0, applied(rate ?? 0, adjustment))
    else if (target === 'REMOVE_DEAL') remaining = remaining.filter((deal) => !isIn(deal, scope))
    else for (const deal of remaining) if (isIn(deal, scope)) adjustDeal(deal, adjustment, context)
  }
  return { deals: remaining, dealsPer30Days: rate }
}

function adjustDeal(
  deal: AssumedDeal,
  adjustment: Adjustment,
  {
    rates,
    stages,
    today,
  }: { readonly rates: WinRates; readonly stages: readonly KnownStage[]; readonly today: string },
): void {
  const { target, operation, number, text } = adjustment
  switch (target) {
    case 'WIN_RATE':
      deal.probability = roundedShare(applied(deal.probability, adjustment))
      break
    case 'AMOUNT':
      deal.amount = Math.max(0, applied(deal.amount, adjustment))
      break
    case 'CLOSE_DATE':
      deal.closeDay = Math.max(0, operation === 'SET' ? daysBetween(today, text) : deal.closeDay + number)
      break
    case 'CYCLE_TIME':
      deal.pace *= number
      break
    case 'STAGE': {
      const stage = stages.find(({ pipelineId, name }) => pipelineId === deal.pipelineId && name === text)
      if (!stage) return
      const { rate, evidence } = rates.of(deal.pipelineId, text, deal.ownerId)
      deal.stage = text
      deal.probability = stage.kind === 'OPEN' ? roundedShare(rate) : stage.kind === 'WON' ? 1 : 0
      deal.evidence = evidence
    }
  }
}
