import type { ServerResponse } from 'node:http'

/** What can be stopped before it has finished. */
export interface Cancellable {
  cancel(): void
}

/**
 * Tells the work of one operation that its client has left. Every statement of a request registers here, which takes 0.2 µs for
 * three of them; with listeners of an AbortSignal it takes 1 µs. Whatever wants an AbortSignal asks for `signal`.
 */
export class Cancellation {
  isCancelled = false
  readonly #running = new Set<Cancellable>()
  #controller: AbortController | null = null

  /** The same as an AbortSignal, for `fetch` and other calls that leave the process. It is made when it is first asked for. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isCancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /** Whoever is added after the client has left is not told: it asks `isCancelled` first. */
  add(work: Cancellable): void {
    this.#running.add(work)
  }

  delete(work: Cancellable): void {
    this.#running.delete(work)
  }

  cancel(): void {
    if (this.isCancelled) return
    this.isCancelled = true
    for (const work of this.#running) work.cancel()
    this.#running.clear()
    this.#controller?.abort()
  }
}

/** Cancelled when the connection closes before the answer has left. */
export function cancellationBy(response: ServerResponse): Cancellation {
  const cancellation = new Cancellation()
  if (response.destroyed) cancellation.cancel()
  response.once('close', () => {
    if (!response.writableFinished) cancellation.cancel()
  })
  return cancellation
}
