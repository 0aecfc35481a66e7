/** The source of the current time. Tests replace it with a clock that they set. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
