import 'reflect-metadata'
import { migrations, sealedColumns } from './subgraphs/all.ts'
import {
  organizationIdOf,
  resumeOrganization,
  setEntitlements,
  suspendOrganization,
} from './subgraphs/identity/public.ts'
import { ConfigError } from './subgraphs/kernel/config.ts'
import { runCommand } from './subgraphs/kernel/process.ts'
import { rotateKeys } from './subgraphs/kernel/secrets/rotate.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

/** What the operator of the platform does from the command line; each command says in one line what it did. */
const commands: Readonly<Record<string, (services: OpenServices, ...args: string[]) => Promise<string>>> = {
  async 'keys:rotate'({ database, vault }) {
    const { rewrapped, renewed, resealed } = await rotateKeys(database, vault, sealedColumns)
    return `${rewrapped} data keys wrapped anew, ${renewed} made, ${resealed} secrets sealed with them.`
  },

  async organization(services, verb = '', name, features) {
    const isKnown = verb === 'suspend' || verb === 'resume' || (verb === 'entitlements' && features !== undefined)
    if (!isKnown || !name) {
      const usage =
        'organization suspend|resume <id or code>, or organization entitlements <id or code> <feature,...|none>'
      throw new ConfigError(`Say: ${usage}.`)
    }
    const id = await organizationIdOf(services, name)
    if (!id) throw new ConfigError(`There is no organization ${name}.`)
    if (verb === 'entitlements') {
      const { entitlements } = await setEntitlements(services, id, features === 'none' ? [] : features!.split(','))
      return `The plan of the organization ${id} includes ${entitlements.join(', ') || 'no feature by name'}.`
    }
    const { status } = await (verb === 'suspend' ? suspendOrganization : resumeOrganization)(services, id)
    return `The organization ${id} is ${status}.`
  },
}

if (import.meta.main) {
  const [name = '', ...args] = process.argv.slice(2)
  await runCommand(migrations, () => {
    if (!Object.hasOwn(commands, name))
      throw new ConfigError(`"${name}" is none of: ${Object.keys(commands).join(', ')}.`)
    return (services) => commands[name]!(services, ...args)
  })
}
