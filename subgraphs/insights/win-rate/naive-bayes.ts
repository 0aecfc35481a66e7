/** What is known about a deal; null: not known, or hidden from whoever asks. */
export interface DealFacts {
  readonly pipelineId: string
  /** A stage in which the deal is, or was. */
  readonly stage: string
  readonly ownerId: string | null
  readonly type: string | null
  readonly leadSource: string | null
  /** In the base currency. */
  readonly amount: number | null
}

/** Won and lost deals. */
type Outcomes = readonly [won: number, lost: number]

/** What the model has learned; it is stored. */
export interface BayesTables {
  readonly total: Outcomes
  /** By fact, those that enough deals have. */
  readonly facts: Readonly<Record<string, Outcomes>>
}

/** A fact that fewer deals have says nothing. */
const casesMin = 50
const smoothing = 0.1
/** No deal is certain. */
const [lowest, highest] = [0.0001, 0.9999]

/** Amounts count by half orders of magnitude. */
const amountBand = (amount: number): number => Math.floor(2 * Math.log10(amount))

/** The facts of a deal other than its stages, as keys of the tables. */
function factsOf({ ownerId, type, leadSource, amount }: Omit<DealFacts, 'stage' | 'pipelineId'>): string[] {
  return [
    ...(ownerId === null ? [] : [`owner:${ownerId}`]),
    ...(type === null ? [] : [`type:${type}`]),
    ...(leadSource === null ? [] : [`source:${leadSource}`]),
    ...(amount === null || amount <= 0 ? [] : [`amount:${amountBand(amount)}`]),
  ]
}

const stageFact = (pipelineId: string, stage: string): string => `stage:${pipelineId}/${stage}`

/** A closed deal, with the open stages that it was in. */
export interface ClosedDeal extends Omit<DealFacts, 'stage'> {
  readonly stages: readonly string[]
  readonly isWon: boolean
}

/** Counts how many of the won and of the lost deals have each fact. */
export function learn(deals: readonly ClosedDeal[]): BayesTables {
  const total: [number, number] = [0, 0]
  const facts = new Map<string, [number, number]>()
  for (const deal of deals) {
    const outcome = deal.isWon ? 0 : 1
    total[outcome]++
    for (const fact of [...factsOf(deal), ...deal.stages.map((stage) => stageFact(deal.pipelineId, stage))]) {
      let counted = facts.get(fact)
      if (!counted) facts.set(fact, (counted = [0, 0]))
      counted[outcome]++
    }
  }
  const frequent = [...facts]
    .filter(([, [won, lost]]) => won + lost >= casesMin)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { total, facts: Object.fromEntries(frequent) }
}

/** The probability that a deal is won: from how often won and lost deals had its facts, as if these did not depend on each other. */
export function bayesProbability({ total: [won, lost], facts }: BayesTables, deal: DealFacts): number {
  const known = [stageFact(deal.pipelineId, deal.stage), ...factsOf(deal)].flatMap((fact) =>
    Object.hasOwn(facts, fact) ? [facts[fact]!] : [],
  )
  const share = (count: number, of: number): number => Math.log((count + smoothing) / (of + 2 * smoothing))
  const logOdds = known.reduce(
    (sum, [factWon, factLost]) => sum + share(factWon, won) - share(factLost, lost),
    share(won, won + lost) - share(lost, won + lost),
  )
  return Math.min(highest, Math.max(lowest, 1 / (1 + Math.exp(-logOdds))))
}
