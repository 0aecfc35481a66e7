import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { compareNumbers, textOfNumber, type ExactNumber } from '../../kernel/json/exact-number.ts'
import type { PipelineStage } from '../pipeline/pipeline.ts'
import type { StoredPipeline } from '../pipeline/stored-pipeline.ts'
import type { StageHistoryEntry } from './opportunity.structures.ts'
import type { Opportunity } from './opportunity.ts'

type Given = Partial<Pick<Opportunity, 'stage' | 'probability' | 'forecastCategory' | 'lossReason' | 'lossNotes'>>

export interface StageChange {
  readonly values: Partial<Opportunity>
  readonly events: readonly string[]
}

/** The stage that a new opportunity gets, or to which an opportunity moves. Throws with the allowed stages if the pipeline does not use it. */
export function targetStage(pipeline: StoredPipeline, name: string | undefined): PipelineStage {
  const inUse = pipeline.stages.filter(({ isActive }) => isActive)
  const found = inUse.find((stage) => (name === undefined ? stage.kind === 'OPEN' : stage.name === name))
  if (found) return found
  const allowed = inUse.map((stage) => stage.name).join(', ')
  const message = `stage must be one of ${allowed} in the pipeline ${pipeline.name}.`
  throw invalid({ path: 'stage', code: 'NOT_ALLOWED', message })
}

/** Whether an opportunity in this stage is closed and won. */
const stateOf = ({ kind }: PipelineStage) => ({ isClosed: kind !== 'OPEN', isWon: kind === 'WON' })

/** When a change is made, and by which user. */
export interface Moment {
  readonly now: string
  readonly userId: string | null
}

/** The values and events of entering a stage; `previous` is null for a new opportunity. */
export function enterStage(
  stage: PipelineStage,
  given: Given,
  previous: Opportunity | null,
  { now, userId }: Moment,
): StageChange {
  const state = stateOf(stage)
  return {
    values: {
      stage: stage.name,
      stageEnteredAt: now,
      stageHistory: continued(previous?.stageHistory ?? [], stage.name, { now, userId }),
      ...state,
      closedAt: state.isClosed ? now : null,
      ...standing(stage, given),
      ...(previous && !state.isClosed && !given.forecastCategory && keptCategory(previous)),
      ...(state.isClosed && { forecastReason: null }),
      ...(stage.kind !== 'LOST' && previous?.isClosed && !previous.isWon && clearedLoss(given)),
    },
    events: previous ? stageEvents(stage, previous) : [],
  }
}

const historyMax = 50

/** The history with one more stage. It is limited, because it is part of the record and of each of its events. */
function continued(history: readonly StageHistoryEntry[], stage: string, { now, userId }: Moment): StageHistoryEntry[] {
  const ended = history.map((entry) =>
    entry.leftAt === null
      ? { ...entry, leftAt: now, durationSeconds: Math.floor((Date.parse(now) - Date.parse(entry.enteredAt)) / 1000) }
      : entry,
  )
  const entered = { stage, enteredAt: now, leftAt: null, durationSeconds: null, changedById: userId }
  return [...ended, entered].slice(-historyMax)
}

/** A category that a client set stays until the opportunity is closed. */
const keptCategory = ({ isClosed, forecastCategory, forecastCategoryOverridden }: Opportunity): Partial<Opportunity> =>
  forecastCategoryOverridden && !isClosed ? { forecastCategory, forecastCategoryOverridden } : {}

/** Probability and forecast category of an opportunity in this stage: those that are given, otherwise those of the stage. */
export function standing(stage: PipelineStage, { probability, forecastCategory }: Given): Partial<Opportunity> {
  refuseContradiction(stage, probability, forecastCategory)
  return {
    probability: probability ?? stage.probability,
    probabilityOverridden: probability != null && compareNumbers(probability, stage.probability) !== 0,
    forecastCategory: forecastCategory ?? stage.forecastCategory,
    forecastCategoryOverridden: forecastCategory != null && forecastCategory !== stage.forecastCategory,
  }
}

/** The outcome of a closed opportunity is certain, so its probability and category are those of its stage; only a won one is CLOSED. */
function refuseContradiction(
  { name, kind, ...stage }: PipelineStage,
  probability: ExactNumber | null | undefined,
  forecastCategory: string | null | undefined,
): void {
  const problems: FieldProblem[] = []
  const wrong = (path: string, message: string) => problems.push({ path, code: 'NOT_ALLOWED', message })
  if (kind === 'OPEN') {
    if (forecastCategory === 'CLOSED')
      wrong(
        'forecastCategory',
        `forecastCategory must be PIPELINE, BEST_CASE, COMMIT or OMITTED in the open stage ${name}.`,
      )
  } else {
    if (probability != null && compareNumbers(probability, stage.probability) !== 0)
      wrong('probability', `probability must be ${textOfNumber(stage.probability)} in the stage ${name}.`)
    if (forecastCategory != null && forecastCategory !== stage.forecastCategory)
      wrong('forecastCategory', `forecastCategory must be ${stage.forecastCategory} in the stage ${name}.`)
  }
  if (problems.length > 0) throw invalid(...problems)
}

const clearedLoss = ({ lossReason = null, lossNotes = null }: Given): Partial<Opportunity> => ({
  lossReason,
  lossNotes,
})

function stageEvents({ name, kind }: PipelineStage, previous: Opportunity): string[] {
  const wasLost = previous.isClosed && !previous.isWon
  return [
    ...(name === previous.stage ? [] : ['opportunity.stage_changed']),
    ...(kind === 'WON' && !previous.isWon ? ['opportunity.won'] : []),
    ...(kind === 'LOST' && !wasLost ? ['opportunity.lost'] : []),
    ...(kind === 'OPEN' && previous.isClosed ? ['opportunity.reopened'] : []),
  ]
}
