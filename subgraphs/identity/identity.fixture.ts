import { CachedExtensions } from '../kernel/extension/cached-extensions.ts'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../test/fresh-database.ts'
import { anonymous as anonymousCaller, type Caller } from '../kernel/context.ts'
import { readConfig } from '../kernel/config/config.ts'
import { settingsOf } from '../kernel/config/settings.ts'
import { MemoryCounters } from '../kernel/counters/memory-counters.ts'
import { StoredBytes } from '../kernel/stored-bytes/stored-bytes.ts'
import { newId } from '../kernel/ids.ts'
import { localModel } from '../kernel/language-model/local-model.ts'
import { RecordingMailer } from '../kernel/mail/mail.fixture.ts'
import { SmtpPools } from '../kernel/mail/smtp-pools.ts'
import { TenantDatabase } from '../kernel/database/tenant-database.ts'
import { withoutCredentials } from '../kernel/outbound/named-credentials.ts'
import { Outbound } from '../kernel/outbound/outbound.ts'
import { EventLog } from '../kernel/outbox/event-log.ts'
import { builtInShapes } from '../kernel/record/shape-source.ts'
import type { Services } from '../kernel/request.ts'
import type { SubgraphResult } from '../kernel/subgraph/endpoint.ts'
import { platformId, Vault } from '../kernel/secrets/vault.ts'
import { LocalSubgraph } from '../kernel/subgraph/local.ts'
import { buildSubgraph } from '../kernel/subgraph/subgraph.ts'
import { ChildSandbox } from '../kernel/sandbox/child-sandbox.ts'
import { WorkPool } from '../kernel/work/work-pool.ts'
import { identity } from './subgraph.ts'
import type { OperatorUser } from './operator.ts'
import { createOrganization, createUser, credentialSource } from './public.ts'
import { FileStore } from '../kernel/file/file-store.ts'
import { GraphConnection } from '../kernel/graph-port/graph-port.ts'
import { RestConnection } from '../kernel/rest-port/rest-port.ts'

export const goodPassword = 'Correct horse 7!'

/** A part of an answer, without types: tests know its structure. */
export type AnswerPart = { readonly [name: string]: AnswerPart } & string

export interface Answered {
  readonly data: { readonly [field: string]: AnswerPart }
  readonly codes: string[]
  readonly errors: NonNullable<SubgraphResult['errors']>
}

export const anonymous: Caller = anonymousCaller({ ip: '203.0.113.7', userAgent: 'vitest' })

/** The identity subgraph on a new database, with a clock that tests set. */
export class IdentityWorld {
  now = new Date('2027-01-10T12:00:00.000Z')
  fresh!: FreshDatabase
  services!: Services
  subgraph!: LocalSubgraph
  #tenants!: TenantDatabase

  async open(): Promise<void> {
    this.fresh = await freshDatabase()
    this.#tenants = new TenantDatabase({ url: this.fresh.url, guard: this.fresh.database.guard })
    const log = pino({ level: 'silent' })
    const signing = generateKeyPairSync('ed25519').privateKey
    this.services = {
      database: this.fresh.database,
      tenants: this.#tenants,
      streams: this.#tenants,
      crossTenant: { of: () => this.fresh.database },
      vault: new Vault(this.fresh.database, randomBytes(32)),
      clock: { now: () => this.now },
      log,
      languageModel: localModel,
      work: new WorkPool(log),
      sandbox: new ChildSandbox(log, { childrenMax: 2 }),
      files: new FileStore({
        dataDir: '/nonexistent',
        tenants: this.#tenants,
        clock: { now: () => this.now },
        bytesMax: null,
      }),
      keys: { signing, encryption: randomBytes(32), caller: 'a'.repeat(43) },
      counters: new MemoryCounters(),
      storedBytes: new StoredBytes({ organization: null, all: null, kept: null }, new MemoryCounters(), {
        now: () => new Date(),
      }),
      settings: settingsOf(readConfig({})),
      mailer: new RecordingMailer(),
      smtpPools: new SmtpPools(),
      outbound: new Outbound(['127.0.0.1']),
      credentials: withoutCredentials({ outbound: new Outbound(['127.0.0.1']) }),
      events: new EventLog({ tenants: this.#tenants, databaseUrl: this.fresh.url, log }),
      graph: new GraphConnection(),
      rest: new RestConnection(),
      extensions: new CachedExtensions({ database: this.fresh.database, databaseUrl: this.fresh.url, log }),
      shapes: builtInShapes,
    }
    await this.services.vault.load(platformId)
    this.subgraph = new LocalSubgraph('identity', await buildSubgraph(identity), this.services)
  }

  async close(): Promise<void> {
    await this.#tenants.close()
    await this.fresh.drop()
  }

  advanceClock(ms: number): void {
    this.now = new Date(this.now.getTime() + ms)
  }

  async run(document: string, variables: object = {}, caller: Caller = anonymous, key?: string): Promise<Answered> {
    const idempotency = key === undefined ? null : { key, fingerprint: JSON.stringify(variables) }
    const context = { caller, requestId: newId(), idempotency }
    const { data, errors = [] } = await this.subgraph.execute({ document, variables: { ...variables }, context })
    return { data: data as Answered['data'], errors, codes: errors.map(({ extensions }) => String(extensions?.code)) }
  }

  query = <R = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<R[]> =>
    this.services.database.query<R>(text, values)

  async eventsOf(recordId: string): Promise<string[]> {
    const rows = await this.query<{ type: string }>('select type from kernel.event where record_id = $1 order by id', [
      recordId,
    ])
    return rows.map(({ type }) => type)
  }

  anOrganization = () => createOrganization(this.services, { name: 'Acme' })

  aUser(organizationId: string, wanted: Partial<OperatorUser> = {}) {
    const email = `user-${newId()}@example.com`
    return createUser(this.services, organizationId, {
      email,
      name: 'Ann Lee',
      role: 'MEMBER',
      visibility: 'ALL',
      ...wanted,
    })
  }

  /** The caller of a session, as the gateway would authenticate it. */
  async callerOf(sessionId: string): Promise<Caller> {
    const session = (await credentialSource(this.services.database).findSession(sessionId))!
    const { organizationId, userId, role, visibility, ownerIds, fields, entitlements } = session
    return {
      ...anonymous,
      kind: 'SESSION',
      organizationId,
      userId,
      role,
      visibility,
      ownerIds,
      fields,
      entitlements,
      credentialId: sessionId,
    }
  }
}

/** One for each test file. */
export function useIdentity(): IdentityWorld {
  const world = new IdentityWorld()
  beforeAll(() => world.open())
  afterAll(() => world.close())
  return world
}

/** The claims of an access token, without verifying its signature. */
export function claimsOf(token: string): Record<string, string | number> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, string | number>
}
