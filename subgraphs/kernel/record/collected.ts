/** What the context knows of writes that are collected; `collectedOf` of `collected-writes.ts` has all of it. */
export interface Collected {
  readonly hasPending: boolean
}

/** Records that were collected before must be written, because a record is to be compared with them; then it is decided again. */
export class MustBeWritten extends Error {}
