import { Refusal } from '../errors.ts'

/** Errors of a job whose items do not stop each other. They are thrown together at its end, so that the job is retried. */
export class Failures {
  readonly #errors: unknown[] = []

  /** Waits for the work of one item. A record that was deleted meanwhile is skipped. */
  async catch<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'NOT_FOUND')) this.#errors.push(error)
      return null
    }
  }

  throwTogether(): void {
    const count = this.#errors.length
    if (count > 0) throw new AggregateError(this.#errors, `${count} items failed; first: ${String(this.#errors[0])}`)
  }
}
