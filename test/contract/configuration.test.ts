import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig, variables } from '../../subgraphs/kernel/config/config.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

const guide = readFileSync(join(projectRoot, 'gateway/pages/guides/configuration.md'), 'utf8')

const vapid = {
  publicKey: 'BLPxcTXQpIEhtq9dmLx2iLC02D1jr-DH0Uww_pFwPwmHmPKovBdOMA_wjSB3TRSYALbyC_Yd1t-9fcFoKuPrs7M',
  privateKey: 'd3UZyhFOIN1dSWzaLJwqyvQUNuNa6XJc3KonKr4Wkm4',
  subject: 'mailto:operator@example.com',
}
const zoom = {
  name: 'zoom',
  authorizeUrl: 'https://zoom.example/oauth/authorize',
  tokenUrl: 'https://zoom.example/oauth/token',
  clientId: 'crm',
  clientSecret: 'secret',
}

describe('configuration', () => {
  it('lists every variable in one table of the guide', () => {
    const listed = [...guide.matchAll(/^\| `([A-Z_<>]+)` +\|/gm)].map(([, name]) => name)
    expect(listed).toEqual([...variables])
  })

  it('has the defaults of the specification', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      databaseUrl: null,
      databaseConnections: 10,
      redisUrl: null,
      demo: true,
      refuseNestedConnections: true,
      storedBytes: { organization: 4_294_967_296, all: 21_474_836_480, kept: 107_374_182_400 },
      eventRetentionDays: 30,
      fileBytes: 5_368_709_120,
      bucket: null,
      ipLimits: [
        { max: 20, windowMs: 1000 },
        { max: 200, windowMs: 60_000 },
        { max: 2000, windowMs: 3_600_000 },
      ],
      logLevel: 'info',
      metricsPort: null,
      drainSeconds: 0,
      tracing: null,
      registration: 'OPEN',
      trustProxy: [],
      cors: { anyOrigin: true, origins: [] },
      openIntrospection: false,
      smtpUrl: null,
      mailFrom: 'CRM <no-reply@localhost>',
      mailLinkOrigins: [],
      newOrganizationMails: [
        { max: 100, untilAgeMs: 86_400_000 },
        { max: 300, untilAgeMs: 7 * 86_400_000 },
        { max: 1000, untilAgeMs: 30 * 86_400_000 },
      ],
      meetingProviders: [],
      vapid: null,
      outboundAllow: [],
      publicUrl: null,
      oauthRegistration: 'off',
      subgraphUrls: {},
    })
  })

  it('reads every variable', () => {
    const env = {
      PORT: '0',
      HOST: '0.0.0.0',
      DATA_DIR: '/srv/crm',
      DATABASE_URL: 'postgres://db/crm',
      DATABASE_CONNECTIONS: '40',
      REDIS_URL: 'redis://cache',
      DEMO: 'off',
      NODE_ENV: 'production',
      IP_LIMITS: 'off',
      STORED_MB_PER_HOUR: '100',
      STORED_MB_PER_HOUR_ALL: 'off',
      STORED_MB_MAX: '200000',
      EVENT_RETENTION_DAYS: '90',
      FILE_STORE: 's3',
      FILE_STORE_ENDPOINT: 'https://store.example.com',
      FILE_STORE_REGION: 'eu-north-1',
      FILE_STORE_BUCKET: 'crm-files',
      FILE_STORE_KEY_ID: 'files',
      FILE_STORE_SECRET: 'files-secret',
      FILE_STORE_PATH_STYLE: 'off',
      LOG_LEVEL: 'warn',
      METRICS_PORT: '9464',
      DRAIN_SECONDS: '5',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      ENCRYPTION_KEY_FORMER: Buffer.alloc(32, 8).toString('base64'),
      CALLER_KEY: 'c'.repeat(32),
      TRUST_PROXY: '10.0.0.0/8, ::1',
      CORS_ORIGINS: '*, https://app.example.com/, http://localhost:5173',
      INTROSPECTION: 'open',
      SMTP_URL: 'smtps://crm:secret@mail.example.com',
      MAIL_FROM: 'Fjordline CRM <crm@example.com>',
      MAIL_LINK_ORIGINS: 'https://app.example.com, https://b.example.com/',
      NEW_ORGANIZATION_MAILS: '50/7d, 5/1d',
      MEETING_PROVIDERS: JSON.stringify([zoom]),
      VAPID_PUBLIC_KEY: vapid.publicKey,
      VAPID_PRIVATE_KEY: vapid.privateKey,
      VAPID_SUBJECT: vapid.subject,
      OUTBOUND_ALLOW: '10.1.0.0/16',
      PUBLIC_URL: 'https://crm.example.com/',
      REGISTRATION: 'code',
      OAUTH_REGISTRATION: 'on',
      PAYMENT_KEY: 'sk_live',
      PAYMENT_URL: 'https://pay.example.com/api/',
      PAYMENT_WEBHOOK_SECRET: 'whsec_0123456789',
      MODEL_URL: 'https://models.example.com/v1/',
      MODEL_KEY: 'sk-model',
      MODEL_NAME: 'writer-1',
      MODEL_TIMEOUT_MS: '5000',
      MODEL_MODES: '{"vendor_a": {"url": "https://a.example.com/v1/", "name": "a-1"}}',
      MODEL_TOKENS_PER_USER_DAY: '1000',
      MODEL_TOKENS_PER_ORGANIZATION_MONTH: '20000',
      SANDBOX_CHILDREN: '3',
      SUBGRAPH_SUPPORT_URL: 'http://support:4001',
      SUBGRAPH_CRM_URL: 'http://crm-1:4000, http://crm-2:4000,',
    }
    expect(readConfig(env)).toEqual({
      port: 0,
      host: '0.0.0.0',
      dataDir: '/srv/crm',
      databaseUrl: 'postgres://db/crm',
      databaseConnections: 40,
      redisUrl: 'redis://cache',
      demo: false,
      refuseNestedConnections: false,
      storedBytes: { organization: 104_857_600, all: null, kept: 209_715_200_000 },
      eventRetentionDays: 90,
      fileBytes: 5_368_709_120,
      bucket: {
        endpoint: 'https://store.example.com',
        region: 'eu-north-1',
        bucket: 'crm-files',
        accessKeyId: 'files',
        secretAccessKey: 'files-secret',
        isPathStyle: false,
      },
      ipLimits: [],
      logLevel: 'warn',
      metricsPort: 9464,
      drainSeconds: 5,
      tracing: 'http/protobuf',
      signingKey: null,
      encryptionKey: env.ENCRYPTION_KEY,
      formerEncryptionKeys: [env.ENCRYPTION_KEY_FORMER],
      callerKey: env.CALLER_KEY,
      trustProxy: ['10.0.0.0/8', '::1'],
      cors: { anyOrigin: true, origins: ['https://app.example.com', 'http://localhost:5173'] },
      openIntrospection: true,
      smtpUrl: 'smtps://crm:secret@mail.example.com',
      mailFrom: 'Fjordline CRM <crm@example.com>',
      mailLinkOrigins: ['https://app.example.com', 'https://b.example.com'],
      newOrganizationMails: [
        { max: 5, untilAgeMs: 86_400_000 },
        { max: 50, untilAgeMs: 7 * 86_400_000 },
      ],
      meetingProviders: [{ ...zoom, scope: '' }],
      vapid,
      outboundAllow: ['10.1.0.0/16'],
      publicUrl: 'https://crm.example.com',
      registration: 'CODE',
      oauthRegistration: 'on',
      payments: { url: 'https://pay.example.com/api', key: 'sk_live', webhookSecret: 'whsec_0123456789' },
      languageModel: { url: 'https://models.example.com/v1', key: 'sk-model', name: 'writer-1', timeoutMs: 5000 },
      namedModels: { vendor_a: { url: 'https://a.example.com/v1', key: null, name: 'a-1', timeoutMs: 5000 } },
      tokenBudgets: { userDay: 1000, organizationMonth: 20_000 },
      sandboxChildren: 3,
      subgraphUrls: { support: ['http://support:4001'], crm: ['http://crm-1:4000', 'http://crm-2:4000'] },
    })
  })

  it.each([
    ['off', { anyOrigin: false, origins: [] }],
    ['https://app.example.com', { anyOrigin: false, origins: ['https://app.example.com'] }],
  ])('reads CORS_ORIGINS=%s', (value, cors) => {
    expect(readConfig({ CORS_ORIGINS: value }).cors).toEqual(cors)
  })

  it('loads the demo without being asked only into the embedded database', () => {
    const url = 'postgres://db/crm'
    const configs = [{}, { DATABASE_URL: url }, { DATABASE_URL: url, DEMO: 'on' }, { DEMO: 'off' }].map(readConfig)
    expect(configs.map(({ demo }) => demo)).toEqual([true, false, true, false])
  })

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('sends no traces with %j', (off) => {
    const endpoint = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }
    expect([readConfig(endpoint).tracing, readConfig({ ...endpoint, ...off }).tracing]).toEqual(['http/protobuf', null])
  })

  it('reads the former name ALLOWED_ORIGINS if MAIL_LINK_ORIGINS is not set', () => {
    const former = { ALLOWED_ORIGINS: 'https://old.example.com' }
    expect(readConfig(former).mailLinkOrigins).toEqual(['https://old.example.com'])
    const both = { ...former, MAIL_LINK_ORIGINS: 'https://app.example.com' }
    expect(readConfig(both).mailLinkOrigins).toEqual(['https://app.example.com'])
  })

  it.each([
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['PORT', ' '],
    ['PORT', '0x50'],
    ['DATABASE_URL', 'mysql://db/crm'],
    ['DATABASE_CONNECTIONS', '1'],
    ['DATABASE_CONNECTIONS', 'many'],
    ['REDIS_URL', 'cache:6379'],
    ['DEMO', 'yes'],
    ['IP_LIMITS', '20 per second'],
    ['IP_LIMITS', '0/s'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_PORT', '70000'],
    ['EVENT_RETENTION_DAYS', '29'],
    ['EVENT_RETENTION_DAYS', 'forever'],
    ['DRAIN_SECONDS', '301'],
    ['DRAIN_SECONDS', '-1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['REGISTRATION', 'closed'],
    ['SIGNING_KEY', 'secret'],
    ['ENCRYPTION_KEY', 'short'],
    ['ENCRYPTION_KEY_FORMER', 'short'],
    ['CALLER_KEY', 'c'.repeat(31)],
    ['INTROSPECTION', 'closed'],
    ['PUBLIC_URL', 'crm.example.com'],
    ['PUBLIC_URL', 'https:crm.example.com'],
    ['PUBLIC_URL', 'https://crm.example.com/?tenant=1'],
    ['PUBLIC_URL', 'https://eve@crm.example.com'],
    ['OAUTH_REGISTRATION', 'anybody'],
    ['SUBGRAPH_SUPPORT_URL', 'support:4001'],
    ['SUBGRAPH_SUPPORT_URL', 'http://support:4001,support:4002'],
    ['TRUST_PROXY', 'localhost'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'null'],
    ['MODEL_URL', 'models.example.com'],
    ['MODEL_NAME', 'writer-1'],
    ['MODEL_KEY', 'sk-1'],
    ['MODEL_TIMEOUT_MS', '99'],
    ['MODEL_TIMEOUT_MS', '60001'],
    ['MODEL_MODES', '[]'],
    ['MODEL_MODES', '{"model": {"url": "https://a.example.com", "name": "a"}}'],
    ['MODEL_MODES', '{"vendor_a": {"url": "a.example.com", "name": "a"}}'],
    ['MODEL_MODES', '{"vendor_a": {"url": "https://a.example.com"}}'],
    ['MODEL_MODES', '{"vendor_a": null}'],
    ['MODEL_TOKENS_PER_USER_DAY', '0'],
    ['MODEL_TOKENS_PER_ORGANIZATION_MONTH', 'off'],
    ['SANDBOX_CHILDREN', '1'],
    ['SANDBOX_CHILDREN', '9'],
    ['SMTP_URL', 'mail.example.com'],
    ['SMTP_URL', 'smtp:mail.example.com'],
    ['MAIL_FROM', 'nobody'],
    ['MAIL_FROM', 'A <a@example.com>\r\nBcc: b@example.com'],
    ['MAIL_LINK_ORIGINS', 'https://app.example.com/path'],
    ['ALLOWED_ORIGINS', 'https://app.example.com/path'],
    ['NEW_ORGANIZATION_MAILS', '100'],
    ['NEW_ORGANIZATION_MAILS', '100/1h'],
    ['MEETING_PROVIDERS', 'zoom'],
    ['MEETING_PROVIDERS', '[{"name": "zoom"}]'],
    ['MEETING_PROVIDERS', JSON.stringify([zoom, zoom])],
    ['MEETING_PROVIDERS', JSON.stringify([{ ...zoom, name: 'Zoom Meetings' }])],
    ['MEETING_PROVIDERS', JSON.stringify([{ ...zoom, tokenUrl: 'zoom' }])],
    ['OUTBOUND_ALLOW', 'localhost'],
    ['VAPID_PUBLIC_KEY', vapid.privateKey],
    ['VAPID_PUBLIC_KEY', vapid.publicKey.slice(1)],
  ])('refuses %s=%s and names the variable', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(name)
  })
})
