import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'

/**
 * A generator that can be ended while it waits: by itself an async generator takes `return` only between two results. `ended` is
 * called once, whoever ends it, also when it never began.
 */
export class LiveResults<T> implements AsyncGenerator<T> {
  #ended: (() => void) | null

  constructor(
    private readonly results: AsyncGenerator<T>,
    private readonly cancellation: Cancellation,
    ended: () => void,
  ) {
    this.#ended = ended
    cancellation.add({ cancel: () => this.#end() })
    if (cancellation.isCancelled) this.#end()
  }

  async next(): Promise<IteratorResult<T>> {
    try {
      const next = await this.results.next()
      if (next.done) this.#end()
      return next
    } catch (thrown) {
      this.#end()
      if (this.cancellation.isCancelled) return { done: true, value: undefined }
      throw thrown
    }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#stop()
    return { done: true, value: undefined }
  }

  async throw(thrown: unknown): Promise<IteratorResult<T>> {
    this.#stop()
    throw thrown
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #stop(): void {
    this.cancellation.cancel()
    this.#end()
    this.results.return(undefined).catch(() => {})
  }

  #end(): void {
    this.#ended?.()
    this.#ended = null
  }
}
