/** What the context knows of writes that are collected; `collectedOf` of `collected-writes.ts` has all of it. */
export interface Collected {
  readonly hasPending: boolean
}
