import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** What the program takes from its environment. An empty variable counts as absent. */
export interface Environment {
  readonly url: string | null
  readonly apiKey: string | null
  /** The secret with which `crm listen` signs what it forwards. */
  readonly webhookSecret: string | null
  /** The folder of the program's own files. */
  readonly configFolder: string
  readonly hasColors: boolean
}

export function environmentOf(variables: NodeJS.ProcessEnv = process.env): Environment {
  const valueOf = (name: string): string | null => variables[name] || null
  // A relative path is ignored, as the XDG Base Directory Specification asks.
  const given = valueOf('XDG_CONFIG_HOME')
  const base = given !== null && isAbsolute(given) ? given : join(homedir(), '.config')
  return {
    url: valueOf('CRM_URL'),
    apiKey: valueOf('CRM_API_KEY'),
    webhookSecret: valueOf('CRM_WEBHOOK_SECRET'),
    configFolder: join(base, 'crm'),
    hasColors: valueOf('NO_COLOR') === null && valueOf('TERM') !== 'dumb',
  }
}
