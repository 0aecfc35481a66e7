/** Something to wait for that may have happened before. */
export class Wake {
  #isWoken = false
  #resume: (() => void) | null = null

  wake(): void {
    this.#isWoken = true
    this.#resume?.()
  }

  /** Resolves when it was woken since the last time. */
  async next(): Promise<void> {
    if (!this.#isWoken) await new Promise<void>((resolve) => (this.#resume = resolve))
    this.#isWoken = false
    this.#resume = null
  }
}
