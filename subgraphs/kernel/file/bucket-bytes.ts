import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { Logger } from 'pino'
import type { BucketSettings } from '../config/file-store.ts'
import type { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import { refusedAddress } from '../outbound/outbound-error.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { namesIn, onDisk, writeFlushed } from './disk-bytes.ts'
import { noStorage, type ByteRange, type FileBytes, type MeasuredContent } from './file-bytes.ts'
import { keyOf, spoolFolder } from './file-place.ts'

const attemptsMax = 3
/** What a process that was killed leaves in the folder of waiting files is deleted after this time; a request takes less. */
const spoolMsMax = 2 * 3_600_000

const timeouts = {
  connectionTimeout: 5_000,
  /** Until the answer begins. */
  requestTimeout: 30_000,
  throwOnRequestTimeout: true,
  /** Without a byte in either direction. */
  socketTimeout: 60_000,
} as const

/** A client that downloads slowly keeps its connection to the store. */
const socketsMax = 500

const nothing = () => undefined
/** The client would write to the console. Failures are logged where they are answered. */
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing } as const

const statusOf = (error: unknown): number | undefined => (error as S3ServiceException).$metadata?.httpStatusCode

export interface BucketDependencies {
  readonly dataDir: string
  readonly log: Pick<Logger, 'error'>
  /** Decides which addresses may be connected to, as for all requests to other hosts. */
  readonly outbound: Pick<Outbound, 'lookup' | 'isRefusedAddress'>
}

/**
 * Files in a bucket of a store that speaks the protocol of S3, as `files/<organization>/<id>`. A file waits on the disk of this process until it is
 * complete, so that it is sent in one request of known length, which the store accepts as a whole or not at all.
 */
export class BucketBytes implements FileBytes {
  readonly #settings: BucketSettings
  readonly #log: BucketDependencies['log']
  readonly #outbound: BucketDependencies['outbound']
  readonly #spool: string
  #client: Promise<S3Client> | null = null

  constructor(settings: BucketSettings, { dataDir, log, outbound }: BucketDependencies) {
    this.#settings = settings
    this.#log = log
    this.#outbound = outbound
    this.#spool = join(dataDir, spoolFolder)
  }

  async write(organizationId: string, id: string, content: MeasuredContent): Promise<void> {
    const path = join(this.#spool, newId())
    try {
      await onDisk(async () => {
        await mkdir(this.#spool, { recursive: true, mode: 0o700 })
        await writeFlushed(content, path)
      })
      await this.#send(organizationId, id, path, content)
    } finally {
      await rm(path, { force: true })
    }
  }

  async read(organizationId: string, id: string, range?: ByteRange): Promise<Readable> {
    const { GetObjectCommand } = await import('@aws-sdk/client-s3')
    const command = new GetObjectCommand({
      ...this.#place(organizationId, id),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    })
    try {
      const { Body: body } = await (await this.#connected()).send(command)
      return body as Readable
    } catch (error) {
      if (statusOf(error) === 416) return Readable.from([])
      if (statusOf(error) === 404) throw error
      throw this.#failed(error)
    }
  }

  async has(organizationId: string, id: string): Promise<boolean> {
    const { HeadObjectCommand } = await import('@aws-sdk/client-s3')
    try {
      await (await this.#connected()).send(new HeadObjectCommand(this.#place(organizationId, id)))
      return true
    } catch (error) {
      if (statusOf(error) === 404) return false
      throw this.#failed(error)
    }
  }

  async remove(organizationId: string, id: string): Promise<void> {
    const { DeleteObjectCommand } = await import('@aws-sdk/client-s3')
    try {
      await (await this.#connected()).send(new DeleteObjectCommand(this.#place(organizationId, id)))
    } catch (error) {
      // Some stores refuse to delete what is not there.
      if (statusOf(error) !== 404) throw this.#failed(error)
    }
  }

  /**
   * Deletes what killed processes left on this disk. Nothing in the bucket is deleted without a row: the database may be an older copy, and the
   * bucket that of the platform from which it was copied.
   */
  async removeUnknown(): Promise<void> {
    for (const name of await namesIn(this.#spool)) {
      const path = join(this.#spool, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
      if (Date.now() - mtimeMs > spoolMsMax) await rm(path, { force: true })
    }
  }

  #place(organizationId: string, id: string) {
    return { Bucket: this.#settings.bucket, Key: keyOf(organizationId, id) }
  }

  /** Sends a file that is complete. The store compares its SHA-256. */
  async #send(organizationId: string, id: string, path: string, { bytes, sha256 }: MeasuredContent): Promise<void> {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3')
    for (let attempt = 1; ; attempt++) {
      const body = createReadStream(path)
      const command = new PutObjectCommand({
        ...this.#place(organizationId, id),
        Body: body,
        ContentLength: bytes,
        ContentType: 'application/octet-stream',
        ChecksumSHA256: sha256.toString('base64'),
      })
      try {
        await (await this.#connected()).send(command)
        return
      } catch (error) {
        const status = statusOf(error) ?? 500
        const isOver = attempt === attemptsMax || (status < 500 && status !== 429)
        if (isOver) throw this.#failed(error)
      } finally {
        body.destroy()
      }
    }
  }

  #failed(error: unknown): Refusal {
    const { bucket } = this.#settings
    this.#log.error({ err: error, bucket, status: statusOf(error) }, 'the store of files does not answer as it must')
    return noStorage()
  }

  #connected(): Promise<S3Client> {
    const { endpoint } = this.#settings
    // A connection to an address resolves no name.
    if (endpoint !== null && this.#outbound.isRefusedAddress(new URL(endpoint))) throw refusedAddress()
    return (this.#client ??= this.#connect())
  }

  async #connect(): Promise<S3Client> {
    // Imported only here, because most platforms have their files on the disk.
    const { S3Client: Client } = await import('@aws-sdk/client-s3')
    const sockets = { keepAlive: true, maxSockets: socketsMax, lookup: this.#outbound.lookup() }
    const { endpoint, region, accessKeyId, secretAccessKey, isPathStyle } = this.#settings
    return new Client({
      ...(endpoint !== null && { endpoint }),
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: isPathStyle,
      logger,
      maxAttempts: attemptsMax,
      // Older stores do not know the checksums that the client adds on its own.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { ...timeouts, httpAgent: new HttpAgent(sockets), httpsAgent: new HttpsAgent(sockets) },
    })
  }
}
