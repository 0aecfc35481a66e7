import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Listener } from '../database/listen.ts'
import type { Sql } from '../database/sql.ts'
import { definitionsChannel } from './definition-version.migrations.ts'
import { readExtensions, type Extensions } from './extension.ts'

const bytesMax = 32_000_000
const bytesOfNone = 100

/** Wrapped, because the cache cannot hold null. */
interface Cached {
  readonly extensions: Extensions | null
}

interface Loading {
  readonly read: Promise<Extensions | null>
  /** The read that begins when this one has ended. */
  next: Promise<Extensions | null> | null
}

interface Options {
  readonly database: Sql
  readonly databaseUrl: string
  readonly log: Pick<Logger, 'warn'>
}

/**
 * The extensions of organizations, compiled once per version, the most recently used in memory. What is in memory may be old for a
 * moment: every write compares its version in its own statement (`withCurrentExtensions`), so only the notice of others is late.
 */
export class CachedExtensions {
  readonly #cached = new LRUCache<string, Cached>({ maxSize: bytesMax })
  readonly #loading = new Map<string, Loading>()
  #listener: Promise<Listener> | null = null
  #services: object | null = null

  constructor(private readonly options: Options) {}

  /** Gives hooks what they need to call out, once it is open. */
  connect(services: object): void {
    this.#services = services
  }

  get services(): object {
    if (!this.#services) throw new Error('The services of hooks are not connected.')
    return this.#services
  }

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.#cached.calculatedSize
  }

  /** The extensions in memory; null when the organization has none or they are not loaded. */
  of(organizationId: string): Extensions | null {
    return this.#cached.get(organizationId)?.extensions ?? null
  }

  /** Loads them into memory; null when they are already loaded. */
  load(organizationId: string): Promise<unknown> | null {
    return organizationId === '' || this.#cached.has(organizationId) ? null : this.reload(organizationId)
  }

  /**
   * Reads the latest version. A read that has begun may have seen an older one, so those who ask meanwhile share the next. Must not be
   * called inside a transaction, because it uses a connection of its own.
   */
  reload(organizationId: string): Promise<Extensions | null> {
    const loading = this.#loading.get(organizationId)
    if (!loading) return this.#begin(organizationId)
    loading.next ??= loading.read.then(
      () => this.#begin(organizationId),
      () => this.#begin(organizationId),
    )
    return loading.next
  }

  #begin(organizationId: string): Promise<Extensions | null> {
    const loading: Loading = { next: null, read: this.#read(organizationId) }
    this.#loading.set(organizationId, loading)
    const ended = (): void => {
      if (this.#loading.get(organizationId) === loading) this.#loading.delete(organizationId)
    }
    loading.read.then(ended, ended)
    return loading.read
  }

  async #read(organizationId: string): Promise<Extensions | null> {
    const extensions = await readExtensions(this.options.database, organizationId)
    if (extensions) this.#listen()
    this.#cached.set(organizationId, { extensions }, { size: extensions?.bytes ?? bytesOfNone })
    return extensions
  }

  /** Only processes that have seen an organization with extensions listen. Others learn of the first ones by their next write. */
  #listen(): void {
    const { databaseUrl, log } = this.options
    this.#listener ??= Listener.open(
      databaseUrl,
      definitionsChannel,
      (organizationId) => this.#cached.delete(organizationId),
      log,
      () => this.#cached.clear(),
    )
  }

  async close(): Promise<void> {
    await (await this.#listener)?.close()
  }
}
