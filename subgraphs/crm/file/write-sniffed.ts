import type { FileStore, WriteOptions } from '../../kernel/file/file-store.ts'
import { mediaTypeOf, sniffedBytes } from './content-type.ts'
import type { File } from './file.ts'

/** The columns of a file that follow from its bytes. The bytes are on the disk and have no owner yet. */
export type WrittenContent = {
  readonly [Name in 'contentId' | 'contentType' | 'size' | 'sha256']: NonNullable<File[Name]>
}

/** Passes the bytes on, and keeps the first ones. */
class Beginning {
  readonly #parts: Uint8Array[] = []
  #length = 0

  async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (this.#length < sniffedBytes) {
        const part = Buffer.from(chunk.subarray(0, sniffedBytes - this.#length))
        this.#parts.push(part)
        this.#length += part.length
      }
      yield chunk
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

/** Writes bytes, and finds their media type from the first ones. */
export async function writeSniffed(
  files: FileStore,
  source: AsyncIterable<Uint8Array>,
  options: WriteOptions,
): Promise<WrittenContent> {
  const beginning = new Beginning()
  const { id: contentId, bytes: size, sha256 } = await files.write(beginning.of(source), options)
  return { contentId, contentType: mediaTypeOf(beginning.bytes()), size, sha256 }
}
