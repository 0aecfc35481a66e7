// The limits of workflows, by the numbers of the specification and of the README of this folder.

export const workflowsMax = 200
export const stepsMax = 100
export const branchesMax = 20
export const nameMax = 120
export const descriptionMax = 2_000
/** Executed steps of one run. */
export const executedStepsMax = 10_000
/** Of one workflow; more pause it. */
export const startsPerMinute = 500
/** Of the input and the output of a step, and of the input of a run, as JSON. */
export const stepDataMax = 65_536
/** Items of one loop. */
export const loopItemsMax = 1_000
export const loopDepthMax = 5
/** Events are kept for 30 days; a delay may be longer, because the record is then read as it is. */
export const delayMinutesMax = 525_600
export const approvalHoursDefault = 72
export const approvalHoursMax = 720
export const approversMax = 20
export const recipientsMax = 20
/** A run executes steps for this time, then others have their turn. */
export const turnMs = 10_000
export const stepMsMax = 130_000
/** Delays of the further attempts of a step with RETRY. */
export const retryDelaysMs = [10_000, 60_000, 300_000] as const
/** Attempts of a run whose process died during each of them. */
export const interruptionsMax = 5
/** Waits of a step for a limit or for a part of the platform that is not reachable. */
export const waitsMax = 60
export const keptDays = 30

export const stepIdPattern = /^[A-Za-z][A-Za-z0-9_]{0,47}$/
