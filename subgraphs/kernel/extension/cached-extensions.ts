import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Listener } from '../database/listen.ts'
import type { Sql } from '../database/sql.ts'
import { definitionsChannel } from './definition-version.migrations.ts'
import type { OrganizationShapes, ShapeSource } from '../record/shape-source.ts'
import { readExtensions, type Extensions } from './extension.ts'
import { FieldUsage } from './field-usage.ts'

const bytesMax = 64_000_000
const bytesOfNone = 100
/** A transaction that publishes commits within this time, or not at all. */
const publicationMs = 10_000

interface Cached {
  readonly extensions: Extensions | null
  /** Another version has been published, or may have been: the next operation loads it. */
  isOutdated: boolean
}

interface Loading {
  readonly read: Promise<Extensions | null>
  /** The read that begins when this one has ended. */
  next: Promise<Extensions | null> | null
  /** A version was published after the read had begun, which may not have seen it. */
  isOutdated: boolean
}

interface Options {
  readonly database: Sql
  readonly databaseUrl: string
  readonly log: Pick<Logger, 'warn'>
}

/**
 * The extensions of organizations, compiled once per version, the most recently used in memory. What is in memory may be old for a
 * moment: every write compares its version in its own statement (`withCurrentExtensions`), so only reads and the notice of others are late.
 * An operation uses one version from start to end: what is outdated stays in memory until the next one is loaded.
 */
export class CachedExtensions implements ShapeSource {
  readonly #cached = new LRUCache<string, Cached>({ maxSize: bytesMax })
  readonly #loading = new Map<string, Loading>()
  /** Organizations of which this process publishes a version, with the time until which its notice is expected. */
  readonly #publishing = new Map<string, number>()
  #listener: Listener | null = null
  #services: object | null = null

  /** Which of the fields of organizations are named by whom. */
  readonly fieldUsage: FieldUsage

  constructor(private readonly options: Options) {
    this.fieldUsage = new FieldUsage(options.database, options.log)
  }

  /** Learns what other processes publish. */
  async listen(): Promise<void> {
    const { databaseUrl, log } = this.options
    const all = (): void => {
      for (const loading of this.#loading.values()) loading.isOutdated = true
      for (const cached of this.#cached.values()) cached.isOutdated = true
    }
    this.#listener = await Listener.open(databaseUrl, definitionsChannel, (id) => this.#published(id), log, all)
  }

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

  shapesOf(organizationId: string): OrganizationShapes | null {
    return this.of(organizationId)?.shapes ?? null
  }

  /** Loads the latest version into memory; null when it is already there. */
  load(organizationId: string): Promise<unknown> | null {
    const isLoaded = organizationId === '' || this.#cached.get(organizationId)?.isOutdated === false
    return isLoaded ? null : this.reload(organizationId)
  }

  /**
   * The open transaction publishes a version. Until the notice of it arrives, each operation in this process loads the latest version, so none that
   * begins after the commit is decided with an older one.
   */
  expect(organizationId: string): void {
    this.#publishing.set(organizationId, performance.now() + publicationMs)
    this.#expire(organizationId)
  }

  #published(organizationId: string): void {
    this.#publishing.delete(organizationId)
    this.#expire(organizationId)
  }

  /** The next operation loads the latest version. */
  #expire(organizationId: string): void {
    const [cached, loading] = [this.#cached.peek(organizationId), this.#loading.get(organizationId)]
    if (cached) cached.isOutdated = true
    if (loading) loading.isOutdated = true
  }

  #isPublishing(organizationId: string): boolean {
    const until = this.#publishing.get(organizationId)
    if (until === undefined) return false
    if (performance.now() < until) return true
    this.#publishing.delete(organizationId)
    return false
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
    const read = readExtensions(this.options.database, organizationId)
    const loading: Loading = { read, next: null, isOutdated: false }
    this.#loading.set(organizationId, loading)
    void this.#keep(organizationId, loading)
    return read
  }

  /** Those who asked for the read get its failure. */
  async #keep(organizationId: string, loading: Loading): Promise<void> {
    try {
      const extensions = await loading.read
      const isOutdated = loading.isOutdated || this.#isPublishing(organizationId)
      this.#cached.set(organizationId, { extensions, isOutdated }, { size: extensions?.bytes ?? bytesOfNone })
    } catch {
      // Nothing is in memory, so the next operation reads again.
    } finally {
      if (this.#loading.get(organizationId) === loading) this.#loading.delete(organizationId)
    }
  }

  async close(): Promise<void> {
    await this.#listener?.close()
    await this.fieldUsage.close()
  }
}
