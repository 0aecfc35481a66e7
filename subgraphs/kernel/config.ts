import { resolve } from 'node:path'
import { isAddressEntry } from './address.ts'

/** A window of a per-address limit: at most `max` requests in `windowMs`. */
export interface Limit {
  readonly max: number
  readonly windowMs: number
}

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  /** Null: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | null
  /** Null: quotas, throttles and live messages stay inside this process. */
  readonly redisUrl: string | null
  readonly demo: boolean
  readonly ipLimits: readonly Limit[]
  readonly logLevel: string
  /** PKCS#8 PEM (Ed25519) that signs session tokens. Null: generated into `dataDir`. */
  readonly signingKey: string | null
  /** 32 bytes, base64, that encrypt secrets at rest. Null: generated into `dataDir`. */
  readonly encryptionKey: string | null
  /** Secret, at least 32 characters, with which the gateway signs the caller for subgraphs that run apart. Null: generated into `dataDir`. */
  readonly callerKey: string | null
  /** Proxies, as addresses or CIDR blocks, whose X-Forwarded-For names the client. Empty: nobody is believed. */
  readonly trustProxy: readonly string[]
  /** Introspection without a credential. */
  readonly openIntrospection: boolean
  /** Where clients reach the platform, without a slash at the end. Null: the address that it listens on. */
  readonly publicUrl: string | null
  /** Apps may register themselves (RFC 7591), with the session of the user who will own them. */
  readonly oauthRegistration: boolean
  /** Addresses of subgraphs that run apart, by lower-case name. */
  readonly subgraphUrls: Readonly<Record<string, string>>
}

/** Every environment variable that is read: the README's table is compared with this list. */
export const variables = [
  'PORT',
  'HOST',
  'DATA_DIR',
  'DATABASE_URL',
  'REDIS_URL',
  'DEMO',
  'IP_LIMITS',
  'LOG_LEVEL',
  'SIGNING_KEY',
  'ENCRYPTION_KEY',
  'CALLER_KEY',
  'TRUST_PROXY',
  'INTROSPECTION',
  'PUBLIC_URL',
  'OAUTH_REGISTRATION',
  'SUBGRAPH_<NAME>_URL',
] as const

export class ConfigError extends Error {}

const secondsOfUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** `20/s,200/m,2000/h`, or `off`. */
function parseLimits(text: string): Limit[] {
  if (text === 'off') return []
  return text.split(',').map((part) => {
    const match = /^\s*([1-9]\d{0,8})\/([smh])\s*$/.exec(part)
    if (!match) throw new ConfigError(`IP_LIMITS: "${part}" is not of the form 20/s, 200/m or 2000/h (or "off").`)
    return { max: Number(match[1]), windowMs: (secondsOfUnit[match[2]!] ?? 1) * 1000 }
  })
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((option) => option === value)
  if (found === undefined) throw new ConfigError(`${name}: "${value}" is not one of ${allowed.join(', ')}.`)
  return found
}

function proxiesOf(text: string): string[] {
  const proxies = text.split(',').map((part) => part.trim()).filter(Boolean)
  const wrong = proxies.find((proxy) => !isAddressEntry(proxy))
  if (wrong !== undefined) throw new ConfigError(`TRUST_PROXY: "${wrong}" is neither an address nor a CIDR block.`)
  return proxies
}

function urlOf(name: string, value: string | undefined, protocols: readonly string[]): string | null {
  if (!value) return null
  const url = URL.parse(value)
  if (!url || !protocols.includes(url.protocol)) {
    throw new ConfigError(`${name} is not a URL starting with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`)
  }
  return value
}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const port = Number(env.PORT ?? 4000)
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new ConfigError(`PORT: "${env.PORT}" is not a port number.`)
  const encryptionKey = env.ENCRYPTION_KEY || null
  if (encryptionKey && Buffer.from(encryptionKey, 'base64').length !== 32) {
    throw new ConfigError('ENCRYPTION_KEY is not 32 bytes in base64 (openssl rand -base64 32).')
  }
  const callerKey = env.CALLER_KEY || null
  if (callerKey && callerKey.length < 32) throw new ConfigError('CALLER_KEY is shorter than 32 characters.')
  const signingKey = env.SIGNING_KEY?.replaceAll('\\n', '\n') || null
  if (signingKey && !signingKey.includes('BEGIN PRIVATE KEY')) {
    throw new ConfigError('SIGNING_KEY is not a PKCS#8 PEM private key (openssl genpkey -algorithm ed25519).')
  }

  const subgraphUrls: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    const match = /^SUBGRAPH_([A-Z]+)_URL$/.exec(name)
    const url = match && urlOf(name, value, ['http:', 'https:'])
    if (url) subgraphUrls[match[1]!.toLowerCase()] = url
  }

  return {
    port,
    host: env.HOST || '127.0.0.1',
    dataDir: resolve(env.DATA_DIR || '.data'),
    databaseUrl: urlOf('DATABASE_URL', env.DATABASE_URL, ['postgres:', 'postgresql:']),
    redisUrl: urlOf('REDIS_URL', env.REDIS_URL, ['redis:', 'rediss:', 'unix:']),
    demo: oneOf('DEMO', env.DEMO || 'on', ['on', 'off']) === 'on',
    ipLimits: parseLimits(env.IP_LIMITS || '20/s,200/m,2000/h'),
    logLevel: oneOf('LOG_LEVEL', env.LOG_LEVEL || 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    signingKey,
    encryptionKey,
    callerKey,
    trustProxy: proxiesOf(env.TRUST_PROXY ?? ''),
    openIntrospection: oneOf('INTROSPECTION', env.INTROSPECTION || 'credential', ['credential', 'open']) === 'open',
    publicUrl: urlOf('PUBLIC_URL', env.PUBLIC_URL, ['http:', 'https:'])?.replace(/\/+$/, '') ?? null,
    oauthRegistration: oneOf('OAUTH_REGISTRATION', env.OAUTH_REGISTRATION || 'off', ['on', 'off']) === 'on',
    subgraphUrls,
  }
}
