/** An auto-reset event: `wait` resolves as soon as `notify` was called after the previous `wait`. */
export class Signal {
  #isNotified = false
  #resume: (() => void) | null = null

  notify(): void {
    this.#isNotified = true
    this.#resume?.()
  }

  /** Only one caller may wait at a time. */
  async wait(): Promise<void> {
    if (!this.#isNotified) await new Promise<void>((resolve) => (this.#resume = resolve))
    this.#isNotified = false
    this.#resume = null
  }
}
