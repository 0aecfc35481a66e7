/** What a simulation is computed from. Everything that is random follows from it and the seed. */
export interface SimulationInput {
  readonly seed: number
  /** Number of runs. */
  readonly iterations: number
  /** Correlation of the outcomes of deals (ρ); 0: independent. */
  readonly correlation: number
  /** In the order of their ids. */
  readonly deals: readonly SimulatedDeal[]
  /** Days that deals close later than planned: one list for each kind of deal, all its values equally likely. */
  readonly slips: readonly Float64Array[]
  /** Final by quoted amounts, all equally likely. */
  readonly ratios: Float64Array
  readonly horizon: Horizon
  /** What is won already, by month of the horizon. */
  readonly won: Float64Array
  readonly newPipeline: NewPipeline | null
  readonly target: number | null
}

/** Days are counted from the day of the simulation. */
export interface Horizon {
  readonly firstDay: number
  readonly lastDay: number
  /** The last day of each month of the horizon, in order; the last one is `lastDay`. */
  readonly monthEnds: readonly number[]
}

export interface SimulatedDeal {
  readonly id: string
  readonly amount: number
  readonly probability: number
  /** The number of cases on which the probability is based. */
  readonly evidence: number
  /** The planned day; 0 if it has passed. */
  readonly closeDay: number
  /** Factor for the days until the deal closes. */
  readonly pace: number
  /** Index of its list in `slips`. */
  readonly slip: number
}

/** Deals that do not exist yet: a compound Poisson process. */
export interface NewPipeline {
  readonly dealsPerDay: number
  readonly probability: number
  /** Amounts of such deals, all equally likely. */
  readonly amounts: Float64Array
  /** Days from creation to closing, all equally likely. */
  readonly cycles: Float64Array
}

/** The index of the month of a day; -1 outside of the horizon. */
export function monthOf({ firstDay, lastDay, monthEnds }: Horizon, day: number): number {
  if (day < firstDay || day > lastDay) return -1
  return monthEnds.findIndex((end) => day <= end)
}
