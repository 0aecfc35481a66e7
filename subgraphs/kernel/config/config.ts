import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { PaymentSettings } from '../payment/payment.ts'
import { isAddressEntry } from '../network/address.ts'
import { ConfigError } from './config-error.ts'
import { bucketOf, type BucketSettings } from './file-store.ts'
import {
  languageModelOf,
  modelTimeoutOf,
  namedModelsOf,
  tokenBudgetsOf,
  type LanguageModelSettings,
  type NamedModels,
  type TokenBudgets,
} from './language-model.ts'
import { storedBytesOf, type StoredBytesLimits } from './stored-bytes.ts'
import { newOrganizationMailsOf, senderOf, type NewOrganizationMails } from './mail.ts'
import { paymentsOf } from './payments.ts'
import { tracingOf, type TracingProtocol } from './tracing.ts'
import { listOf, megabytesOf, numberOf, oneOf, urlOf } from './values.ts'
import { vapidOf, type VapidKeys } from './vapid.ts'
import { parseMeetingProviders, type MeetingProvider } from '../credentials/public.ts'

export { ConfigError }

/** A window of a per-address limit: at most `max` requests in `windowMs`. */
export interface Limit {
  readonly max: number
  readonly windowMs: number
}

/** Who may register: anybody (OPEN), only members of an organization whose code they have (CODE), or nobody (OFF). */
export type RegistrationMode = 'OPEN' | 'CODE' | 'OFF'

export interface Config {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  /** Null: use the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | null
  /** Connections to PostgreSQL for requests of organizations; their shares for each organization and operation follow from it. */
  readonly databaseConnections: number
  /** Null: each process keeps quotas, throttles and live messages in its own memory. */
  readonly redisUrl: string | null
  readonly demo: boolean
  /** Refuse a second connection inside a transaction, so that tests find code that takes one. */
  readonly refuseNestedConnections: boolean
  readonly ipLimits: readonly Limit[]
  /** Bytes that are written in an hour. */
  readonly storedBytes: StoredBytesLimits
  readonly logLevel: string
  /** Port of a separate server with the metrics and health checks; 0: a free port. Null: the gateway serves them on `port`. */
  readonly metricsPort: number | null
  /** How long a gateway or subgraph still serves after SIGTERM while it says that it is not ready, so that no further request is sent to it. */
  readonly drainSeconds: number
  /** The protocol in which traces are sent to an OpenTelemetry receiver, whose SDK reads its own variables. Null: no traces. */
  readonly tracing: TracingProtocol | null
  /** PKCS#8 PEM (Ed25519) private key that signs session tokens. Null: generated into `dataDir`. */
  readonly signingKey: string | null
  /** 32 bytes, base64: the master key that encrypts secrets at rest. Null: generated into `dataDir`. */
  readonly encryptionKey: string | null
  /** Former master keys, base64. They decrypt old data keys until `keys:rotate` has encrypted them with the current key. */
  readonly formerEncryptionKeys: readonly string[]
  /** Secret of at least 32 characters with which the gateway signs the caller for subgraphs in other processes. Null: generated into `dataDir`. */
  readonly callerKey: string | null
  /** Trusted proxies, as addresses or CIDR blocks: only their X-Forwarded-For header is used. Empty: the header is ignored. */
  readonly trustProxy: readonly string[]
  /** Web pages of other origins that may call the API; see `gateway/edge/cors.ts`. */
  readonly cors: { readonly anyOrigin: boolean; readonly origins: readonly string[] }
  /** Allow introspection without a credential. */
  readonly openIntrospection: boolean
  /** Base URL of the platform as clients see it, without a slash at the end. Null: the address that the gateway listens on. */
  readonly publicUrl: string | null
  readonly registration: RegistrationMode
  /** Dynamic registration of apps (RFC 7591): `on` with the session of the user who will own the app, `open` also by clients without a credential. */
  readonly oauthRegistration: 'off' | 'on' | 'open'
  /** SMTP server for outgoing mail. Null: mails are written as files to `dataDir`/mail. */
  readonly smtpUrl: string | null
  /** Sender of every mail. */
  readonly mailFrom: string
  /** Origins of web applications that links in mails may use instead of `publicUrl`. */
  readonly mailLinkOrigins: readonly string[]
  /** Mails to others through the mail server of the platform, by the age of an organization, youngest first. */
  readonly newOrganizationMails: readonly NewOrganizationMails[]
  readonly meetingProviders: readonly MeetingProvider[]
  /** Keys with which the platform identifies itself to push services (RFC 8292). Null: no push messages are sent. */
  readonly vapid: VapidKeys | null
  /** Private addresses and CIDR blocks that outgoing HTTP requests may reach. */
  readonly outboundAllow: readonly string[]
  /** The provider of hosted checkouts. Null: invoices cannot be paid online. */
  readonly payments: PaymentSettings | null
  /** The provider of language models. Null: texts are written by fixed rules in this process. */
  readonly languageModel: LanguageModelSettings | null
  /** The providers of the modes of the assistant that are called by the name of a system. */
  readonly namedModels: NamedModels
  readonly tokenBudgets: TokenBudgets
  /** Days for which events are kept at least. */
  readonly eventRetentionDays: number
  /** Bytes of files that one organization may have; null: any number. */
  readonly fileBytes: number | null
  /** The bucket with the files of organizations. Null: they are in `dataDir`. */
  readonly bucket: BucketSettings | null
  /** The most child processes that run programs of organizations. */
  readonly sandboxChildren: number
  /** URLs of subgraphs in other processes, by lower-case name: one for each process. */
  readonly subgraphUrls: Readonly<Record<string, readonly string[]>>
}

/** Every environment variable that is read. A test compares this list with the table of the guide. */
export const variables = [
  'PORT',
  'HOST',
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_CONNECTIONS',
  'REDIS_URL',
  'DEMO',
  'NODE_ENV',
  'IP_LIMITS',
  'STORED_MB_PER_HOUR',
  'STORED_MB_PER_HOUR_ALL',
  'STORED_MB_MAX',
  'EVENT_RETENTION_DAYS',
  'FILE_MB_MAX',
  'FILE_STORE',
  'FILE_STORE_ENDPOINT',
  'FILE_STORE_REGION',
  'FILE_STORE_BUCKET',
  'FILE_STORE_KEY_ID',
  'FILE_STORE_SECRET',
  'FILE_STORE_PATH_STYLE',
  'LOG_LEVEL',
  'METRICS_PORT',
  'DRAIN_SECONDS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'SIGNING_KEY',
  'ENCRYPTION_KEY',
  'ENCRYPTION_KEY_FORMER',
  'CALLER_KEY',
  'TRUST_PROXY',
  'CORS_ORIGINS',
  'INTROSPECTION',
  'SMTP_URL',
  'MAIL_FROM',
  'MAIL_LINK_ORIGINS',
  'NEW_ORGANIZATION_MAILS',
  'MEETING_PROVIDERS',
  'VAPID_PUBLIC_KEY',
  'VAPID_PRIVATE_KEY',
  'VAPID_SUBJECT',
  'OUTBOUND_ALLOW',
  'PUBLIC_URL',
  'REGISTRATION',
  'OAUTH_REGISTRATION',
  'PAYMENT_KEY',
  'PAYMENT_URL',
  'PAYMENT_WEBHOOK_SECRET',
  'MODEL_URL',
  'MODEL_KEY',
  'MODEL_NAME',
  'MODEL_TIMEOUT_MS',
  'MODEL_MODES',
  'MODEL_TOKENS_PER_USER_DAY',
  'MODEL_TOKENS_PER_ORGANIZATION_MONTH',
  'SANDBOX_CHILDREN',
  'SUBGRAPH_<NAME>_URL',
] as const

const secondsOfUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** `20/s,200/m,2000/h`, or `off`. */
function parseLimits(text: string): Limit[] {
  if (text === 'off') return []
  return text.split(',').map((part) => {
    const match = /^\s*([1-9]\d{0,8})\/([smh])\s*$/.exec(part)
    if (!match) throw new ConfigError(`IP_LIMITS: "${part}" must have the form 20/s, 200/m or 2000/h, or be "off".`)
    return { max: Number(match[1]), windowMs: (secondsOfUnit[match[2]!] ?? 1) * 1000 }
  })
}

function addressesOf(name: string, text: string): string[] {
  const entries = listOf(text)
  const wrong = entries.find((entry) => !isAddressEntry(entry))
  if (wrong !== undefined) throw new ConfigError(`${name}: "${wrong}" must be an IP address or a CIDR block.`)
  return entries
}

/** `ALLOWED_ORIGINS` is the former name of `MAIL_LINK_ORIGINS`. */
function mailLinkOriginsOf(env: NodeJS.ProcessEnv): string[] {
  const name = env.MAIL_LINK_ORIGINS === undefined ? 'ALLOWED_ORIGINS' : 'MAIL_LINK_ORIGINS'
  return listOf(env[name] ?? '').map((origin) => originOf(name, origin))
}

/** `*`, origins, both, or `off`. */
function corsOf(text: string): Config['cors'] {
  const entries = text === 'off' ? [] : listOf(text)
  const origins = entries.filter((entry) => entry !== '*').map((origin) => originOf('CORS_ORIGINS', origin))
  return { anyOrigin: entries.includes('*'), origins }
}

/** An origin such as `https://app.example.com`; a slash at the end is accepted and removed. */
function originOf(name: string, text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !text.includes('*') && url.origin === text.replace(/\/$/, ''))
    return url.origin
  throw new ConfigError(`${name}: "${text}" must be an origin such as https://app.example.com.`)
}

function mustBeKey(name: string, text: string): void {
  if (Buffer.from(text, 'base64').length === 32) return
  throw new ConfigError(`${name} must be 32 bytes in base64 (openssl rand -base64 32).`)
}

const ports = [0, 65535] as const
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Without a query or fragment, because paths are appended to it. */
function publicUrlOf(value: string | undefined): string | null {
  const url = urlOf('PUBLIC_URL', value, ['http:', 'https:'])
  if (url && /[?#@]/.test(url)) throw new ConfigError(`PUBLIC_URL: "${url}" must be an origin with an optional path.`)
  return url?.replace(/\/+$/, '') ?? null
}

function subgraphUrlsOf(env: NodeJS.ProcessEnv): Record<string, string[]> {
  const urls: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(env)) {
    const match = /^SUBGRAPH_(.+)_URL$/.exec(name)
    const listed = match ? listOf(value ?? '').map((url) => urlOf(name, url, ['http:', 'https:'])!) : []
    if (listed.length > 0) urls[match![1]!.toLowerCase()] = listed
  }
  return urls
}

const registrationModes = { open: 'OPEN', code: 'CODE', off: 'OFF' } as const

/** As many as cores, at least two so that one organization cannot occupy all. */
function sandboxChildrenOf(env: NodeJS.ProcessEnv): number {
  const cores = Math.min(8, Math.max(2, availableParallelism()))
  return numberOf('SANDBOX_CHILDREN', env.SANDBOX_CHILDREN || String(cores), [2, 8])
}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const port = numberOf('PORT', env.PORT || '4000', ports)
  const encryptionKey = env.ENCRYPTION_KEY || null
  if (encryptionKey) mustBeKey('ENCRYPTION_KEY', encryptionKey)
  const formerEncryptionKeys = (env.ENCRYPTION_KEY_FORMER ?? '').split(',').filter(Boolean)
  for (const key of formerEncryptionKeys) mustBeKey('ENCRYPTION_KEY_FORMER', key)
  const callerKey = env.CALLER_KEY || null
  if (callerKey && callerKey.length < 32) throw new ConfigError('CALLER_KEY must have at least 32 characters.')
  const signingKey = env.SIGNING_KEY?.replaceAll('\\n', '\n') || null
  if (signingKey && !signingKey.includes('BEGIN PRIVATE KEY')) {
    throw new ConfigError('SIGNING_KEY must be a PKCS#8 PEM private key (openssl genpkey -algorithm ed25519).')
  }
  return {
    port,
    host: env.HOST || '127.0.0.1',
    dataDir: resolve(env.DATA_DIR || '.data'),
    databaseUrl: urlOf('DATABASE_URL', env.DATABASE_URL, ['postgres:', 'postgresql:']),
    databaseConnections: numberOf('DATABASE_CONNECTIONS', env.DATABASE_CONNECTIONS || '10', [2, 500]),
    redisUrl: urlOf('REDIS_URL', env.REDIS_URL, ['redis:', 'rediss:', 'unix:']),
    demo: oneOf('DEMO', env.DEMO || (env.DATABASE_URL ? 'off' : 'on'), ['on', 'off']) === 'on',
    refuseNestedConnections: env.NODE_ENV !== 'production',
    storedBytes: storedBytesOf(env),
    eventRetentionDays: numberOf('EVENT_RETENTION_DAYS', env.EVENT_RETENTION_DAYS || '30', [30, 3650]),
    fileBytes: megabytesOf('FILE_MB_MAX', env.FILE_MB_MAX || '5120'),
    bucket: bucketOf(env, urlOf('FILE_STORE_ENDPOINT', env.FILE_STORE_ENDPOINT, ['http:', 'https:'])),
    ipLimits: parseLimits(env.IP_LIMITS || '20/s,200/m,2000/h'),
    logLevel: oneOf('LOG_LEVEL', env.LOG_LEVEL || 'info', logLevels),
    drainSeconds: numberOf('DRAIN_SECONDS', env.DRAIN_SECONDS || '0', [0, 300]),
    metricsPort: env.METRICS_PORT ? numberOf('METRICS_PORT', env.METRICS_PORT, ports) : null,
    tracing: tracingOf(env),
    signingKey,
    encryptionKey,
    formerEncryptionKeys,
    callerKey,
    trustProxy: addressesOf('TRUST_PROXY', env.TRUST_PROXY ?? ''),
    cors: corsOf(env.CORS_ORIGINS || '*'),
    openIntrospection: oneOf('INTROSPECTION', env.INTROSPECTION || 'credential', ['credential', 'open']) === 'open',
    publicUrl: publicUrlOf(env.PUBLIC_URL),
    registration: registrationModes[oneOf('REGISTRATION', env.REGISTRATION || 'open', ['open', 'code', 'off'])],
    oauthRegistration: oneOf('OAUTH_REGISTRATION', env.OAUTH_REGISTRATION || 'off', ['off', 'on', 'open']),
    smtpUrl: urlOf('SMTP_URL', env.SMTP_URL, ['smtp:', 'smtps:']),
    mailFrom: senderOf(env.MAIL_FROM || 'CRM <no-reply@localhost>'),
    mailLinkOrigins: mailLinkOriginsOf(env),
    newOrganizationMails: newOrganizationMailsOf(env.NEW_ORGANIZATION_MAILS || '100/1d,300/7d,1000/30d'),
    meetingProviders: parseMeetingProviders(env.MEETING_PROVIDERS || '[]'),
    vapid: vapidOf(env),
    outboundAllow: addressesOf('OUTBOUND_ALLOW', env.OUTBOUND_ALLOW ?? ''),
    payments: paymentsOf(env, urlOf('PAYMENT_URL', env.PAYMENT_URL, ['http:', 'https:'])),
    languageModel: languageModelOf(env, urlOf('MODEL_URL', env.MODEL_URL, ['http:', 'https:'])),
    namedModels: namedModelsOf(env.MODEL_MODES || '{}', modelTimeoutOf(env), (name, url) =>
      urlOf(name, url, ['http:', 'https:']),
    ),
    tokenBudgets: tokenBudgetsOf(env),
    sandboxChildren: sandboxChildrenOf(env),
    subgraphUrls: subgraphUrlsOf(env),
  }
}
