import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { flush } from '../database/copy-tree.ts'
import { lockOf } from '../database/locks.ts'
import type { Sql } from '../database/sql.ts'
import type { Tenancy } from '../database/tenant-database.ts'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { folderOf, partialSuffix, pathOf } from './file-place.ts'

/** A file that is on the disk and has no owner yet. */
export interface WrittenFile {
  readonly id: string
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface WriteOptions {
  readonly organizationId: string
  /** A larger file is refused with PAYLOAD_TOO_LARGE. */
  readonly bytesMax: number
  /** How many bytes the sender announced; null if it did not. */
  readonly announced?: number | null
  /** The bytes are part of what `reserveBytes` has reserved, so they count only when the file gets its owner (`keepFile`). */
  readonly isReserved?: boolean
}

/** The part of a file to read, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface FileStoreOptions {
  readonly dataDir: string
  readonly tenants: Tenancy
  readonly clock: Clock
  /** Bytes of files that one organization may have; null: any number. */
  readonly bytesMax: number | null
}

/**
 * The files of organizations, in `DATA_DIR/files`. A file is written under a temporary name, flushed and renamed before anything refers to it;
 * `keepFile` gives it an owner in the transaction that stores the owner. What a killed process leaves without an owner is deleted by a job.
 */
export class FileStore {
  readonly #options: FileStoreOptions

  constructor(options: FileStoreOptions) {
    this.#options = options
  }

  get dataDir(): string {
    return this.#options.dataDir
  }

  /** Bytes of files that one organization may have; null: any number. */
  get bytesMax(): number | null {
    return this.#options.bytesMax
  }

  /** Writes a file. Must not be called inside a transaction. */
  async write(
    source: AsyncIterable<Uint8Array>,
    { organizationId, bytesMax, announced, isReserved = false }: WriteOptions,
  ): Promise<WrittenFile> {
    if (announced != null && announced > bytesMax) throw tooLarge(bytesMax)
    const { dataDir, tenants } = this.#options
    const db = tenants.of(organizationId)
    const id = newId()
    const counted = isReserved ? 0 : (announced ?? bytesMax)
    await db.transaction((sql) => this.#insert(sql, organizationId, { id, state: 'WRITING', bytes: counted }))
    const path = pathOf(dataDir, organizationId, id)
    try {
      await mkdir(folderOf(dataDir, organizationId), { recursive: true, mode: 0o700 })
      const { bytes, sha256 } = await writeFlushed(source, `${path}${partialSuffix}`, bytesMax)
      await rename(`${path}${partialSuffix}`, path)
      await flush(dirname(path))
      const written = await db.query(
        `update kernel.file set state = 'WRITTEN', bytes = $3, sha256 = $4 where organization_id = $1 and id = $2 and state = 'WRITING' returning 1`,
        [organizationId, id, isReserved ? 0 : bytes, sha256],
        'WRITE',
      )
      if (written.length === 0) throw new Refusal('REQUEST_TIMEOUT', 'The upload took too long; send the file again.')
      return { id, bytes, sha256 }
    } catch (error) {
      await this.#discard(db, organizationId, id).catch(() => undefined)
      throw isDiskFull(error) ? noRoomOnDisk() : error
    }
  }

  /** Deletes a file that was written and will get no owner. */
  async discard(organizationId: string, id: string): Promise<void> {
    await this.#discard(this.#options.tenants.of(organizationId), organizationId, id)
  }

  /** The bytes of a file that has an owner; fails when the file is missing. */
  async read(organizationId: string, id: string, range?: ByteRange): Promise<Readable> {
    const path = pathOf(this.#options.dataDir, organizationId, id)
    const { size } = await stat(path)
    if (size === 0) return createReadStream(path)
    return createReadStream(path, { ...(range && { start: range.start, end: range.end }) })
  }

  /** Reserves bytes for a file that arrives in parts, in the transaction of `sql`. Returns the id of the reservation. */
  async reserveBytes(sql: Sql, organizationId: string, bytes: number): Promise<string> {
    const id = newId()
    await this.#insert(sql, organizationId, { id, state: 'RESERVED', bytes })
    return id
  }

  /** Deletes files that were released, and that no backup needs to find. */
  async deleteReleased(organizationId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) await removeFile(this.#options.dataDir, organizationId, id)
    await this.#options.tenants
      .of(organizationId)
      .query(
        `delete from kernel.file where organization_id = $1 and id = any($2::uuid[]) and state = 'RELEASED'`,
        [organizationId, ids],
        'WRITE',
      )
  }

  /** Whether the bytes of a file are there. After a restore, those that were deleted during the backup are not. */
  async has(organizationId: string, id: string): Promise<boolean> {
    return stat(pathOf(this.#options.dataDir, organizationId, id)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false
        throw error
      },
    )
  }

  /** Adds the row of a file, if the organization has room for it. */
  async #insert(sql: Sql, organizationId: string, { id, state, bytes }: NewRow): Promise<void> {
    const { bytesMax, clock } = this.#options
    if (bytes > 0) {
      // Two uploads at the same time must not exceed the limit together.
      await sql.query(`select pg_advisory_xact_lock(${lockOf('files')})`, [organizationId], 'WRITE')
      const [row] = await sql.query<{ kept: string | null }>(
        'select sum(bytes)::text as kept from kernel.file where organization_id = $1',
        [organizationId],
        'WRITE',
      )
      const kept = Number(row?.kept ?? 0)
      if (bytesMax !== null && kept + bytes > bytesMax) throw noRoom(bytesMax)
    }
    await sql.query(
      'insert into kernel.file (organization_id, id, state, bytes, created_at) values ($1, $2, $3, $4, $5)',
      [organizationId, id, state, bytes, clock.now().toISOString()],
      'WRITE',
    )
  }

  async #discard(db: Sql, organizationId: string, id: string): Promise<void> {
    await removeFile(this.#options.dataDir, organizationId, id)
    await db.query(
      `delete from kernel.file where organization_id = $1 and id = $2 and state in ('WRITING', 'WRITTEN')`,
      [organizationId, id],
      'WRITE',
    )
  }
}

interface NewRow {
  readonly id: string
  readonly state: 'WRITING' | 'RESERVED'
  readonly bytes: number
}

/**
 * Gives a written file its owner, in the transaction that stores the owner. `bytes`: how many it counts, if they were reserved and their
 * reservation ends in the same transaction.
 */
export async function keepFile(
  db: Sql,
  organizationId: string,
  id: string,
  bytes: number | null = null,
): Promise<void> {
  const kept = await db.query(
    `update kernel.file set state = 'KEPT', bytes = coalesce($3::int8, bytes)
     where organization_id = $1 and id = $2 and state = 'WRITTEN' returning 1`,
    [organizationId, id, bytes],
    'WRITE',
  )
  if (kept.length === 0) throw new Refusal('REQUEST_TIMEOUT', 'The upload took too long; send the file again.')
}

/** Takes the owner away, in the transaction that deletes the owner. The file is deleted a day later, because a backup may be reading it. */
export async function releaseFile(db: Sql, organizationId: string, id: string, now: Date): Promise<void> {
  await db.query(
    `update kernel.file set state = 'RELEASED', released_at = $3 where organization_id = $1 and id = $2 and state = 'KEPT'`,
    [organizationId, id, now.toISOString()],
    'WRITE',
  )
}

/** Ends a reservation, in the transaction that stores what was reserved for, or that gives it up. */
export async function endReservation(db: Sql, organizationId: string, id: string): Promise<void> {
  await db.query(
    `delete from kernel.file where organization_id = $1 and id = $2 and state = 'RESERVED'`,
    [organizationId, id],
    'WRITE',
  )
}

/** Removes what is on the disk of a file, whether it was complete or not. */
export async function removeFile(dataDir: string, organizationId: string, id: string): Promise<void> {
  const path = pathOf(dataDir, organizationId, id)
  await rm(`${path}${partialSuffix}`, { force: true })
  await rm(path, { force: true })
}

async function writeFlushed(
  source: AsyncIterable<Uint8Array>,
  path: string,
  bytesMax: number,
): Promise<Pick<WrittenFile, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256')
  let bytes = 0
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of source) {
      bytes += chunk.byteLength
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { bytes, sha256: hash.digest('hex') }
}

const tooLarge = (bytesMax: number): Refusal =>
  new Refusal('PAYLOAD_TOO_LARGE', `The file must have at most ${bytesMax} bytes.`)

const noRoom = (bytesMax: number): Refusal =>
  new Refusal(
    'STORAGE_LIMIT_EXCEEDED',
    `The files of the organization may have ${bytesMax} bytes together; delete some. Deleted files count for a day.`,
  )

const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

const noRoomOnDisk = (): Refusal =>
  new Refusal('UNAVAILABLE', 'The platform cannot store files at the moment; retry in 60 s.', { retryAfter: 60 })
