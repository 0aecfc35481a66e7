import { createHash, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Sql } from '../database/database.ts'
import { seal, unseal } from '../seal.ts'

/** For what belongs to no organization. */
export const platformId = '00000000-0000-0000-0000-000000000000'

interface DataKey {
  readonly version: number
  readonly bytes: Buffer
}

interface WrappedKey {
  readonly version: number
  readonly wrapped: string
  readonly masterId: string
}

/** Tells master keys apart without telling anything of them. */
const masterIdOf = (master: Buffer): string =>
  createHash('sha256').update('master').update(master).digest('hex').slice(0, 16)

/** How long another process may go on sealing with the key before the newest one. */
const latestMs = 60_000

const wrapPlace = (organizationId: string, version: number): string => `kernel.data_key/${organizationId}/${version}`

/**
 * Secrets that must be read back: sealed with a data key of their organization, which is itself kept wrapped by the master
 * key. A sealed text is `k<version>.<AES-256-GCM>` and opens only in the place (table, row, column) that it was sealed for.
 */
export class Vault {
  readonly #masters: ReadonlyMap<string, Buffer>
  readonly #masterId: string
  /** Data keys never change under their version, so that a process may remember them. */
  readonly #known = new LRUCache<string, Buffer>({ max: 10_000 })
  readonly #latest = new LRUCache<string, { readonly key: DataKey; readonly until: number }>({ max: 10_000 })

  constructor(
    private readonly database: Sql,
    private readonly master: Buffer,
    /** Master keys that data keys may still be wrapped with. */
    former: readonly Buffer[] = [],
  ) {
    this.#masterId = masterIdOf(master)
    this.#masters = new Map([...former, master].map((key) => [masterIdOf(key), key]))
  }

  async seal(organizationId: string, place: string, text: string): Promise<string> {
    const { version, bytes } = await this.#current(organizationId)
    return `k${version}.${seal(bytes, place, text)}`
  }

  /** Throws when the text was altered, moved to another place or belongs to another organization. */
  async open(organizationId: string, place: string, sealed: string): Promise<string> {
    const version = versionOf(sealed)
    const bytes = this.#known.get(`${organizationId}/${version}`) ?? (await this.#read(organizationId, version))
    return unseal(bytes, place, sealed.slice(sealed.indexOf('.') + 1))
  }

  /** A new data key for what is sealed from now on; gives its version. */
  async renew(organizationId: string): Promise<number> {
    const [last] = await this.database.query<{ version: number }>(
      'select coalesce(max(version), 0)::int as version from kernel.data_key where organization_id = $1',
      [organizationId],
    )
    await this.#make(organizationId, last!.version + 1)
    this.#latest.delete(organizationId)
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

  async #current(organizationId: string): Promise<DataKey> {
    const latest = this.#latest.get(organizationId)
    if (latest && latest.until > performance.now()) return latest.key
    const read = async () =>
      (
        await this.database.query<WrappedKey>(
          `select version, wrapped, master_id as "masterId" from kernel.data_key where organization_id = $1 order by version desc limit 1`,
          [organizationId],
        )
      )[0]
    let row = await read()
    if (!row) {
      await this.#make(organizationId, 1)
      row = (await read())!
    }
    const key = { version: row.version, bytes: this.#remember(organizationId, row) }
    this.#latest.set(organizationId, { key, until: performance.now() + latestMs })
    return key
  }

  async #read(organizationId: string, version: number): Promise<Buffer> {
    const [row] = await this.database.query<WrappedKey>(
      `select version, wrapped, master_id as "masterId" from kernel.data_key where organization_id = $1 and version = $2`,
      [organizationId, version],
    )
    if (!row) throw new Error(`There is no data key ${version} of organization ${organizationId}.`)
    return this.#remember(organizationId, row)
  }

  /** Of processes that make the first key at once, one wins and all use it. Committed at once, whatever the caller's transaction does. */
  async #make(organizationId: string, version: number): Promise<void> {
    await this.database.query(
      `insert into kernel.data_key (organization_id, version, wrapped, master_id, created_at) values ($1, $2, $3, $4, now())
       on conflict (organization_id, version) do nothing`,
      [organizationId, version, this.#wrap(organizationId, version, randomBytes(32)), this.#masterId],
    )
  }

  #remember(organizationId: string, row: WrappedKey): Buffer {
    const name = `${organizationId}/${row.version}`
    const bytes = this.#known.get(name) ?? this.#unwrap(organizationId, row)
    this.#known.set(name, bytes)
    return bytes
  }

  #wrap(organizationId: string, version: number, bytes: Buffer): string {
    return seal(this.master, wrapPlace(organizationId, version), bytes.toString('base64'))
  }

  #unwrap(organizationId: string, { version, wrapped, masterId }: WrappedKey): Buffer {
    const master = this.#masters.get(masterId)
    if (!master)
      throw new Error(
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
