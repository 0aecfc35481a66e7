import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'

/**
 * An async generator that can be ended while it waits for a value; a plain async generator handles `return` only between two values.
 * `onEnd` is called exactly once, for every kind of end and also if no value was ever requested.
 */
export class CancellableGenerator<T> implements AsyncGenerator<T> {
  #onEnd: (() => void) | null

  constructor(
    private readonly source: AsyncGenerator<T>,
    private readonly cancellation: Cancellation,
    onEnd: () => void,
  ) {
    this.#onEnd = onEnd
    cancellation.add({ cancel: () => this.#end() })
    if (cancellation.isCancelled) this.#end()
  }

  async next(): Promise<IteratorResult<T>> {
    try {
      const next = await this.source.next()
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
    this.source.return(undefined).catch(() => {})
  }

  #end(): void {
    this.#onEnd?.()
    this.#onEnd = null
  }
}
