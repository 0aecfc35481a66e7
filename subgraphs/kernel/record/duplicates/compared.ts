/** What the context knows of a transaction that compares many records; `comparedKeysOf` of `compared-keys.ts` has all of it. */
export interface Compared {
  /** How many records of the transaction were compared. */
  readonly count: number
}
