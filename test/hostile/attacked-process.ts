import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { migrations } from '../../subgraphs/all.ts'
import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { openServices, type OpenServices } from '../../subgraphs/kernel/services.ts'
import { fillAccounts, fillCases } from '../bench/fill.ts'
import { freshDatabase } from '../fresh-database.ts'
import { aProcess, type Process } from '../processes.ts'

/** An organization with accounts, an owner, and a key of the owner with all rights. */
export interface Tenant {
  readonly organizationId: string
  readonly ownerId: string
  readonly email: string
  readonly headers: Readonly<Record<string, string>>
  /** Id of one of its accounts. */
  readonly accountId: string
}

/** A real process of the platform with its limits enabled and two organizations. */
export interface AttackedProcess {
  readonly process: Process
  /** Has 100,000 accounts. One of them has a hundred large child accounts. */
  readonly attacker: Tenant
  readonly otherTenant: Tenant
  close(): Promise<void>
}

async function aTenant(services: OpenServices, name: string, accounts: number): Promise<Tenant> {
  const { id: organizationId } = await createOrganization(services, { name })
  const email = `owner@${name.toLowerCase()}.example`
  const owner = { email, name: 'Ann Lee', role: 'OWNER', visibility: 'ALL' } as const
  const { id: ownerId } = await createUser(services, organizationId, owner)
  const { secret } = await createApiKey(services, organizationId, {
    ownerId,
    name: 'test',
    scopes: ['*'],
    rateLimit: { limit: 1_000_000, window: 'MINUTE' },
  })
  await fillAccounts(services.database, organizationId, ownerId, accounts)
  await fillCases(services.database, organizationId, ownerId, Math.min(accounts, 1000), 10)
  const [account] = await services.database.query<{ id: string }>(
    'select id from crm.account where organization_id = $1 limit 1',
    [organizationId],
  )
  return { organizationId, ownerId, email, headers: { 'X-API-Key': secret }, accountId: account!.id }
}

/** Adds a hundred children to the tenant's account, each with half a megabyte of metadata. */
async function addLargeChildren(services: OpenServices, { organizationId, accountId }: Tenant): Promise<void> {
  await services.database.query(
    `update crm.account set parent_account_id = $2, metadata = jsonb_build_object('text', repeat('x', 500000))
     where organization_id = $1 and id in (select id from crm.account where organization_id = $1 and id <> $2 limit 100)`,
    [organizationId, accountId],
  )
}

/** This machine is a trusted proxy, so that every request can have a different client address. */
export async function openAttackedProcess(): Promise<AttackedProcess> {
  const fresh = await freshDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-attacked-'))
  const environment = {
    DATABASE_URL: fresh.url,
    DATA_DIR: dataDir,
    DEMO: 'off',
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'error',
  }
  const services = await openServices({ config: readConfig(environment), migrations, log: pino({ level: 'silent' }) })
  const attacker = await aTenant(services, 'Mallory', 100_000)
  const otherTenant = await aTenant(services, 'Acme', 1000)
  await addLargeChildren(services, attacker)
  await services.database.query('analyze')
  await services.close()
  const process = await aProcess(['bin/run', 'main'], environment)
  await process.start()
  return {
    process,
    attacker,
    otherTenant,
    async close() {
      await process.kill()
      await fresh.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
