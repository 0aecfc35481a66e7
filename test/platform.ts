import 'reflect-metadata'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { startGateway, type RunningGateway } from '../start-gateway.ts'
import type { Contract } from '../rest-adapter/contract.ts'
import { migrations } from '../subgraphs/all.ts'
import { createApiKey, createOrganization, createTeam, createUser } from '../subgraphs/identity/public.ts'
import { readConfig } from '../subgraphs/kernel/config/config.ts'
import type { Role, Visibility } from '../subgraphs/kernel/context.ts'
import { Database } from '../subgraphs/kernel/database/database.ts'
import type { Sql } from '../subgraphs/kernel/database/sql.ts'
import { newId } from '../subgraphs/kernel/ids.ts'
import type { ShapeSource } from '../subgraphs/kernel/record/shape-source.ts'
import { openServices, type OpenServices } from '../subgraphs/kernel/services.ts'
import { restContract } from './contract-of-rest.ts'
import { freshDatabase, type FreshDatabase } from './fresh-database.ts'
import { Fingerprints } from './requests/fingerprint.ts'
import { storedEvents } from './stored-events.ts'
import { answerOf, restClient, type Answer, type RestClient } from './rest-client.ts'

export interface MemberOptions {
  readonly organizationId?: string
  readonly role?: Role
  readonly visibility?: Visibility
  readonly scopes?: readonly string[]
  readonly teamId?: string
  /** Default: true, as after the link in the mail of a registration was followed. */
  readonly isEmailVerified?: boolean
}

/** A user with an API key, and clients that use the key. */
export interface Member {
  readonly organizationId: string
  readonly userId: string
  readonly keyId: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly rest: RestClient
  graphql(query: string, variables?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>
}

export interface EventRow {
  readonly type: string
  readonly recordId: string
  readonly actorId: string | null
  readonly data: Record<string, unknown>
}

/** The whole platform in this process with a separate database: real HTTP, real PostgreSQL, a clock that tests set. */
export class Platform {
  /** Current time of the platform's clock. */
  now = new Date('2027-02-01T09:00:00.000Z')
  services!: OpenServices
  contract!: Contract
  url!: string
  #fresh!: FreshDatabase
  #gateway!: RunningGateway
  readonly #fingerprints = new Fingerprints((text, values) => this.query(text, values))
  #config!: ReturnType<typeof readConfig>
  dataDir!: string
  /** Set it before the platform opens, if a test writes events of its own that no schema describes. */
  hasOwnEvents = false
  #organizationId: string | null = null

  constructor(
    private readonly environment: Readonly<Record<string, string>> = {},
    private readonly shapes?: ShapeSource,
    private readonly log: Logger = pino({ level: 'silent' }),
  ) {}

  async open(): Promise<void> {
    this.#fresh = await freshDatabase({ hasOwnEvents: this.hasOwnEvents })
    this.dataDir = await mkdtemp(join(tmpdir(), 'crm-platform-'))
    const config = (this.#config = readConfig({
      PORT: '0',
      DEMO: 'off',
      IP_LIMITS: 'off',
      NEW_ORGANIZATION_MAILS: 'off',
      DATA_DIR: this.dataDir,
      DATABASE_URL: this.#fresh.url,
      ...this.environment,
    }))
    this.contract = restContract()
    this.services = await openServices({
      config,
      migrations,
      clock: { now: () => this.now },
      log: this.log,
      ...(this.shapes && { shapes: this.shapes }),
    })
    this.#gateway = await startGateway(config, this.services, this.contract)
    this.url = this.#gateway.url
  }

  /** Stops the gateway and starts it again at the same address. */
  async restart(whileStopped: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#gateway.close()
    await whileStopped()
    const config = { ...this.#config, port: Number(new URL(this.url).port) }
    this.#gateway = await startGateway(config, this.services, this.contract)
  }

  async close(): Promise<void> {
    await this.#gateway.close()
    await this.services.close()
    await rm(this.dataDir, { recursive: true, force: true })
    await this.#fresh.drop()
  }

  get databaseUrl(): string {
    return this.#fresh.url
  }

  advanceClock(ms: number): void {
    this.now = new Date(this.now.getTime() + ms)
  }

  /** Resolves when the usage counted so far is written to the tables. */
  settled(): Promise<void> {
    return this.#gateway.settled()
  }

  /** Uses a separate connection, so it works while a test holds a transaction of the platform open. */
  query = <R = Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
    this.#fresh.database.query<R>(text, values)

  /** Runs a transaction on a separate connection, for example to hold locks while the platform works. */
  async inSeparateTransaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const database = new Database({ url: this.#fresh.url, connectionsMax: 1 })
    return database.transaction(work).finally(() => database.close())
  }

  async organization(name = 'Acme'): Promise<string> {
    return (await createOrganization(this.services, { name })).id
  }

  /**
   * Creates a user with an API key, in the default organization or another one. All rights are granted unless options restrict
   * them.
   */
  async member(options: MemberOptions = {}): Promise<Member> {
    const organizationId = options.organizationId ?? (this.#organizationId ??= await this.organization())
    const { role = 'MEMBER', visibility = 'ALL', scopes = ['*'], isEmailVerified = true } = options
    const user = await createUser(this.services, organizationId, {
      email: `u${newId()}@example.com`,
      name: 'Ann Lee',
      role,
      visibility,
      isEmailVerified,
    })
    const key = await createApiKey(this.services, organizationId, {
      ownerId: user.id,
      name: 'test',
      scopes: [...scopes],
      rateLimit: { limit: 1_000_000, window: 'HOUR' },
    })
    return this.#acting(organizationId, user.id, key)
  }

  async team(organizationId: string, memberIds: readonly string[]): Promise<void> {
    await createTeam(this.services, organizationId, { name: 'Team', memberIds: [...memberIds] })
  }

  #acting(organizationId: string, userId: string, key: { id: string; secret: string }): Member {
    const headers = { 'X-API-Key': key.secret }
    return {
      organizationId,
      userId,
      keyId: key.id,
      secret: key.secret,
      headers,
      rest: restClient(this.contract, this.url, headers),
      graphql: async (query, variables = {}, more = {}) =>
        answerOf(
          await fetch(`${this.url}/v1/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers, ...more },
            body: JSON.stringify({ query, variables }),
          }),
        ),
    }
  }

  /** Events of a record, in order. */
  async eventsOf(recordId: string): Promise<EventRow[]> {
    return storedEvents<EventRow>(
      this.query,
      `select type, record_id as "recordId", actor_id as "actorId", data from kernel.event where record_id = $1 order by id`,
      [recordId],
    )
  }

  async eventTypesOf(recordId: string): Promise<string[]> {
    return (await this.eventsOf(recordId)).map(({ type }) => type)
  }

  /** Number of statements that wait for a lock. */
  async waitingForLocks(): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      `select greatest(
         (select count(*) from pg_locks l join pg_database d on d.oid = l.database where not l.granted and d.datname = current_database()),
         (select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')
       )::int as count`,
    )
    return row!.count
  }

  /** Hash of all stored rows, of one organization or of all. A refused request must not change it. */
  fingerprint(organizationId?: string): Promise<string> {
    return this.#fingerprints.of(organizationId)
  }
}

/** Opens one platform for all tests of a file. */
export function usePlatform(
  environment: Readonly<Record<string, string>> = {},
  shapes?: ShapeSource,
  log?: Logger,
): Platform {
  const platform = new Platform(environment, shapes, log)
  beforeAll(() => platform.open())
  afterAll(() => platform.close())
  return platform
}
