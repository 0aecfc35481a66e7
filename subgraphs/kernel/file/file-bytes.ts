import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Refusal } from '../errors.ts'

/** The part of a file to read, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Where the bytes of files are. `FileStore` decides which files there are. */
export interface FileBytes {
  /** Stores the bytes. When it returns, they are durable; when it fails, nothing can be read under this id. */
  write(organizationId: string, id: string, content: MeasuredContent): Promise<void>
  /** Fails when there is no such file. */
  read(organizationId: string, id: string, range?: ByteRange): Promise<Readable>
  has(organizationId: string, id: string): Promise<boolean>
  /** Removes what there is of a file, whether it was complete or not. */
  remove(organizationId: string, id: string): Promise<void>
  /** Removes what no row of `kernel.file` names. `known` returns those of the ids that a row names. */
  removeUnknown(known: (organizationId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>
}

/** Bytes that are counted and hashed while they pass; more than `bytesMax` are refused. */
export class MeasuredContent {
  readonly #source: AsyncIterable<Uint8Array>
  readonly #bytesMax: number
  readonly #hash = createHash('sha256')
  #bytes = 0
  #sha256: Buffer | null = null

  constructor(source: AsyncIterable<Uint8Array>, bytesMax: number) {
    this.#source = source
    this.#bytesMax = bytesMax
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#source) {
      this.#bytes += chunk.byteLength
      if (this.#bytes > this.#bytesMax) throw tooLarge(this.#bytesMax)
      this.#hash.update(chunk)
      yield chunk
    }
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The SHA-256 of what has passed; nothing may pass afterwards. */
  get sha256(): Buffer {
    return (this.#sha256 ??= this.#hash.digest())
  }
}

export const tooLarge = (bytesMax: number): Refusal =>
  new Refusal('PAYLOAD_TOO_LARGE', `The file must have at most ${bytesMax} bytes.`)

export const noStorage = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The platform cannot store or read files at the moment; retry in 60 s.', {
    retryAfter: 60,
  })
