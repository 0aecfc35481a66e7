import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'

const roundsMax = 20
/** What the batches of one piece of work may take together. Other calls have deadlines of their own. */
export const batchesMsMax = 15_000

export type Outcome = { readonly value: unknown } | { readonly error: unknown }

export type Call<T> = () => Promise<T>

/** Makes all calls of a batch at once, in at most `msMax` milliseconds: one outcome for each item, in their order. */
export type BatchCall<I> = (items: readonly I[], msMax: number) => Promise<readonly Outcome[]>

interface Batch {
  readonly items: Map<string, unknown>
  readonly call: BatchCall<unknown>
}

const outcomeOf = (made: Promise<unknown>): Promise<Outcome> =>
  made.then(
    (value): Outcome => ({ value }),
    (error: unknown): Outcome => ({ error }),
  )

/** What a transaction is refused with while it waits for calls. Callers get it only when the calls do not end. */
export const callsWaiting = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The call to an external service was not made; retry in 1 s.', { retryAfter: 1 })

/**
 * The external calls of one piece of work, and their outcomes. A transaction that needs the result of an external call is rolled
 * back, the calls are made while no transaction is open, and the work runs again with their results. Each call is made once.
 */
export class ExternalCalls {
  readonly #outcomes = new Map<string, Outcome>()
  readonly #waiting = new Map<string, Call<unknown>>()
  readonly #batches = new Map<string, Batch>()
  /** New ids of the work by what they are for, the same in every round: keys that contain them would change otherwise. */
  readonly #ids = new Map<string, string>()
  readonly #occurrences = new Map<string, number>()
  /** What was numbered in this round, in its order. */
  readonly #numbered: string[] = []
  #rounds = 0
  #batchesMs = 0

  /** Before the work runs, for the first time or again. */
  beginRound(): void {
    this.#occurrences.clear()
    this.#numbered.length = 0
  }

  outcomeOf(key: string): Outcome | undefined {
    return this.#outcomes.get(key)
  }

  /** Registers a call, to be made after the transaction has been rolled back. */
  add(key: string, call: Call<unknown>): void {
    this.#waiting.set(key, call)
  }

  /** Registers a call that is made together with all others of the same batch in this round. */
  addToBatch<I>(name: string, key: string, item: I, call: BatchCall<I>): void {
    let batch = this.#batches.get(name)
    if (!batch) this.#batches.set(name, (batch = { items: new Map(), call: call as BatchCall<unknown> }))
    batch.items.set(key, item)
  }

  /** The key, with its number among the equal ones of this round. */
  numbered(key: string): string {
    const number = this.#occurrences.get(key) ?? 0
    this.#occurrences.set(key, number + 1)
    this.#numbered.push(key)
    return `${number} ${key}`
  }

  /** How many keys were numbered in this round. */
  get numberedCount(): number {
    return this.#numbered.length
  }

  /** Work that was taken back after so many keys is done again in the same round: it gets the same numbers, and so the same outcomes and ids. */
  forgetAfter(count: number): void {
    for (const key of this.#numbered.splice(count)) this.#occurrences.set(key, this.#occurrences.get(key)! - 1)
  }

  /** A new id for what the name says, which stays the same when the work runs again. */
  idOf(name: string): string {
    let id = this.#ids.get(name)
    if (!id) this.#ids.set(name, (id = newId()))
    return id
  }

  /** Whether a call was registered in this round. Then the transaction must be rolled back, also when its work returned. */
  get isWaiting(): boolean {
    return this.#waiting.size + this.#batches.size > 0
  }

  requireNoneWaiting(): void {
    if (this.isWaiting) throw callsWaiting()
  }

  /** Makes the registered calls. True: the work must run again. False: no call was registered, or the maximum number of rounds is reached. */
  async callRegistered(): Promise<boolean> {
    const calls = [...this.#waiting]
    const batches = [...this.#batches.values()]
    this.#waiting.clear()
    this.#batches.clear()
    if (calls.length + batches.length === 0 || ++this.#rounds > roundsMax) return false
    for (const [key, call] of calls) this.#outcomes.set(key, await outcomeOf(call()))
    if (batches.length > 0) await this.#callTogether(batches)
    return true
  }

  async #callTogether(batches: readonly Batch[]): Promise<void> {
    const startedAt = performance.now()
    const msMax = Math.max(0, batchesMsMax - this.#batchesMs)
    await Promise.all(batches.map((batch) => this.#callBatch(batch, msMax)))
    this.#batchesMs += performance.now() - startedAt
  }

  async #callBatch({ items, call }: Batch, msMax: number): Promise<void> {
    const keys = [...items.keys()]
    try {
      const outcomes = await call([...items.values()], msMax)
      for (const [index, key] of keys.entries()) this.#outcomes.set(key, outcomes[index]!)
    } catch (error) {
      for (const key of keys) this.#outcomes.set(key, { error })
    }
  }
}
