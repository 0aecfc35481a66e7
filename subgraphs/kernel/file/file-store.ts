import type { Readable } from 'node:stream'
import { lockOf } from '../database/locks.ts'
import type { Sql } from '../database/sql.ts'
import type { Tenancy } from '../database/tenant-database.ts'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { DiskBytes } from './disk-bytes.ts'
import { MeasuredContent, tooLarge, type ByteRange, type FileBytes } from './file-bytes.ts'

export type { ByteRange }

/** A file that is stored and has no owner yet. */
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

/** A released file is kept so long, for a backup that has begun. */
export const releasedMs = 24 * 3_600_000

export interface FileStoreOptions {
  readonly dataDir: string
  /** Where the bytes are; in DATA_DIR without it. */
  readonly place?: FileBytes
  readonly tenants: Tenancy
  readonly clock: Clock
  /** Bytes of files that one organization may have; null: any number. */
  readonly bytesMax: number | null
}

/**
 * The files of organizations. The bytes of a file are durable before anything refers to it, and `keepFile` gives it an owner in the transaction that
 * stores the owner. What a killed process leaves without an owner is deleted by a job.
 */
export class FileStore {
  readonly #place: FileBytes

  constructor(readonly options: FileStoreOptions) {
    this.#place = options.place ?? new DiskBytes(options.dataDir)
  }

  get dataDir(): string {
    return this.options.dataDir
  }

  /** Bytes of files that one organization may have; null: any number. */
  get bytesMax(): number | null {
    return this.options.bytesMax
  }

  /** Writes a file. Must not be called inside a transaction. */
  async write(
    source: AsyncIterable<Uint8Array>,
    { organizationId, bytesMax, announced, isReserved = false }: WriteOptions,
  ): Promise<WrittenFile> {
    if (announced != null && announced > bytesMax) throw tooLarge(bytesMax)
    const { tenants } = this.options
    const db = tenants.of(organizationId)
    const id = newId()
    const counted = isReserved ? 0 : (announced ?? bytesMax)
    await db.transaction((sql) => this.insert(sql, organizationId, { id, state: 'WRITING', bytes: counted }))
    const content = new MeasuredContent(source, bytesMax)
    try {
      await this.#place.write(organizationId, id, content)
      const { bytes } = content
      const sha256 = content.sha256.toString('hex')
      const written = await db.query(
        `update kernel.file set state = 'WRITTEN', bytes = $3, sha256 = $4 where organization_id = $1 and id = $2 and state = 'WRITING' returning 1`,
        [organizationId, id, isReserved ? 0 : bytes, sha256],
        'WRITE',
      )
      if (written.length === 0) throw new Refusal('REQUEST_TIMEOUT', 'The upload took too long; send the file again.')
      return { id, bytes, sha256 }
    } catch (error) {
      await this.#discard(db, organizationId, id).catch(() => undefined)
      throw error
    }
  }

  /** Deletes a file that was written and will get no owner. */
  async discard(organizationId: string, id: string): Promise<void> {
    await this.#discard(this.options.tenants.of(organizationId), organizationId, id)
  }

  /** The bytes of a file that has an owner; fails when the file is missing. */
  read(organizationId: string, id: string, range?: ByteRange): Promise<Readable> {
    return this.#place.read(organizationId, id, range)
  }

  /** Reserves bytes for a file that arrives in parts, in the transaction of `sql`. Returns the id of the reservation. */
  async reserveBytes(sql: Sql, organizationId: string, bytes: number): Promise<string> {
    const id = newId()
    await this.insert(sql, organizationId, { id, state: 'RESERVED', bytes })
    return id
  }

  /** Deletes files that were released, and that no backup needs to find. What cannot be deleted now is deleted by the job `files.sweep`. */
  async deleteReleased(organizationId: string, ids: readonly string[]): Promise<void> {
    const removals = await Promise.allSettled(ids.map((id) => this.#place.remove(organizationId, id)))
    const removed = ids.filter((_, index) => removals[index]!.status === 'fulfilled')
    if (removed.length === 0) return
    await this.options.tenants
      .of(organizationId)
      .query(
        `delete from kernel.file where organization_id = $1 and id = any($2::uuid[]) and state = 'RELEASED'`,
        [organizationId, removed],
        'WRITE',
      )
  }

  /** Whether the bytes of a file are there. After a restore, those that were deleted during the backup are not. */
  has(organizationId: string, id: string): Promise<boolean> {
    return this.#place.has(organizationId, id)
  }

  /** Removes the bytes of a file whose row is deleted afterwards. */
  remove(organizationId: string, id: string): Promise<void> {
    return this.#place.remove(organizationId, id)
  }

  /** Removes the bytes that no row names, where the place allows it. */
  removeUnknown(known: Parameters<FileBytes['removeUnknown']>[0]): Promise<void> {
    return this.#place.removeUnknown(known)
  }

  /** Adds the row of a file, if the organization has room for it. */
  protected async insert(sql: Sql, organizationId: string, { id, state, bytes }: NewRow): Promise<void> {
    const { bytesMax, clock } = this.options
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
    const unowned = `organization_id = $1 and id = $2 and state in ('WRITING', 'WRITTEN')`
    const [found] = await db.query(`select 1 from kernel.file where ${unowned}`, [organizationId, id], 'WRITE')
    // It has an owner, or the job deletes it.
    if (!found) return
    try {
      await this.#place.remove(organizationId, id)
    } catch {
      // The place does not answer. The job `files.sweep` removes what may be there; until then it counts nothing.
      const overdue = new Date(this.options.clock.now().getTime() - releasedMs - 1).toISOString()
      await db.query(
        `update kernel.file set state = 'RELEASED', released_at = $3, bytes = 0 where ${unowned}`,
        [organizationId, id, overdue],
        'WRITE',
      )
      return
    }
    await db.query(`delete from kernel.file where ${unowned}`, [organizationId, id], 'WRITE')
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

const noRoom = (bytesMax: number): Refusal =>
  new Refusal(
    'STORAGE_LIMIT_EXCEEDED',
    `The files of the organization may have ${bytesMax} bytes together; delete some. Deleted files count for a day.`,
  )
