import { CachedExtensions } from '../kernel/extension/cached-extensions.ts'
import 'reflect-metadata'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { freshDatabase, templateOnce, type FreshDatabase } from '../../test/fresh-database.ts'
import { readConfig } from '../kernel/config/config.ts'
import { settingsOf } from '../kernel/config/settings.ts'
import { MemoryCounters } from '../kernel/counters/memory-counters.ts'
import { StoredBytes } from '../kernel/stored-bytes/stored-bytes.ts'
import { loadKeys } from '../kernel/secrets/keys.ts'
import { Vault } from '../kernel/secrets/vault.ts'
import { localModel } from '../kernel/language-model/local-model.ts'
import { RecordingMailer } from '../kernel/mail/mail.fixture.ts'
import { SmtpPools } from '../kernel/mail/smtp-pools.ts'
import { withoutCredentials } from '../kernel/outbound/named-credentials.ts'
import { Outbound } from '../kernel/outbound/outbound.ts'
import { EventLog } from '../kernel/outbox/event-log.ts'
import type { Services } from '../kernel/request.ts'
import { ChildSandbox } from '../kernel/sandbox/child-sandbox.ts'
import { WorkPool } from '../kernel/work/work-pool.ts'
import { midnightOf } from './calendar.ts'
import { definitionsByType, demoData, recordsByType, type DemoData } from './demo-data.ts'
import { readDemo, type Demo } from './demo-file.ts'
import { loadDemo } from './demo.ts'
import { generatorInputOf } from './organization.ts'
import { profiles } from './profiles.ts'
import { FileStore } from '../kernel/file/file-store.ts'
import { GraphConnection } from '../kernel/graph-port/graph-port.ts'
import { RestConnection } from '../kernel/rest-port/rest-port.ts'

export const noon = new Date('2026-11-21T12:00:00.000Z')
export const baseUrl = 'http://127.0.0.1:4000'

export const midnight = new Date(midnightOf(noon))

/** The tables of the record types of the demo. */
export const recordTables: readonly string[] = tablesOf(demoData(generatorInputOf(profiles[1]!, midnight.getTime())))

function tablesOf(data: DemoData): string[] {
  return [...definitionsByType(data), ...recordsByType(data)].map(({ table }) => table)
}

export interface DemoEnvironment {
  readonly services: Services
  readonly dataDir: string
}

interface Environment extends DemoEnvironment {
  readonly remove: () => Promise<void>
}

/** Creates a migrated, empty database, a new data folder, and the services that use them, until the test is finished. */
export async function demoEnvironment(now = noon, encryptionKey: string | null = null): Promise<DemoEnvironment> {
  const { remove, ...environment } = await newEnvironment(now, encryptionKey)
  onTestFinished(remove)
  return environment
}

/** The whole demo, for the tests of a file. It is loaded once in a run, and copied. */
export function useLoadedDemo(): () => DemoEnvironment & { readonly demo: Demo } {
  let loaded: Environment & { readonly demo: Demo }
  beforeAll(async () => {
    const template = 'template_demo'
    const folder = await templateOnce(template, async (fresh, dataDir) => {
      await loadDemo({ services: await servicesOn(fresh, dataDir, noon, null), dataDir, baseUrl })
    })
    const dataDir = await mkdtemp(join(tmpdir(), 'demo-'))
    await cp(folder, dataDir, { recursive: true })
    // The events of the template are valid.
    const environment = await environmentOn(await freshDatabase({ template, hasOwnEvents: true }), dataDir, noon, null)
    loaded = { ...environment, demo: (await readDemo(dataDir))! }
  })
  afterAll(() => loaded?.remove())
  return () => loaded
}

async function newEnvironment(now: Date, encryptionKey: string | null): Promise<Environment> {
  return environmentOn(await freshDatabase(), await mkdtemp(join(tmpdir(), 'demo-')), now, encryptionKey)
}

async function environmentOn(
  fresh: FreshDatabase,
  dataDir: string,
  now: Date,
  encryptionKey: string | null,
): Promise<Environment> {
  const remove = async () => {
    await fresh.drop()
    await rm(dataDir, { recursive: true })
  }
  return { services: await servicesOn(fresh, dataDir, now, encryptionKey), dataDir, remove }
}

async function servicesOn(
  { database, url }: FreshDatabase,
  dataDir: string,
  now: Date,
  encryptionKey: string | null,
): Promise<Services> {
  const keys = await loadKeys({ dataDir, signingKey: null, encryptionKey, callerKey: null })
  const tenants = { of: () => database }
  const log = pino({ level: 'silent' })
  const extensions = new CachedExtensions({ database, databaseUrl: url, log })
  return {
    database,
    tenants,
    streams: {
      lines() {
        throw new Error('These services read no streams.')
      },
    },
    crossTenant: { of: () => database },
    vault: new Vault(database, keys.encryption),
    clock: { now: () => now },
    log,
    languageModel: localModel,
    work: new WorkPool(log),
    sandbox: new ChildSandbox(log, { childrenMax: 2 }),
    files: new FileStore({ dataDir, tenants, clock: { now: () => now }, bytesMax: null }),
    keys,
    counters: new MemoryCounters(),
    storedBytes: new StoredBytes({ organization: null, all: null, kept: null }, new MemoryCounters(), {
      now: () => new Date(),
    }),
    settings: settingsOf(readConfig({})),
    mailer: new RecordingMailer(),
    smtpPools: new SmtpPools(),
    outbound: new Outbound([]),
    credentials: withoutCredentials({ outbound: new Outbound([]) }),
    events: new EventLog({ tenants, databaseUrl: url, log }),
    graph: new GraphConnection(),
    rest: new RestConnection(),
    extensions,
    shapes: extensions,
  }
}
