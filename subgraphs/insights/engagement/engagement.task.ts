import type { EngagementEntity, EngagementSettings } from './entities.ts'
import { portfolioOf, type Portfolio } from './portfolio.ts'
import { rankEntities, type RankingStats, type ScoredEntity } from './score-entities.ts'
import { nextStepsOf, type NextSteps } from './next-steps.ts'

// What runs in worker threads.

export interface EngagementTask {
  /** JSON of lists of entities. */
  readonly pieces: readonly string[]
  readonly settings: EngagementSettings
  readonly nowMs: number
}

export type Selection = 'ALL' | 'AT_RISK' | 'RISING'

export interface RankTask extends EngagementTask {
  readonly limit: number
  readonly selection: Selection
  /** Only entities whose change is larger than chance explains. */
  readonly significantOnly: boolean
}

export interface RankAnswer {
  /** JSON of lists of results. */
  readonly pieces: readonly string[]
  readonly stats: RankingStats
}

const resultsOfPiece = 100

const entitiesOf = ({ pieces }: EngagementTask): EngagementEntity[] =>
  pieces.flatMap((piece) => JSON.parse(piece) as EngagementEntity[])

const trends: Readonly<Record<Exclude<Selection, 'ALL'>, readonly string[]>> = {
  AT_RISK: ['DECLINING', 'CHURNING'],
  RISING: ['GROWING', 'ACCELERATING'],
}

function selected(ranked: readonly ScoredEntity[], { selection, significantOnly }: RankTask): ScoredEntity[] {
  const isWanted = ({ momentum }: ScoredEntity): boolean =>
    (selection === 'ALL' || trends[selection].includes(momentum.trend)) && (!significantOnly || momentum.significant)
  const wanted = ranked.filter(isWanted)
  if (selection === 'ALL') return wanted
  // Those that change most come first; among equals, those of the better rank.
  const sign = selection === 'RISING' ? -1 : 1
  return wanted.toSorted((a, b) => sign * (a.momentum.velocity - b.momentum.velocity) || a.rank - b.rank)
}

export function rank(task: RankTask): RankAnswer {
  const { ranked, stats } = rankEntities(entitiesOf(task), task.settings, task.nowMs)
  const results = selected(ranked, task).slice(0, task.limit)
  const pieces: string[] = []
  for (let first = 0; first < results.length; first += resultsOfPiece)
    pieces.push(JSON.stringify(results.slice(first, first + resultsOfPiece)))
  return { pieces, stats }
}

export function portfolio(task: EngagementTask): Portfolio {
  return portfolioOf(rankEntities(entitiesOf(task), task.settings, task.nowMs))
}

export function nextSteps(task: EngagementTask): NextSteps {
  const [entity] = entitiesOf(task)
  const { ranked } = rankEntities([entity!], task.settings, task.nowMs)
  return nextStepsOf(entity!, ranked[0]!, task.nowMs)
}
