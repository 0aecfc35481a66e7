import { join } from 'node:path'
import type { Environment } from './environment.ts'
import { Failure, usageFailure } from './failure.ts'
import { readPrivate, writePrivate } from './private-file.ts'

/** The servers to which the user has logged in, and their API keys. */
interface Stored {
  /** The server that is used if none is named. */
  readonly current: string | null
  readonly servers: Readonly<Record<string, { readonly apiKey: string }>>
}

const nothing: Stored = { current: null, servers: {} }

/** The address of a server, as credentials are stored under it. A path is kept: the platform may be behind a prefix. */
export function serverUrl(text: string): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw usageFailure(`${JSON.stringify(text)} is not a URL such as https://crm.example.com.`)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw usageFailure('The URL of the server must begin with https:// or http://.')
  if (url.username || url.password) throw usageFailure('The URL of the server must not contain a user or a password.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

export const credentialFile = ({ configFolder }: Environment): string => join(configFolder, 'credentials.json')

async function stored(environment: Environment): Promise<Stored> {
  const path = credentialFile(environment)
  const text = await readPrivate(path)
  if (text === null) return nothing
  try {
    const { current = null, servers = {} } = JSON.parse(text) as Partial<Stored>
    return { current, servers }
  } catch {
    throw new Failure('credential', 'FILE_NOT_READABLE', `${path} is not valid JSON. Delete it, and run crm login.`)
  }
}

const write = (environment: Environment, content: Stored): Promise<void> =>
  writePrivate(credentialFile(environment), `${JSON.stringify(content, null, 2)}\n`)

export const currentServer = async (environment: Environment): Promise<string | null> =>
  (await stored(environment)).current

/** Stores a key, and makes its server the one that is used. */
export async function rememberKey(environment: Environment, url: string, apiKey: string): Promise<void> {
  const { servers } = await stored(environment)
  await write(environment, { current: url, servers: { ...servers, [url]: { apiKey } } })
}

/** Whether there was a key of this server. */
export async function forgetKey(environment: Environment, url: string): Promise<boolean> {
  const { current, servers } = await stored(environment)
  const { [url]: found, ...others } = servers
  if (!found) return false
  await write(environment, { current: current === url ? null : current, servers: others })
  return true
}

export interface Credential {
  readonly url: string
  readonly apiKey: string
}

/**
 * The server of a command and its key. A key is only sent to the server that it was stored for; one of the environment needs a server that was
 * named beside it.
 */
export async function credentialFor(environment: Environment, given: string | null): Promise<Credential> {
  const named = given ?? environment.url
  if (environment.apiKey !== null) {
    if (named === null) throw usageFailure('CRM_API_KEY is set: name its server with CRM_URL or --url too.')
    return { url: serverUrl(named), apiKey: environment.apiKey }
  }
  const { current, servers } = await stored(environment)
  const url = named === null ? current : serverUrl(named)
  if (url === null)
    throw new Failure('credential', 'NOT_LOGGED_IN', 'Run crm login first, or set CRM_URL and CRM_API_KEY.')
  const apiKey = servers[url]?.apiKey
  if (apiKey === undefined)
    throw new Failure('credential', 'NOT_LOGGED_IN', `There is no API key for ${url}. Run: crm login --url ${url}`)
  return { url, apiKey }
}
