/** Records of one type of which some were merged into another one. */
export interface Merged {
  readonly object: string
  readonly winner: string
  readonly losers: readonly string[]
}
