import { hashPassword } from '../identity/password/password.ts'
import { createApiKey, createOrganization, createTeam, createUser } from '../identity/public.ts'
import { changeUser } from '../identity/user/user.actions.ts'
import { parseApiKey } from '../kernel/credentials/public.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { ConfigError } from '../kernel/config/config.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { systemContext, type Services } from '../kernel/request.ts'
import { midnightOf } from './calendar.ts'
import { loadCreditNoteNumbers } from './credit-notes.ts'
import { loadDunning } from './invoices.ts'
import { definedShapes } from './definitions.ts'
import { definitionsByType, demoData, recordsByType } from './demo-data.ts'
import { readDemo, writeDemo, type Demo, type DemoOrganization } from './demo-file.ts'
import { loadContract } from './documents.ts'
import { loadInsights } from './insights.ts'
import { loadNotifications } from './notifications.ts'
import { Random } from './random.ts'
import {
  type GeneratorInput,
  generatorInputOf,
  logoIdOf,
  managerOf,
  membersOf,
  organizationIdOf,
  teamIdOf,
  teamNames,
} from './organization.ts'
import { demoKeys, profiles as allProfiles, type Profile } from './profiles.ts'
import { Secrets } from './secrets.ts'
import { loadWebhooks } from './webhooks.ts'
import { loadExtensions } from './extensions.ts'
import { loadWorkflows } from './workflows.ts'
import { databaseLocks } from '../kernel/database/locks.ts'

export interface DemoOptions {
  readonly services: Services
  readonly dataDir: string
  /** The URL of the platform. */
  readonly baseUrl: string
  /** The organizations to load; by default all. */
  readonly profiles?: readonly Profile[]
}

/**
 * Loads the demo unless it is loaded; returns its users and keys, which are also in `demo.json` in the data folder. All data but one contract is
 * written in one transaction: if the process is killed, nothing is written, and the next start loads the demo again. The file is
 * written after the commit, because its secrets can be derived again.
 */
export async function loadDemo({ services, dataDir, baseUrl, profiles = allProfiles }: DemoOptions): Promise<Demo> {
  const secrets = new Secrets(services.keys)
  const midnightMs = midnightOf(services.clock.now())
  const isNew = await services.database.transaction(async (sql) => {
    // Another process may be loading for longer than the statement timeout.
    await sql.query('set local statement_timeout = 0')
    // If several processes start together, one loads the demo and the others wait.
    await sql.query('select pg_advisory_xact_lock($1)', [databaseLocks.demo])
    if (await isLoaded(sql, profiles[0]!)) return false
    const tables = new Set(scoreTables)
    for (const profile of profiles) {
      const inside = { ...services, database: sql }
      for (const table of await loadOrganization(inside, generatorInputOf(profile, midnightMs), secrets))
        tables.add(table)
    }
    // The planner would take the tables for empty until the server has analyzed them a minute later.
    await sql.query(`analyze ${[...tables].join(', ')}`)
    return true
  })
  if (isNew)
    for (const profile of profiles)
      await loadContract({ ...services, clock: clockAt(midnightMs) }, generatorInputOf(profile, midnightMs))
  const stored = await readDemo(dataDir)
  const isCurrent =
    stored !== null &&
    profiles.every((profile, index) => stored.organizations?.[index]?.id === organizationIdOf(profile))
  if (isCurrent && stored.baseUrl === baseUrl) return stored
  const demo = isCurrent
    ? { ...stored, baseUrl }
    : { baseUrl, organizations: profiles.map((profile) => credentialsOf(profile, secrets)) }
  if (!isCurrent) await requireDerivableSecrets(services.database, demo)
  await writeDemo(dataDir, demo)
  return demo
}

/** Tables from which scores are read, besides those of records. */
const scoreTables = ['crm.stage_entry', 'insights.deal_score', 'insights.engagement']

async function isLoaded(sql: Sql, profile: Profile): Promise<boolean> {
  const rows = await sql.query('select 1 from identity.organization where id = $1', [organizationIdOf(profile)])
  return rows.length > 0
}

const credentialsOf = (profile: Profile, secrets: Secrets): DemoOrganization => ({
  id: organizationIdOf(profile),
  name: profile.name,
  users: profile.people.map(({ email, role, visibility }) => ({
    email,
    password: secrets.password(profile.code),
    role,
    visibility,
  })),
  apiKeys: demoKeys.map(({ name, scopes }) => ({
    name,
    scopes,
    secret: secrets.apiKey(`${profile.code}, ${name}`).secret,
  })),
})

/** Throws if the demo was loaded with another encryption key: its secrets can then not be derived, and `demo.json` is missing. */
async function requireDerivableSecrets(sql: Sql, { organizations }: Demo): Promise<void> {
  const hashes = organizations.flatMap(({ apiKeys }) => apiKeys.map(({ secret }) => parseApiKey(secret)!.hash))
  const rows = await sql.query('select 1 from identity.api_key where secret_hash = any($1)', [hashes])
  if (rows.length > 0) return
  throw new ConfigError(
    'The demo in this database was loaded with another ENCRYPTION_KEY, and its demo.json is missing. Set the former ENCRYPTION_KEY, or set DEMO=off.',
  )
}

const clockAt = (atMs: number): Clock => ({ now: () => new Date(atMs) })

/** Returns the tables of its records. */
async function loadOrganization(services: Services, input: GeneratorInput, secrets: Secrets): Promise<string[]> {
  await loadPeople({ ...services, clock: clockAt(input.foundedMs) }, input, secrets)
  await identifyPipeline(services, input)
  await loadKeys({ ...services, clock: clockAt(input.midnightMs) }, input, secrets)
  const { database } = services
  const { timezone } = input.profile
  const data = demoData(input)
  const definitions = definitionsByType(data)
  for (const records of definitions) await records.insert(database, timezone, null)
  const shapes = await definedShapes(database, input)
  const types = recordsByType(data)
  for (const records of types) await records.insert(database, timezone, shapes)
  await loadDunning(services.database, input)
  await loadCreditNoteNumbers(services.database, input)
  await loadInsights({ ...services, clock: clockAt(input.midnightMs) }, input)
  await loadWebhooks(services, input)
  await loadWorkflows(services, input)
  await loadExtensions(services, input)
  await loadNotifications(services, input)
  return [...definitions, ...types].map(({ table }) => table)
}

/** A trigger has created the default pipeline. It gets an id that is the same on every machine, and the time of the organization. */
const identifyPipeline = ({ database }: Services, { organizationId, pipelineId, foundedMs }: GeneratorInput) =>
  database.query(
    'update crm.pipeline set id = $2, created_at = $3, updated_at = $3 where organization_id = $1 and is_default',
    [organizationId, pipelineId, new Date(foundedMs).toISOString()],
  )

async function loadPeople(services: Services, input: GeneratorInput, secrets: Secrets): Promise<void> {
  const { organizationId, profile, users } = input
  const { name, code, currency: baseCurrency, timezone } = profile
  const { logo, ...seller } = profile.seller
  const image = { id: logoIdOf(input), mediaType: 'image/png', width: 56, height: 52 } as const
  await createOrganization(services, {
    id: organizationId,
    name,
    code,
    settings: { baseCurrency, timezone, ...seller, logo: image },
  })
  await services.database.query(
    'insert into identity.organization_logo (id, organization_id, media_type, content) values ($1, $2, $3, $4)',
    [image.id, organizationId, image.mediaType, Buffer.from(logo, 'base64')],
  )
  const passwordHash = await hashPassword(secrets.password(code))
  for (const { id, email, name, role, visibility, timezone } of users) {
    const [firstName, lastName] = name.split(' ')
    await createUser(services, organizationId, {
      id,
      email,
      name,
      firstName: firstName!,
      lastName: lastName!,
      role,
      visibility,
      passwordHash,
      isEmailVerified: true,
      timezone,
    })
  }
  await setManagers(services, input)
  for (const name of teamNames(profile)) {
    await createTeam(services, organizationId, {
      id: teamIdOf(input, name),
      name,
      memberIds: membersOf(input, name).map(({ id }) => id),
    })
  }
}

async function setManagers(services: Services, input: GeneratorInput): Promise<void> {
  const ctx = systemContext(services, input.organizationId)
  for (const user of input.users) {
    const manager = managerOf(input, user)
    if (manager) await changeUser(ctx, user.id, { managerId: manager.id })
  }
}

async function loadKeys(services: Services, input: GeneratorInput, secrets: Secrets): Promise<void> {
  const { organizationId, profile, users, midnightMs } = input
  const random = new Random(`keys ${profile.code}`)
  for (const { name, owner, scopes } of demoKeys) {
    await createApiKey(services, organizationId, {
      id: random.id(midnightMs),
      ownerId: users.find(({ role }) => role === owner)!.id,
      name,
      scopes: [...scopes],
      secret: secrets.apiKey(`${profile.code}, ${name}`).secret,
      rateLimit: { limit: 100_000, window: 'HOUR' },
      expiresAt: null,
    })
  }
}

/** The text that is printed at start: URLs, a sign-in and an API key. */
export function bannerOf({ organizations }: Demo, urls: Readonly<Record<string, string>>): string {
  const [{ name, users, apiKeys }] = organizations as [DemoOrganization]
  const rows = [
    ...Object.entries(urls),
    ['Demo', name],
    ['Sign-in', `${users[0]!.email}  ${users[0]!.password}`],
    ['API key', apiKeys[0]!.secret],
  ] as const
  const width = Math.max(...rows.map(([label]) => label.length))
  return ['', ...rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`), ''].join('\n')
}
