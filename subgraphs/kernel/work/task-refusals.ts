import { Refusal } from '../errors.ts'
import { noTurn } from '../own-load.ts'

const retryAfterMax = 60

/** The task has not begun, because too many are waiting: nothing of it was done. */
export class TaskNotBegun extends Refusal {
  constructor(waitMs: number, isOwnLoad: boolean) {
    const retryAfter = Math.min(retryAfterMax, Math.max(1, Math.ceil(waitMs / 1000)))
    const { message, extensions } = noTurn('tasks', retryAfter, isOwnLoad)
    super('UNAVAILABLE', message, extensions)
  }
}

const retryAfter = 1

export const deadlinePassed = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The task did not finish in time; retry in 1 s.', { retryAfter })

export const threadEnded = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The task was interrupted; retry in 1 s.', { retryAfter })
