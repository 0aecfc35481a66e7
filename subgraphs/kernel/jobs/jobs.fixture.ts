import { CachedExtensions } from '../extension/cached-extensions.ts'
import { randomBytes, generateKeyPairSync } from 'node:crypto'
import { pino } from 'pino'
import { readConfig } from '../config/config.ts'
import { settingsOf } from '../config/settings.ts'
import { MemoryCounters } from '../counters/memory-counters.ts'
import { StoredBytes } from '../stored-bytes/stored-bytes.ts'
import type { Database } from '../database/database.ts'
import { localModel } from '../language-model/local-model.ts'
import { RecordingMailer } from '../mail/mail.fixture.ts'
import { SmtpPools } from '../mail/smtp-pools.ts'
import { withoutCredentials } from '../outbound/named-credentials.ts'
import { Outbound } from '../outbound/outbound.ts'
import { EventLog } from '../outbox/event-log.ts'
import { builtInShapes } from '../record/shape-source.ts'
import type { Services } from '../request.ts'
import { Vault } from '../secrets/vault.ts'
import { FileStore } from '../file/file-store.ts'
import { GraphConnection } from '../graph-port/graph-port.ts'
import { ChildSandbox } from '../sandbox/child-sandbox.ts'
import { RestConnection } from '../rest-port/rest-port.ts'
import { WorkPool } from '../work/work-pool.ts'

export interface ManualClock {
  now(): Date
  set(time: string): void
}

export function manualClock(time: string): ManualClock {
  let current = new Date(time)
  return {
    now: () => current,
    set: (next) => {
      current = new Date(next)
    },
  }
}

export const servicesOf = (database: Database, clock: ManualClock): Services => ({
  database,
  tenants: { of: () => database },
  streams: {
    lines() {
      throw new Error('These services read no streams.')
    },
  },
  crossTenant: { of: () => database },
  vault: new Vault(database, randomBytes(32)),
  clock,
  log: pino({ level: 'silent' }),
  languageModel: localModel,
  work: new WorkPool(pino({ level: 'silent' })),
  sandbox: new ChildSandbox(pino({ level: 'silent' }), { childrenMax: 2 }),
  files: new FileStore({ dataDir: '/nonexistent', tenants: { of: () => database }, clock, bytesMax: null }),
  counters: new MemoryCounters(),
  storedBytes: new StoredBytes({ organization: null, all: null, kept: null }, new MemoryCounters(), {
    now: () => new Date(),
  }),
  settings: settingsOf(readConfig({})),
  mailer: new RecordingMailer(),
  smtpPools: new SmtpPools(),
  outbound: new Outbound(['127.0.0.1']),
  credentials: withoutCredentials({ outbound: new Outbound(['127.0.0.1']) }),
  events: new EventLog({ tenants: { of: () => database }, databaseUrl: '', log: pino({ level: 'silent' }) }),
  graph: new GraphConnection(),
  rest: new RestConnection(),
  extensions: new CachedExtensions({ database, databaseUrl: '', log: pino({ level: 'silent' }) }),
  shapes: builtInShapes,
  keys: { signing: generateKeyPairSync('ed25519').privateKey, encryption: randomBytes(32), caller: 'c'.repeat(32) },
})
