import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import type { Services } from '../../subgraphs/kernel/request.ts'
import { fillAccounts, fillCases } from './fill.ts'

/** An organization with an API key of a user who sees every record. */
export interface Tenant {
  readonly organizationId: string
  readonly ownerId: string
  readonly secret: string
}

export interface Tenants {
  /** Has half of all accounts; reads are measured here. */
  readonly main: Tenant
  /** One of the other organizations; creates are measured here, so that they do not change the measured lists. */
  readonly writing: Tenant
}

export const casesPerAccount = 12
const accountsWithCases = 10_000
const others = 99
const scopes = ['READ_ACCOUNTS', 'WRITE_ACCOUNTS', 'READ_CASES', 'WRITE_CONTACTS', 'WRITE_LEADS']
/** The largest allowed rate limit; one server does not reach it. */
const rateLimit = { limit: 1_000_000, window: 'MINUTE' } as const

async function addTenant(services: Services, name: string): Promise<Tenant> {
  const { id: organizationId } = await createOrganization(services, { name })
  const user = {
    name: 'Bench User',
    email: `${organizationId}@bench.example`,
    role: 'ADMIN',
    visibility: 'ALL',
  } as const
  const { id: ownerId } = await createUser(services, organizationId, user)
  return { organizationId, ownerId, secret: await addKey(services, organizationId, ownerId) }
}

/** An organization of its own with an administrator. */
export const openAdministrator = (services: Services): Promise<Tenant> => addTenant(services, 'Bench of deliveries')

async function addKey(services: Services, organizationId: string, ownerId: string): Promise<string> {
  return (await createApiKey(services, organizationId, { ownerId, name: 'Bench', scopes, rateLimit })).secret
}

const nameOfMain = (accounts: number): string => `Main organization with ${accounts} accounts`
const nameOfOther = (accounts: number, index: number): string => `Organization ${index} beside ${accounts} accounts`

/** An organization that an earlier run filled, with a new API key. */
async function findTenant(services: Services, name: string): Promise<Tenant | null> {
  const [row] = await services.database.query<{ organizationId: string; ownerId: string }>(
    `select o.id as "organizationId", u.id as "ownerId" from identity.organization o
     join identity.app_user u on u.organization_id = o.id where o.name = $1`,
    [name],
  )
  return row ? { ...row, secret: await addKey(services, row.organizationId, row.ownerId) } : null
}

/**
 * One organization with `accounts` accounts, and 99 others that together have the same number. They are reused if the database has them
 * from an earlier run.
 */
export async function openTenants(services: Services, accounts: number): Promise<Tenants> {
  const main = await findTenant(services, nameOfMain(accounts))
  const writing = await findTenant(services, nameOfOther(accounts, others))
  return main && writing ? { main, writing } : addTenants(services, accounts)
}

/** One organization with `accounts` accounts. */
export async function openTenant(services: Services, accounts: number): Promise<Tenant> {
  const name = `Organization with ${accounts} accounts alone`
  const found = await findTenant(services, name)
  if (found) return found
  const tenant = await addTenant(services, name)
  await fillAccounts(services.database, tenant.organizationId, tenant.ownerId, accounts)
  await settle(services.database)
  return tenant
}

async function addTenants(services: Services, accounts: number): Promise<Tenants> {
  const main = await addTenant(services, nameOfMain(accounts))
  await fillAccounts(services.database, main.organizationId, main.ownerId, accounts)
  await fillCases(
    services.database,
    main.organizationId,
    main.ownerId,
    Math.min(accounts, accountsWithCases),
    casesPerAccount,
  )
  let writing = main
  for (let index = 1; index <= others; index++) {
    writing = await addTenant(services, nameOfOther(accounts, index))
    await fillAccounts(services.database, writing.organizationId, writing.ownerId, Math.ceil(accounts / others))
  }
  await settle(services.database)
  return { main, writing }
}

/** Updates the statistics and the visibility map, as autovacuum would after some time. */
async function settle(database: Sql): Promise<void> {
  await database.query('vacuum analyze crm.account')
  await database.query('vacuum analyze support."case"')
}

/** Ids of accounts from the whole organization, in pseudo-random order. */
export async function sampleIds({ database }: Services, { organizationId }: Tenant, count: number): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    'select id from crm.account where organization_id = $1 order by md5(id::text) limit $2',
    [organizationId, count],
  )
  return rows.map(({ id }) => id)
}
