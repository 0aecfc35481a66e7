import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { systemClock, type Clock } from './time/clock.ts'
import type { Config } from './config/config.ts'
import { settingsOf } from './config/settings.ts'
import type { Counters } from './counters/counters.ts'
import { openCounters } from './counters/open-counters.ts'
import { prepareDataDir } from './config/data-dir.ts'
import { connectionGuard, unguarded } from './database/connection-guard.ts'
import { Database } from './database/database.ts'
import { joinEmbeddedPostgres } from './database/embedded-join.ts'
import { startEmbeddedPostgres } from './database/embedded.ts'
import { checkReachable } from './database/reachable.ts'
import { CrossTenantDatabase, TenantDatabase } from './database/tenant-database.ts'
import { migrate, pendingMigrations, type Migration } from './database/migrate.ts'
import { CachedExtensions } from './extension/cached-extensions.ts'
import { BucketBytes } from './file/bucket-bytes.ts'
import { FileStore } from './file/file-store.ts'
import { GraphConnection } from './graph-port/graph-port.ts'
import { RestConnection } from './rest-port/rest-port.ts'
import { loadKeys, type Keys } from './secrets/keys.ts'
import { openLanguageModel } from './language-model/open-language-model.ts'
import { openLog } from './log.ts'
import { warnOfSharedExternalIds } from './operate/shared-external-ids.ts'
import { openMailer } from './mail/mailer.ts'
import { SmtpPools } from './mail/smtp-pools.ts'
import { onceASecond } from './time/once-a-second.ts'
import { openNamedCredentials } from './outbound/named-credentials.ts'
import { Outbound } from './outbound/outbound.ts'
import { EventLog } from './outbox/event-log.ts'
import { EventRelay } from './outbox/event-relay.ts'
import type { ShapeSource } from './record/shape-source.ts'
import type { Services } from './request.ts'
import { ChildSandbox } from './sandbox/child-sandbox.ts'
import { setTracing } from './tracing/tracing.ts'
import { platformId, Vault } from './secrets/vault.ts'
import { KeptBytes } from './stored-bytes/kept-bytes.ts'
import { StoredBytes } from './stored-bytes/stored-bytes.ts'
import { WorkPool } from './work/work-pool.ts'

/** The services of a process. They are opened once and closed in reverse order. */
export interface OpenServices extends Services {
  readonly database: Database
  readonly tenants: TenantDatabase
  readonly crossTenant: CrossTenantDatabase
  readonly databaseUrl: string
  readonly log: Logger
  readonly keys: Keys
  readonly counters: Counters
  /** The composition root connects it. */
  readonly graph: GraphConnection
  /** The composition root connects it. */
  readonly rest: RestConnection
  /** Resolves with the reason when the embedded database has ended and cannot be restarted, so the process can serve no request. */
  readonly databaseLost: Promise<Error>
  /** Why this process is not ready: the reason for each dependency; empty when it is ready. Queries the database at most once a second. */
  notReady(): Promise<Record<string, string>>
  /** Whether the process has been told to stop. Then it is not ready, but still serves what it gets. */
  isStopping(): boolean
  beginStopping(): void
  close(): Promise<void>
}

export interface ServicesOptions {
  readonly config: Config
  readonly migrations: readonly Migration[]
  readonly clock?: Clock
  readonly log?: Logger
  /** Uses the embedded database of another process, if one is running, instead of failing because the data folder is in use. */
  readonly joinRunningServer?: boolean
  /** The custom fields of organizations, where they are not those of the database. */
  readonly shapes?: ShapeSource
}

export const logger = (config: Pick<Config, 'logLevel'>): Logger => openLog(config.logLevel)

export async function openServices({
  config,
  migrations,
  clock = systemClock,
  log = logger(config),
  joinRunningServer = false,
  shapes,
}: ServicesOptions): Promise<OpenServices> {
  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    if (!config.databaseUrl) await prepareDataDir(config.dataDir)
    if (config.tracing) {
      const { startOtlpTracing } = await import('./tracing/otlp-tracing.ts')
      const tracing = await startOtlpTracing(config.tracing, log)
      setTracing(tracing)
      closers.push(() => {
        setTracing(null)
        return tracing.close()
      })
    }
    const outbound = new Outbound(config.outboundAllow)
    closers.push(() => outbound.close())
    const mailer = openMailer(config, log)
    closers.push(() => mailer.close())
    const smtpPools = new SmtpPools()
    closers.push(() => smtpPools.close())
    const keys = await loadKeys(config)
    let databaseUrl = config.databaseUrl
    let databaseLost: Promise<Error> = new Promise(() => undefined)
    if (!databaseUrl) {
      const embedded = await (joinRunningServer ? joinEmbeddedPostgres : startEmbeddedPostgres)({
        dataDir: config.dataDir,
        log,
        settings: { max_connections: String(embeddedConnections(config)) },
      })
      closers.push(() => embedded.stop())
      databaseUrl = embedded.url
      databaseLost = embedded.lost
    }
    const onError = (error: Error): void => log.warn({ reason: error.message }, 'an idle database connection broke')
    const guard = config.refuseNestedConnections ? connectionGuard() : unguarded
    // A separate connection, so that events get positions also when all connections of the pools are in use.
    const relayDatabase = new Database({ url: databaseUrl, onError, guard: unguarded, connectionsMax: 1 })
    closers.push(() => relayDatabase.close())
    const relay = new EventRelay(relayDatabase, log)
    closers.push(() => relay.close())
    const onCommit = relay.wake
    const database = new Database({ url: databaseUrl, onError, guard, onCommit })
    closers.push(() => database.close())
    // A separate connection for short statements: it cancels those of clients that have left, and counts bytes, also while all others are in use.
    const aside = new Database({ url: databaseUrl, onError, guard: unguarded, connectionsMax: 1 })
    closers.push(() => aside.close())
    if (config.databaseUrl) await checkReachable(database, databaseUrl)
    if (await migrate(database, databaseUrl, migrations)) await warnOfSharedExternalIds(database, log)
    const tenants = new TenantDatabase({
      url: databaseUrl,
      onError,
      guard,
      cancelThrough: aside,
      onCommit,
      connectionsMax: config.databaseConnections,
    })
    closers.push(() => tenants.close())
    relay.start()
    const events = new EventLog({ tenants, databaseUrl, log })
    closers.push(() => events.close())
    const extensions = new CachedExtensions({ database, databaseUrl, log })
    closers.push(() => extensions.close())
    await extensions.listen()
    const counters = await openCounters(config, log)
    closers.push(() => counters.close())
    const storedBytes = new StoredBytes(
      config.storedBytes,
      counters,
      clock,
      new KeptBytes(aside, clock, config.storedBytes.kept),
    )
    const work = new WorkPool(log)
    closers.push(() => work.close())
    const sandbox = new ChildSandbox(log, { childrenMax: config.sandboxChildren })
    closers.push(() => sandbox.close())
    const formerKeys = config.formerEncryptionKeys.map((key) => Buffer.from(key, 'base64'))
    const vault = new Vault(database, keys.encryption, formerKeys)
    await vault.load(platformId)
    const readiness = readinessOf(database, migrations)
    let isStopping = false
    const services: OpenServices = {
      database,
      tenants,
      streams: tenants,
      crossTenant: new CrossTenantDatabase(database),
      vault,
      databaseUrl,
      databaseLost,
      clock,
      log,
      keys,
      counters,
      storedBytes,
      languageModel: openLanguageModel(config, { work, outbound, counters, clock, tenants, log }),
      work,
      sandbox,
      files: new FileStore({
        dataDir: config.dataDir,
        ...(config.bucket && { place: new BucketBytes(config.bucket, { dataDir: config.dataDir, log, outbound }) }),
        tenants,
        clock,
        bytesMax: config.fileBytes,
      }),
      settings: settingsOf(config),
      mailer,
      smtpPools,
      outbound,
      credentials: openNamedCredentials({ database, vault, outbound, clock }),
      events,
      graph: new GraphConnection(),
      rest: new RestConnection(),
      extensions,
      shapes: shapes ?? extensions,
      notReady: async () => (isStopping ? { process: 'is stopping' } : readiness()),
      isStopping: () => isStopping,
      beginStopping: () => void (isStopping = true),
      close,
    }
    extensions.connect(services)
    return services
  } catch (error) {
    await close()
    throw error
  }
}

/** For two processes and commands, each with its pools, the listeners and the worker. */
const embeddedConnections = ({ databaseConnections }: Config): number => Math.max(100, 2 * databaseConnections + 60)

const readyWithinMs = 3000

function readinessOf(database: Database, migrations: readonly Migration[]): () => Promise<Record<string, string>> {
  // A database that hangs keeps one query pending; no second one is sent until that query ends.
  const pending = onceASecond(() => pendingMigrations(database, migrations))
  return onceASecond(() => reasonsNotReady(pending))
}

async function reasonsNotReady(pendingNow: () => Promise<string[]>): Promise<Record<string, string>> {
  try {
    const late = delay(readyWithinMs, null, { ref: false })
    const pending = await Promise.race([pendingNow(), late])
    if (!pending) return { database: `has not answered for ${readyWithinMs / 1000} seconds` }
    return pending.length > 0 ? { migrations: `have not run: ${pending.join(', ')}` } : {}
  } catch {
    return { database: 'is not reachable' }
  }
}
