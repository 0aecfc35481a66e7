import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ConfigError } from '../config/config-error.ts'
import type { Sql } from '../database/sql.ts'
import { Refusal } from '../errors.ts'
import { seal, unseal } from './seal.ts'

/** The organization id of secrets that belong to the platform itself. */
export const platformId = '00000000-0000-0000-0000-000000000000'

/** All data keys of one organization. */
interface Keyring {
  /** By version. The key of a version never changes. */
  readonly keys: ReadonlyMap<number, Buffer>
  readonly latest: number
  readonly freshUntil: number
}

interface WrappedKey {
  readonly version: number
  readonly wrapped: string
  readonly masterId: string
}

/** Identifies a master key without revealing it. */
const masterIdOf = (master: Buffer): string =>
  createHash('sha256').update('master').update(master).digest('hex').slice(0, 16)

/** After this time the data keys of an organization are read again, to find keys that another process created. */
const freshMs = 60_000

const wrapPlace = (organizationId: string, version: number): string => `kernel.data_key/${organizationId}/${version}`

/**
 * Envelope encryption of secrets that must be read back. `seal` encrypts with a data key of the organization; data keys are stored
 * encrypted (wrapped) with the master key. A sealed text is `k<version>.<AES-256-GCM>` and can be opened only for the place
 * (table, row, column) that it was sealed for.
 *
 * `load` reads the data keys, and creates the first one. Call it before the transaction in which `seal` and `open` are called.
 * These two never query the database, so a transaction never waits for a second connection.
 */
export class Vault {
  readonly #masters: ReadonlyMap<string, Buffer>
  readonly #masterId: string
  readonly #rings = new LRUCache<string, Keyring>({ max: 10_000 })
  /** The keys of the platform itself. Kept outside the cache and never evicted, because mail in every transaction is sealed with them. */
  #platformRing: Keyring | undefined
  readonly #loading = new Map<string, Promise<void>>()
  /** Runs background reads outside the async context of the transaction that triggers them. */
  readonly #outsideTransaction = AsyncLocalStorage.snapshot()

  constructor(
    private readonly database: Sql,
    private readonly master: Buffer,
    /** Former master keys that may still wrap some data keys. */
    former: readonly Buffer[] = [],
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#masterId = masterIdOf(master)
    this.#masters = new Map([...former, master].map((key) => [masterIdOf(key), key]))
  }

  /** Loads the data keys of an organization: to seal, or to open the given text. Must not be called inside a transaction. */
  async load(organizationId: string, sealed?: string): Promise<void> {
    // A read in progress may have started before the key was created; a second read finds it.
    for (let reads = 0; reads < 2 && !this.#isLoaded(organizationId, sealed); reads++) await this.#read(organizationId)
    if (sealed === undefined || this.#isLoaded(organizationId, sealed)) return
    throw new Error(`The data key ${versionOf(sealed)} of organization ${organizationId} does not exist.`)
  }

  seal(organizationId: string, place: string, text: string): string {
    const ring = this.#ringOf(organizationId)
    if (!ring) throw this.#notLoaded(organizationId)
    if (ring.freshUntil <= this.now()) this.#refreshInBackground(organizationId)
    return `k${ring.latest}.${seal(ring.keys.get(ring.latest)!, place, text)}`
  }

  /** Throws when the text was altered, was moved to another place, or belongs to another organization. */
  open(organizationId: string, place: string, sealed: string): string {
    const bytes = this.#ringOf(organizationId)?.keys.get(versionOf(sealed))
    if (!bytes) throw this.#notLoaded(organizationId)
    return unseal(bytes, place, sealed.slice(sealed.indexOf('.') + 1))
  }

  /** Creates a new data key, which `seal` uses from then on; returns its version. */
  async renew(organizationId: string): Promise<number> {
    const [last] = await this.database.query<{ version: number }>(
      'select coalesce(max(version), 0)::int as version from kernel.data_key where organization_id = $1',
      [organizationId],
    )
    await this.#createKey(organizationId, last!.version + 1)
    this.#cache(organizationId, await this.#storedKeys(organizationId))
    return last!.version + 1
  }

  /** Wraps all data keys of former master keys with the current master key; returns their number. */
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

  #isLoaded(organizationId: string, sealed: string | undefined): boolean {
    const ring = this.#ringOf(organizationId)
    if (!ring) return false
    return sealed === undefined ? ring.freshUntil > this.now() : ring.keys.has(versionOf(sealed))
  }

  /** Runs one read at a time for each organization; concurrent callers share it. */
  #read(organizationId: string): Promise<void> {
    let loading = this.#loading.get(organizationId)
    if (!loading) {
      loading = this.#readOrCreate(organizationId).finally(() => this.#loading.delete(organizationId))
      this.#loading.set(organizationId, loading)
    }
    return loading
  }

  async #readOrCreate(organizationId: string): Promise<void> {
    let rows = await this.#storedKeys(organizationId)
    if (rows.length === 0) {
      await this.#createKey(organizationId, 1)
      rows = await this.#storedKeys(organizationId)
    }
    this.#cache(organizationId, rows)
  }

  /** Reads the keys in the background; until then the loaded keys are used. */
  #refreshInBackground(organizationId: string): void {
    this.#outsideTransaction(() => void this.#read(organizationId).catch(() => undefined))
  }

  /** The key was just created by another process, or `load` was not called. It is loaded in the background for the retry. */
  #notLoaded(organizationId: string): Refusal {
    this.#refreshInBackground(organizationId)
    return new Refusal('UNAVAILABLE', 'An encryption key is being loaded; retry in 1 s.', { retryAfter: 1 })
  }

  #storedKeys(organizationId: string): Promise<WrappedKey[]> {
    return this.database.query<WrappedKey>(
      `select version, wrapped, master_id as "masterId" from kernel.data_key where organization_id = $1 order by version`,
      [organizationId],
    )
  }

  /** When several processes create the first key at once, one wins and all use its key. Committed separately, before any text is sealed with it. */
  async #createKey(organizationId: string, version: number): Promise<void> {
    await this.database.query(
      `insert into kernel.data_key (organization_id, version, wrapped, master_id, created_at) values ($1, $2, $3, $4, now())
       on conflict (organization_id, version) do nothing`,
      [organizationId, version, this.#wrap(organizationId, version, randomBytes(32)), this.#masterId],
    )
  }

  #cache(organizationId: string, rows: readonly WrappedKey[]): void {
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
        `The data keys are encrypted with another master key (${masterId}). Set that key as ENCRYPTION_KEY_FORMER.`,
      )
    return Buffer.from(unseal(master, wrapPlace(organizationId, version), wrapped), 'base64')
  }
}

export function versionOf(sealed: string): number {
  const match = /^k([1-9]\d{0,8})\./.exec(sealed)
  if (!match) throw new Error('The text must be a sealed text (k<version>.<data>).')
  return Number(match[1])
}
