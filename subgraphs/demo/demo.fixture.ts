import 'reflect-metadata'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { freshDatabase } from '../../test/fresh-database.ts'
import { readConfig, settingsOf } from '../kernel/config/config.ts'
import { MemoryCounters } from '../kernel/counters/memory-counters.ts'
import { loadKeys } from '../kernel/secrets/keys.ts'
import { Vault } from '../kernel/secrets/vault.ts'
import { localModel } from '../kernel/language-model/local-model.ts'
import { RecordingMailer } from '../kernel/mail/mail.fixture.ts'
import { Outbound } from '../kernel/outbound/outbound.ts'
import { EventLog } from '../kernel/outbox/event-log.ts'
import { builtInShapes } from '../kernel/record/shape-source.ts'
import type { Services } from '../kernel/request.ts'

export const noon = new Date('2026-11-21T12:00:00.000Z')
export const baseUrl = 'http://127.0.0.1:4000'

export interface DemoEnvironment {
  readonly services: Services
  readonly dataDir: string
}

/** Creates a migrated, empty database, a new data folder, and the services that use them. */
export async function demoEnvironment(now = noon, encryptionKey: string | null = null): Promise<DemoEnvironment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'))
  const { database, url, drop } = await freshDatabase()
  onTestFinished(async () => {
    await drop()
    await rm(dataDir, { recursive: true })
  })
  const keys = await loadKeys({ dataDir, signingKey: null, encryptionKey, callerKey: null })
  const tenants = { of: () => database }
  const log = pino({ level: 'silent' })
  const services = {
    database,
    tenants,
    crossTenant: { of: () => database },
    vault: new Vault(database, keys.encryption),
    clock: { now: () => now },
    log,
    languageModel: localModel,
    keys,
    counters: new MemoryCounters(),
    settings: settingsOf(readConfig({})),
    mailer: new RecordingMailer(),
    outbound: new Outbound([]),
    events: new EventLog({ tenants, databaseUrl: url, log }),
    shapes: builtInShapes,
  }
  return { services, dataDir }
}
