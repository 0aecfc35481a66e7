import { enumeration } from '../../kernel/record/column.ts'

export const ScenarioStatus = enumeration('ScenarioStatus', 'How far a scenario is.', {
  DRAFT: 'It was never run.',
  RUNNING: 'It is being computed.',
  COMPLETED: 'It has a result.',
  FAILED: 'The last run has failed; `failure` says why.',
})
export type ScenarioStatus = keyof typeof ScenarioStatus

export const ScenarioFailure = enumeration('ScenarioFailure', 'Why a run of a scenario has failed.', {
  INTERRUPTED: 'The platform was interrupted while it ran. Run it again.',
  TOO_MANY_DEALS: 'More deals match its filters than a simulation may have. Narrow the filters.',
  OWNER_INACTIVE: 'The user who ran it may no longer act in the organization.',
  FIELD_NOT_READABLE: 'The user who ran it can no longer read a field that the scenario uses.',
})
export type ScenarioFailure = keyof typeof ScenarioFailure

export const AdjustmentTarget = enumeration('AdjustmentTarget', 'What an adjustment of a scenario changes.', {
  WIN_RATE: 'Probability of winning, 0 to 1. MULTIPLY, ADD or SET; the outcome is kept between 0 and 1.',
  AMOUNT: 'Amount in the base currency. MULTIPLY, ADD or SET; the outcome is at least 0.',
  CLOSE_DATE: 'Planned close date. SHIFT_DAYS by whole days, or SET to a day such as 2027-03-31.',
  STAGE: 'Stage. SET to the API name of a stage: deals of pipelines with that stage get its win rate and delays.',
  CYCLE_TIME: 'Days until the deal closes. MULTIPLY.',
  NEW_PIPELINE: 'New deals for each 30 days. MULTIPLY, ADD or SET. It has no scope.',
  REMOVE_DEAL: 'Leaves the deals of the scope out. It needs a scope, and has neither operation nor value.',
})
export type AdjustmentTarget = keyof typeof AdjustmentTarget

export const AdjustmentOperation = enumeration('AdjustmentOperation', 'How an adjustment changes its target.', {
  MULTIPLY: 'Multiplies it by the value.',
  ADD: 'Adds the value, which may be negative.',
  SET: 'Replaces it by the value.',
  SHIFT_DAYS: 'Moves a date by the value in days, earlier if it is negative.',
})
export type AdjustmentOperation = keyof typeof AdjustmentOperation
