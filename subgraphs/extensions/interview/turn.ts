import { turnMs } from '../flow/bounds.ts'

/** The time of one request or one turn of a worker, whose transaction begins again after each external call. */
export class Turn {
  readonly #endsAt = performance.now() + turnMs
  #begun = 0

  /** Whether an element is left to the next turn. One that has begun before an external call is not: what was called would be lost. */
  isOverAt(count: number): boolean {
    if (count <= this.#begun) return false
    if (performance.now() >= this.#endsAt) return true
    this.#begun = count
    return false
  }
}
