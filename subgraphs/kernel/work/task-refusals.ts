import { Refusal } from '../errors.ts'

const retryAfterMax = 60

/** The task has not begun, because too many are waiting: nothing of it was done. */
export class TaskNotBegun extends Refusal {
  constructor(waitMs: number) {
    const retryAfter = Math.min(retryAfterMax, Math.max(1, Math.ceil(waitMs / 1000)))
    super('UNAVAILABLE', `Too many tasks are waiting; retry in ${retryAfter} s.`, { retryAfter })
  }
}

const retryAfter = 1

export const deadlinePassed = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The task did not finish in time; retry in 1 s.', { retryAfter })

export const threadEnded = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The task was interrupted; retry in 1 s.', { retryAfter })
