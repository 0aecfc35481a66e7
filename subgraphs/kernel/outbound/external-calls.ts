const roundsMax = 4

type Outcome = { readonly value: unknown } | { readonly error: unknown }

export type Call<T> = () => Promise<T>

/**
 * The external calls of one piece of work, and their outcomes. A transaction that needs the result of an external call is rolled
 * back, the call is made while no transaction is open, and the work runs again with the result. Each call is made once.
 */
export class ExternalCalls {
  private readonly outcomes = new Map<string, Outcome>()
  private readonly waiting = new Map<string, Call<unknown>>()
  private rounds = 0

  outcomeOf(key: string): Outcome | undefined {
    return this.outcomes.get(key)
  }

  /** Registers a call, to be made after the transaction has been rolled back. */
  add(key: string, call: Call<unknown>): void {
    this.waiting.set(key, call)
  }

  /** Makes the registered calls. True: the work must run again. False: no call was registered, or the maximum number of rounds is reached. */
  async callRegistered(): Promise<boolean> {
    const calls = [...this.waiting]
    this.waiting.clear()
    if (calls.length === 0 || ++this.rounds > roundsMax) return false
    for (const [key, call] of calls) {
      const outcome = call().then(
        (value): Outcome => ({ value }),
        (error: unknown): Outcome => ({ error }),
      )
      this.outcomes.set(key, await outcome)
    }
    return true
  }
}
