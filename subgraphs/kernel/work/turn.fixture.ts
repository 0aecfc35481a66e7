/** Keeps the process busy for a time. */
export function busyFor(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

/** Counts in how many turns of the event loop pieces of work run. */
export class PiecesOfTurns {
  #all = 0
  #thisTurn = 0
  #longestTurn = 0
  #hasEnded = false

  constructor() {
    const next = (): void => {
      this.#thisTurn = 0
      if (!this.#hasEnded) setImmediate(next)
    }
    setImmediate(next)
  }

  readonly count = (): void => {
    this.#all++
    this.#longestTurn = Math.max(this.#longestTurn, ++this.#thisTurn)
  }

  /** The number of all pieces, and of those in the turn with the most. */
  end(): { readonly all: number; readonly longestTurn: number } {
    this.#hasEnded = true
    return { all: this.#all, longestTurn: this.#longestTurn }
  }
}
