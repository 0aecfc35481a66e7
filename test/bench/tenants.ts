import { newApiKey } from '../../subgraphs/kernel/api-key.ts'
import type { Database } from '../../subgraphs/kernel/database/database.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { fillAccounts, fillCases } from './fill.ts'

/** One organization with a user who sees everything, and an API key of that user. */
export interface Tenant {
  readonly organizationId: string
  readonly ownerId: string
  readonly secret: string
}

export interface Tenants {
  /** Holds half of all accounts; every read is measured here. */
  readonly main: Tenant
  /** One of the many others; creates are measured here, so that they leave the lists as they are. */
  readonly writing: Tenant
}

export const casesPerAccount = 12
const accountsWithCases = 10_000
const others = 99
const scopes = ['READ_ACCOUNTS', 'WRITE_ACCOUNTS', 'READ_CASES']
const quotaPerDay = 2_000_000_000

async function addTenant(database: Database, name: string): Promise<Tenant> {
  const [organizationId, personId, ownerId] = [newId(), newId(), newId()]
  await database.query(
    `insert into identity.organization (id, name, code, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [organizationId, name, organizationId],
  )
  await database.query(
    `insert into identity.person (id, email, name, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [personId, `${personId}@bench.example`, 'Bench User'],
  )
  await database.query(
    `insert into identity.app_user (organization_id, id, person_id, role, visibility, created_at, updated_at)
     values ($1, $2, $3, 'ADMIN', 'ALL', now(), now())`,
    [organizationId, ownerId, personId],
  )
  return { organizationId, ownerId, secret: await addKey(database, organizationId, ownerId) }
}

async function addKey(database: Database, organizationId: string, ownerId: string): Promise<string> {
  const { prefix, hash, secret } = newApiKey()
  await database.query(
    `insert into identity.api_key (organization_id, id, owner_id, name, prefix, secret_hash, scopes, rate_limit, rate_window, created_at, updated_at)
     values ($1, $2, $3, 'bench', $4, $5, $6, $7, 'DAY', now(), now())`,
    [organizationId, newId(), ownerId, prefix, hash, scopes, quotaPerDay],
  )
  return secret
}

const nameOfMain = (accounts: number): string => `Main organization with ${accounts} accounts`
const nameOfOther = (accounts: number, index: number): string => `Organization ${index} beside ${accounts} accounts`

/** Of an organization that an earlier run filled; it gets a key of this run. */
async function findTenant(database: Database, name: string): Promise<Tenant | null> {
  const [row] = await database.query<{ organizationId: string; ownerId: string }>(
    `select o.id as "organizationId", u.id as "ownerId" from identity.organization o
     join identity.app_user u on u.organization_id = o.id where o.name = $1`,
    [name],
  )
  return row ? { ...row, secret: await addKey(database, row.organizationId, row.ownerId) } : null
}

/** `accounts` in one organization and as many over 99 others; those of an earlier run when the database has them. */
export async function openTenants(database: Database, accounts: number): Promise<Tenants> {
  const main = await findTenant(database, nameOfMain(accounts))
  const writing = await findTenant(database, nameOfOther(accounts, others))
  return main && writing ? { main, writing } : addTenants(database, accounts)
}

/** One organization with so many accounts. */
export async function openTenant(database: Database, accounts: number): Promise<Tenant> {
  const name = `Organization with ${accounts} accounts alone`
  const found = await findTenant(database, name)
  if (found) return found
  const tenant = await addTenant(database, name)
  await fillAccounts(database, tenant.organizationId, tenant.ownerId, accounts)
  await settle(database)
  return tenant
}

async function addTenants(database: Database, accounts: number): Promise<Tenants> {
  const main = await addTenant(database, nameOfMain(accounts))
  await fillAccounts(database, main.organizationId, main.ownerId, accounts)
  await fillCases(database, main.organizationId, main.ownerId, Math.min(accounts, accountsWithCases), casesPerAccount)
  let writing = main
  for (let index = 1; index <= others; index++) {
    writing = await addTenant(database, nameOfOther(accounts, index))
    await fillAccounts(database, writing.organizationId, writing.ownerId, Math.ceil(accounts / others))
  }
  await settle(database)
  return { main, writing }
}

/** Statistics and visibility as autovacuum leaves them after a while. */
async function settle(database: Database): Promise<void> {
  await database.query('vacuum analyze crm.account')
  await database.query('vacuum analyze support."case"')
}

/** Ids of accounts spread over the whole organization. */
export async function sampleIds(database: Database, { organizationId }: Tenant, count: number): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    'select id from crm.account where organization_id = $1 order by md5(id::text) limit $2',
    [organizationId, count],
  )
  return rows.map(({ id }) => id)
}
