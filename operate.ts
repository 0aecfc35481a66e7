import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { migrations, sealedColumns } from './subgraphs/all.ts'
import {
  createOrganizationWithOwner,
  organizationIdOf,
  resumeOrganization,
  setEntitlements,
  suspendOrganization,
} from './subgraphs/identity/public.ts'
import { ConfigError } from './subgraphs/kernel/config/config.ts'
import { runCommand } from './subgraphs/kernel/process.ts'
import { rotateKeys } from './subgraphs/kernel/secrets/rotate.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

/** The commands for operators of the platform. Each returns its result as one line of text. */
const commands: Readonly<Record<string, (services: OpenServices, ...args: string[]) => Promise<string>>> = {
  async 'keys:rotate'({ database, vault }) {
    const { rewrapped, renewed, resealed } = await rotateKeys(database, vault, sealedColumns)
    return `${rewrapped} data keys re-encrypted, ${renewed} created, ${resealed} secrets re-encrypted.`
  },

  async organization(services, verb = '', name, features, ownerName) {
    const isKnown =
      verb === 'suspend' ||
      verb === 'resume' ||
      ((verb === 'entitlements' || verb === 'create') && features !== undefined)
    if (!isKnown || !name) throw new ConfigError(`Usage: ${organizationUsage}.`)
    if (verb === 'create') return created(services, name, features!, ownerName)
    const id = await organizationIdOf(services, name)
    if (!id) throw new ConfigError(`The organization ${name} does not exist.`)
    if (verb === 'entitlements') {
      const { entitlements } = await setEntitlements(services, id, features === 'none' ? [] : features!.split(','))
      return `The plan of the organization ${id} includes ${entitlements.join(', ') || 'no named feature'}.`
    }
    const { status } = await (verb === 'suspend' ? suspendOrganization : resumeOrganization)(services, id)
    return `The organization ${id} is ${status}.`
  },
}

const organizationUsage = [
  'organization suspend|resume <id or code>',
  'organization entitlements <id or code> <feature,...|none>',
  'organization create <name> <email of the owner> [<name of the owner>]',
].join(', or ')

async function created(services: OpenServices, name: string, email: string, ownerName = email): Promise<string> {
  // A password needs characters of each kind.
  const password = `${randomBytes(15).toString('base64url')}-Aa1`
  const owner = { email, name: ownerName, password }
  const { organization, isNew } = await createOrganizationWithOwner(services, { name }, owner)
  const signIn = isNew ? `with the password ${password}` : 'with the password of the existing account'
  return `The organization ${organization.id} has the code ${organization.code}; its owner ${email} signs in ${signIn}.`
}

if (import.meta.main) {
  const [name = '', ...args] = process.argv.slice(2)
  await runCommand(migrations, () => {
    if (!Object.hasOwn(commands, name))
      throw new ConfigError(`The command must be one of: ${Object.keys(commands).join(', ')}; got "${name}".`)
    return (services) => commands[name]!(services, ...args)
  })
}
