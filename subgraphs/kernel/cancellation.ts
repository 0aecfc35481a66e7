import type { ServerResponse } from 'node:http'

/** Work that can be stopped before it has finished. */
export interface Cancellable {
  cancel(): void
}

/**
 * Cancels the work of one operation when its client disconnects. Every statement of a request registers here, because that takes
 * 0.2 µs for three statements, and listeners of an AbortSignal take 1 µs. `signal` is for code that requires an AbortSignal.
 */
export class Cancellation {
  isCancelled = false
  readonly #running = new Set<Cancellable>()
  #controller: AbortController | null = null

  /** The same cancellation as an AbortSignal, for `fetch` and other external calls. It is created on first use. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isCancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }

  /** Work that is added after the cancellation is not cancelled, so the caller must check `isCancelled` first. */
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

/** A cancellation that happens when the connection closes before the response has been sent completely. */
export function cancellationOnDisconnect(response: ServerResponse): Cancellation {
  const cancellation = new Cancellation()
  if (response.destroyed) cancellation.cancel()
  response.once('close', () => {
    if (!response.writableFinished) cancellation.cancel()
  })
  return cancellation
}
