import type { Readable } from 'node:stream'
import type { OperationContext } from '../context.ts'
import type { ByteRange } from './file-store.ts'

/** A file to download. */
export interface OpenedFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
  read(range?: ByteRange): Promise<Readable>
}

/** The bytes of the files of one record type, for the process that has the connection to the client. */
export interface SentFiles {
  /** `announced`: the length that the client announced; null if it did not. Returns the record as changed. */
  upload(
    operation: OperationContext,
    id: string,
    source: AsyncIterable<Uint8Array>,
    announced: number | null,
  ): Promise<unknown>
  open(operation: OperationContext, id: string): Promise<OpenedFile>
  /** Takes one part of a file that is sent in parts. Returns how far the upload is. */
  uploadPart?(operation: OperationContext, id: string, part: number, sent: SentPart): Promise<unknown>
}

export interface SentPart {
  readonly source: AsyncIterable<Uint8Array>
  readonly announced: number | null
  /** SHA-256 that the client sent, in Base64; null if it did not. */
  readonly sha256: string | null
}

/** A text that is sent while it is made. */
export interface OpenedText {
  readonly name: string
  readonly mediaType: string
  readonly content: Readable
}

/** The files of jobs: what they load, and their results. */
export interface JobFiles {
  /** Takes a part of the file of a job. Returns the job. */
  uploadPart(operation: OperationContext, id: string, part: number, sent: SentPart): Promise<unknown>
  /** The file that a job has made. */
  download(operation: OperationContext, id: string): Promise<OpenedFile>
  results(operation: OperationContext, id: string, kind: string): Promise<OpenedText>
}
