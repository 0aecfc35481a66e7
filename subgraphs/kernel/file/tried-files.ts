import type { Sql } from '../database/sql.ts'
import { newId } from '../ids.ts'
import { MeasuredContent, tooLarge } from './file-bytes.ts'
import { FileStore, type WriteOptions, type WrittenFile } from './file-store.ts'

interface TriedFile extends WrittenFile {
  readonly organizationId: string
  /** Bytes for which there must be room before the first of them arrives. */
  readonly counted: number
}

/** The files of a dry run, which reads those that exist. Bytes that are written are measured, and stored nowhere. */
export class TriedFiles extends FileStore {
  readonly #written: TriedFile[] = []

  override async write(
    source: AsyncIterable<Uint8Array>,
    { organizationId, bytesMax, announced, isReserved = false }: WriteOptions,
  ): Promise<WrittenFile> {
    if (announced != null && announced > bytesMax) throw tooLarge(bytesMax)
    const content = new MeasuredContent(source, bytesMax)
    for await (const _ of content.chunks());
    const written = { id: newId(), bytes: content.bytes, sha256: content.sha256.toString('hex') }
    const [bytes, counted] = isReserved ? [0, 0] : [content.bytes, announced ?? bytesMax]
    this.#written.push({ ...written, organizationId, bytes, counted })
    return written
  }

  /** Adds the rows of what was written before the transaction, which is rolled back. */
  async insertWritten(sql: Sql): Promise<void> {
    for (const { organizationId, id, bytes, counted, sha256 } of this.#written) {
      await this.insert(sql, organizationId, { id, state: 'WRITING', bytes: counted })
      await sql.query(
        `update kernel.file set state = 'WRITTEN', bytes = $3, sha256 = $4 where organization_id = $1 and id = $2`,
        [organizationId, id, bytes, sha256],
        'WRITE',
      )
    }
  }

  override discard(): Promise<void> {
    return Promise.resolve()
  }

  override deleteReleased(): Promise<void> {
    return Promise.resolve()
  }

  override remove(): Promise<void> {
    return Promise.resolve()
  }
}
