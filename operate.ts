import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { migrations, sealedColumns } from './subgraphs/all.ts'
import { decideListing, listingRequests } from './subgraphs/extensions/public.ts'
import {
  createOrganizationWithOwner,
  issueOwnerCode,
  listOrganizations,
  organizationIdOf,
  resumeOrganization,
  setEntitlements,
  suspendOrganization,
} from './subgraphs/identity/public.ts'
import { ConfigError, type Config } from './subgraphs/kernel/config/config.ts'
import { backUp } from './subgraphs/kernel/database/backup.ts'
import { restore } from './subgraphs/kernel/database/restore.ts'
import { sharedExternalIds } from './subgraphs/kernel/operate/shared-external-ids.ts'
import { runCommand, runDataCommand } from './subgraphs/kernel/process.ts'
import { rotateKeys } from './subgraphs/kernel/secrets/rotate.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

/** The commands for operators of the platform. Each returns its result as text, mostly one line. */
const commands: Readonly<Record<string, (services: OpenServices, ...args: string[]) => Promise<string>>> = {
  async 'keys:rotate'({ database, vault }) {
    const { rewrapped, renewed, resealed } = await rotateKeys(database, vault, sealedColumns)
    return `${rewrapped} data keys re-encrypted, ${renewed} created, ${resealed} secrets re-encrypted.`
  },

  async 'external-ids'({ database }) {
    const shared = await sharedExternalIds(database)
    const lines = shared.map(({ organizationId, type, externalId, id, firstId }) =>
      [organizationId, type, externalId, id, firstId ?? '-'].join('\t'),
    )
    return [...lines, `${shared.length} records share their external id with an older one.`].join('\n')
  },

  async organization(services, verb = '', name, features, ownerName) {
    if (verb === 'list') return listed(services, name)
    const isKnown =
      verb === 'suspend' ||
      verb === 'resume' ||
      (['entitlements', 'create', 'password'].includes(verb) && features !== undefined)
    if (!isKnown || !name) throw new ConfigError(`Usage: ${organizationUsage}.`)
    if (verb === 'create') return created(services, name, features!, ownerName)
    const id = await organizationIdOf(services, name)
    if (!id) throw new ConfigError(`The organization ${name} does not exist.`)
    if (verb === 'password') return newPassword(services, id, features!)
    if (verb === 'entitlements') {
      const { entitlements } = await setEntitlements(services, id, features === 'none' ? [] : features!.split(','))
      return `The plan of the organization ${id} includes ${entitlements.join(', ') || 'no named feature'}.`
    }
    const { status } = await (verb === 'suspend' ? suspendOrganization : resumeOrganization)(services, id)
    return `The organization ${id} is ${status}.`
  },

  async marketplace(services, verb = '', slug) {
    if (verb === 'list') return requested(services)
    if ((verb !== 'approve' && verb !== 'refuse') || !slug) throw new ConfigError(`Usage: ${marketplaceUsage}.`)
    const listing = await decideListing(services, slug, verb)
    if (listing === null) throw new ConfigError(`The app ${slug} does not exist.`)
    return `The app ${slug} is ${listing}.`
  },
}

const marketplaceUsage = 'marketplace list, or marketplace approve|refuse <slug>'

/** One line for each request, with tabs between the columns. */
async function requested(services: OpenServices): Promise<string> {
  const requests = await listingRequests(services)
  const lines = requests.map(({ slug, latestVersion, requestedAt, name, organizationId, publisherName }) =>
    [slug, latestVersion, requestedAt.slice(0, 10), name, organizationId, publisherName].join('\t'),
  )
  return [...lines, `${requests.length} apps wait for an answer.`].join('\n')
}

const organizationUsage = [
  'organization list [<part of the name or code>]',
  'organization suspend|resume <id or code>',
  'organization entitlements <id or code> <feature,...|none>',
  'organization create <name> <email of the owner> [<name of the owner>]',
  'organization password <id or code> <email of an owner>',
].join(', or ')

async function created(services: OpenServices, name: string, email: string, ownerName = email): Promise<string> {
  // A password needs characters of each kind.
  const password = `${randomBytes(15).toString('base64url')}-Aa1`
  const owner = { email, name: ownerName, password }
  const { organization, isNew } = await createOrganizationWithOwner(services, { name }, owner)
  const signIn = isNew ? `with the password ${password}` : 'with the password of the existing account'
  return `The organization ${organization.id} has the code ${organization.code}; its owner ${email} signs in ${signIn}.`
}

/** One line for each organization, with tabs between the columns. */
async function listed(services: OpenServices, text?: string): Promise<string> {
  const { organizations, total } = await listOrganizations(services, text)
  const lines = organizations.map(({ id, code, status, createdAt, name, owners }) =>
    [id, code, status, createdAt.slice(0, 10), name, owners.join(',') || '-'].join('\t'),
  )
  const more = total - organizations.length
  const end = more > 0 ? `${more} more organizations: name a part of their name or code.` : `${total} organizations.`
  return [...lines, end].join('\n')
}

async function newPassword(services: OpenServices, id: string, email: string): Promise<string> {
  const { code, expiresAt } = await issueOwnerCode(services, id, email)
  return `The owner ${email} sets a new password with the code ${code} until ${expiresAt.toISOString()}, at POST /v1/auth/reset-password.`
}

type DataCommand = (config: Config, log: Logger, folder: string | undefined) => Promise<string>

/** The commands on the data folder of the embedded database. */
const dataCommands: Readonly<Record<string, DataCommand>> = {
  async backup({ dataDir }, log, target) {
    if (!target) throw new ConfigError('Usage: backup <new folder>.')
    const { release, postgresql } = await backUp({ dataDir, target, log })
    return `${resolve(target)} contains the database of ${dataDir}, its keys and files (release ${release}, PostgreSQL ${postgresql}).`
  },

  async restore({ dataDir }, log, source) {
    if (!source) throw new ConfigError('Usage: restore <folder of a backup>.')
    const { release, createdAt } = await restore({ dataDir, source, log })
    return `${dataDir} contains the backup of ${createdAt} (release ${release}). Start the platform with this DATA_DIR.`
  },
}

const namesOfCommands = [...Object.keys(commands), ...Object.keys(dataCommands)].join(', ')

if (import.meta.main) {
  const [name = '', ...args] = process.argv.slice(2)
  if (Object.hasOwn(dataCommands, name))
    await runDataCommand((config, log) => dataCommands[name]!(config, log, args[0]))
  else {
    await runCommand(migrations, () => {
      if (!Object.hasOwn(commands, name))
        throw new ConfigError(`The command must be one of: ${namesOfCommands}; got "${name}".`)
      return (services) => commands[name]!(services, ...args)
    })
  }
}
