/** A file that is made while it is read, in parts of a fixed size; a part may end anywhere. */
export class SplitBytes {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer | null = null
  #hasEnded = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Whether another part follows, which has at least one byte. */
  async hasNext(): Promise<boolean> {
    while (!this.#rest && !this.#hasEnded) {
      const { done, value } = await this.#source.next()
      if (done) this.#hasEnded = true
      else if (value.length > 0) this.#rest = value
    }
    return this.#rest !== null
  }

  /** The next part, with at most so many bytes. */
  async *next(bytesMax: number): AsyncGenerator<Buffer> {
    for (let left = bytesMax; left > 0 && (await this.hasNext());) {
      const bytes = this.#rest!
      this.#rest = bytes.length > left ? bytes.subarray(left) : null
      const own = bytes.subarray(0, left)
      left -= own.length
      yield own
    }
  }

  /** Ends the source before it was read to its end. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
