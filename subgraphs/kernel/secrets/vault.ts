import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ConfigError } from '../config-error.ts'
import type { Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { seal, unseal } from '../seal.ts'

/** For what belongs to no organization. */
export const platformId = '00000000-0000-0000-0000-000000000000'

/** All data keys of one organization. */
interface Keyring {
  /** By version; a key never changes under its version. */
  readonly keys: ReadonlyMap<number, Buffer>
  readonly latest: number
  readonly freshUntil: number
}

interface WrappedKey {
  readonly version: number
  readonly wrapped: string
  readonly masterId: string
}

/** Tells master keys apart without telling anything of them. */
const masterIdOf = (master: Buffer): string =>
  createHash('sha256').update('master').update(master).digest('hex').slice(0, 16)

/** After this the data keys of an organization are read again, for one that another process made. */
const freshMs = 60_000

const wrapPlace = (organizationId: string, version: number): string => `kernel.data_key/${organizationId}/${version}`

/**
 * Secrets that must be read back: sealed with a data key of their organization, which is itself kept wrapped by the master
 * key. A sealed text is `k<version>.<AES-256-GCM>` and opens only in the place (table, row, column) that it was sealed for.
 *
 * `load` reads data keys, and makes the first; it comes before the transaction in which `seal` and `open` are called. These
 * two ask the database for nothing, so a transaction never waits for a second connection.
 */
export class Vault {
  readonly #masters: ReadonlyMap<string, Buffer>
  readonly #masterId: string
  readonly #rings = new LRUCache<string, Keyring>({ max: 10_000 })
  /** Of the platform itself; mail in any transaction is sealed with it, so it is never dropped for others. */
  #platformRing: Keyring | undefined
  readonly #loading = new Map<string, Promise<void>>()
  /** Runs what a transaction only gives rise to, outside it. */
  readonly #outside = AsyncLocalStorage.snapshot()

  constructor(
    private readonly database: Sql,
    private readonly master: Buffer,
    /** Master keys that data keys may still be wrapped with. */
    former: readonly Buffer[] = [],
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#masterId = masterIdOf(master)
    this.#masters = new Map([...former, master].map((key) => [masterIdOf(key), key]))
  }

  /** Has the data keys of an organization at hand: to seal, or to open what is given. Not for use inside a transaction. */
  async load(organizationId: string, sealed?: string): Promise<void> {
    // A read that is under way may have begun before the key was made; the next one has not.
    for (let reads = 0; reads < 2 && !this.#isAtHand(organizationId, sealed); reads++) await this.#read(organizationId)
    if (sealed === undefined || this.#isAtHand(organizationId, sealed)) return
    throw new Error(`There is no data key ${versionOf(sealed)} of organization ${organizationId}.`)
  }

  seal(organizationId: string, place: string, text: string): string {
    const ring = this.#ringOf(organizationId)
    if (!ring) throw this.#notAtHand(organizationId)
    if (ring.freshUntil <= this.now()) this.#readLater(organizationId)
    return `k${ring.latest}.${seal(ring.keys.get(ring.latest)!, place, text)}`
  }

  /** Throws when the text was altered, moved to another place or belongs to another organization. */
  open(organizationId: string, place: string, sealed: string): string {
    const bytes = this.#ringOf(organizationId)?.keys.get(versionOf(sealed))
    if (!bytes) throw this.#notAtHand(organizationId)
    return unseal(bytes, place, sealed.slice(sealed.indexOf('.') + 1))
  }

  /** A new data key for what is sealed from now on; gives its version. */
  async renew(organizationId: string): Promise<number> {
    const [last] = await this.database.query<{ version: number }>(
      'select coalesce(max(version), 0)::int as version from kernel.data_key where organization_id = $1',
      [organizationId],
    )
    await this.#make(organizationId, last!.version + 1)
    this.#remember(organizationId, await this.#stored(organizationId))
    return last!.version + 1
  }

  /** Wraps with the master key what a former one wraps; gives how many data keys that were. */
  async rewrap(): Promise<number> {
    const rows = await this.database.query<WrappedKey & { organizationId: string }>(
      `select organization_id as "organizationId", version, wrapped, master_id as "masterId" from kernel.data_key where master_id <> $1`,
      [this.#masterId],
    )
    for (const row of rows) {
      const wrapped = this.#wrap(row.organizationId, row.version, this.#unwrap(row.organizationId, row))
      await this.database.query(
        'update kernel.data_key set wrapped = $3, master_id = $4 where organization_id = $1 and version = $2',
        [row.organizationId, row.version, wrapped, this.#masterId],
      )
    }
    return rows.length
  }

  #ringOf(organizationId: string): Keyring | undefined {
    return organizationId === platformId ? this.#platformRing : this.#rings.get(organizationId)
  }

  #isAtHand(organizationId: string, sealed: string | undefined): boolean {
    const ring = this.#ringOf(organizationId)
    if (!ring) return false
    return sealed === undefined ? ring.freshUntil > this.now() : ring.keys.has(versionOf(sealed))
  }

  /** One read at a time for each organization, however many wait for it. */
  #read(organizationId: string): Promise<void> {
    let loading = this.#loading.get(organizationId)
    if (!loading) {
      loading = this.#readOrMake(organizationId).finally(() => this.#loading.delete(organizationId))
      this.#loading.set(organizationId, loading)
    }
    return loading
  }

  async #readOrMake(organizationId: string): Promise<void> {
    let rows = await this.#stored(organizationId)
    if (rows.length === 0) {
      await this.#make(organizationId, 1)
      rows = await this.#stored(organizationId)
    }
    this.#remember(organizationId, rows)
  }

  /** Nobody waits for it: the keys that are at hand still serve. */
  #readLater(organizationId: string): void {
    this.#outside(() => void this.#read(organizationId).catch(() => undefined))
  }

  /** A key that another process made a moment ago, or that nobody loaded: it is there when the request comes again. */
  #notAtHand(organizationId: string): Refusal {
    this.#readLater(organizationId)
    return new Refusal('UNAVAILABLE', 'A key is being read; try again.', { retryAfter: 1 })
  }

  #stored(organizationId: string): Promise<WrappedKey[]> {
    return this.database.query<WrappedKey>(
      `select version, wrapped, master_id as "masterId" from kernel.data_key where organization_id = $1 order by version`,
      [organizationId],
    )
  }

  /** Of processes that make the first key at once, one wins and all use it. Committed by itself, before anything is sealed with it. */
  async #make(organizationId: string, version: number): Promise<void> {
    await this.database.query(
      `insert into kernel.data_key (organization_id, version, wrapped, master_id, created_at) values ($1, $2, $3, $4, now())
       on conflict (organization_id, version) do nothing`,
      [organizationId, version, this.#wrap(organizationId, version, randomBytes(32)), this.#masterId],
    )
  }

  #remember(organizationId: string, rows: readonly WrappedKey[]): void {
    const known = this.#ringOf(organizationId)?.keys
    const keys = new Map(rows.map((row) => [row.version, known?.get(row.version) ?? this.#unwrap(organizationId, row)]))
    const ring = { keys, latest: rows.at(-1)!.version, freshUntil: this.now() + freshMs }
    if (organizationId === platformId) this.#platformRing = ring
    else this.#rings.set(organizationId, ring)
  }

  #wrap(organizationId: string, version: number, bytes: Buffer): string {
    return seal(this.master, wrapPlace(organizationId, version), bytes.toString('base64'))
  }

  #unwrap(organizationId: string, { version, wrapped, masterId }: WrappedKey): Buffer {
    const master = this.#masters.get(masterId)
    if (!master)
      throw new ConfigError(
        `The data keys are wrapped with another master key (${masterId}); give it as ENCRYPTION_KEY_FORMER.`,
      )
    return Buffer.from(unseal(master, wrapPlace(organizationId, version), wrapped), 'base64')
  }
}

export function versionOf(sealed: string): number {
  const match = /^k([1-9]\d{0,8})\./.exec(sealed)
  if (!match) throw new Error('This is no sealed text.')
  return Number(match[1])
}
