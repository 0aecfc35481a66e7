import { beforeAll, expect, it } from 'vitest'
import { eventCatalog } from '../../subgraphs/kernel/outbox/event-catalog.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'
import { sessionOf } from '../requests/session.ts'

const platform = usePlatform()
let owner: Member
let headers: Readonly<Record<string, string>>
let functionId: string
let made = 0

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  headers = { 'content-type': 'application/json', authorization: `Bearer ${await sessionOf(platform, owner)}` }
  const source = 'export default () => ({ results: [] })'
  functionId = (await send('POST', 'functions', { apiName: 'act', name: 'Act', source })).body.id as string
})

async function send(method: string, path: string, given?: object) {
  const body = given && JSON.stringify(given)
  const response = await fetch(`${platform.url}/v1/${path}`, { method, headers, ...(body && { body }) })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] }
}

const types = [...new Set(eventCatalog().entries.map(({ type }) => type))]
const listOf = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, index) => item(index))
const text = (length: number) => 'x'.repeat(length)

/** A field, its last accepted values, the first refused one, and what the refusal says. `at`: the path of the refusal if it is another one. */
interface Bound {
  readonly field: string
  readonly accepted: readonly unknown[]
  readonly refused: unknown
  readonly code: string
  readonly rule: string
  readonly at?: string
}
interface Area {
  readonly path: string
  readonly base: (n: number) => object
  /** The body that has the value. By default a member of this name. */
  readonly body?: (field: string, value: unknown) => object
  readonly bounds: readonly Bound[]
}

const characters = (field: string, max: number, of: (length: number) => unknown = text, at = field): Bound => {
  const rule = `must have at most ${max} characters.`
  return { field, accepted: [of(max)], refused: of(max + 1), code: 'TOO_LONG', rule, at }
}
/** The same for a text that must not be empty. */
const filled = (...of: Parameters<typeof characters>): Bound => ({
  ...characters(...of),
  rule: `must have 1 to ${of[1]} characters.`,
})
const range = (field: string, minimum: number, maximum: number): Bound[] => {
  const refusal = { field, code: 'OUT_OF_RANGE', rule: `must be between ${minimum} and ${maximum}.` }
  return [
    { ...refusal, accepted: [minimum, maximum], refused: minimum - 1 },
    { ...refusal, accepted: [], refused: maximum + 1 },
  ]
}
const items = (field: string, max: number, item: (index: number) => unknown): Bound => {
  const refusal = { field, code: 'TOO_MANY', rule: `must have at most ${max} items.` }
  return { ...refusal, accepted: [listOf(max, item)], refused: listOf(max + 1, item) }
}
const address = (length: number) => `https://erp.example.com/${text(length - 24)}`
const conditions = items('conditions', 50, () => ({ field: 'name', operator: 'EQUALS', value: 'x' }))
/** A schema with so many characters as JSON. */
const schemaOf = (length: number) => {
  const properties = Object.fromEntries(listOf(16, (n) => [`p${n}`, { title: text(1_000) }]))
  const schema = { type: 'object', title: '', properties }
  return { ...schema, title: text(length - JSON.stringify(schema).length) }
}
const headersOf = (length: number, value = 'x') => Object.fromEntries(listOf(length, (n) => [`X-A-${n}`, value]))
const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
const stepOf = (type: string, config: object, values: object = {}) => ({ id: `s${++made}`, type, config, ...values })
const ids = (length: number) => listOf(length, (n) => `019a0c5e-7f00-7c1d-8f21-${String(n).padStart(12, '0')}`)
const jsonSchema = (field: string, accepted: readonly unknown[], refused: unknown, rule: string): Bound => ({
  field,
  accepted,
  refused,
  code: 'WRONG_VALUE',
  rule,
})
/** Loops inside one another, and a step inside of all. */
const nested = (depth: number) => [
  ...listOf(depth, (n) => ({ id: `l${n}`, type: 'LOOP', config: { items: [1], body: `l${n + 1}` } })),
  { id: `l${depth}`, type: 'CREATE_TASK', config: { subject: 'x' } },
]
const branches = (length: number) =>
  listOf(length, () => ({ conditions: [{ field: 'input.a', operator: 'EQUALS', value: 'x' }] }))
const configs: Readonly<Record<string, readonly [type: string, rest: object]>> = {
  minutes: ['DELAY', {}],
  approverIds: ['APPROVAL', {}],
  expiresInHours: ['APPROVAL', { approverIds: ids(1) }],
  recipients: ['SEND_NOTIFICATION', { message: 'x' }],
  items: ['LOOP', { body: 'inside' }],
  timeoutMs: ['HTTP_REQUEST', { method: 'GET', url: 'https://erp.example.com/' }],
  limit: ['FIND_RECORDS', { object: 'LEAD' }],
}

const areas: Readonly<Record<string, Area>> = {
  functions: {
    path: 'functions',
    base: (n) => ({ apiName: `f_${n}`, name: 'F' }),
    bounds: [
      items('eventTypes', 20, (n) => types[n]),
      {
        ...filled('schedule', 120),
        accepted: [`0 0 1 1 ${'1,'.repeat(55)}01`],
        refused: `0 0 1 1 ${'1,'.repeat(56)}1`,
      },
    ],
  },
  actions: {
    path: 'custom-actions',
    base: (n) => ({ apiName: `a_${n}`, label: 'A', url: address(40), ...schemas }),
    bounds: [
      ...range('timeoutMs', 500, 30_000),
      ...range('maxRetries', 0, 3),
      filled('apiName', 48, (length) => `a${'b'.repeat(length - 1)}`),
      filled('label', 120),
      characters('description', 1_000),
      characters('toolDescription', 1_000),
      characters('url', 2_000, address),
      { ...characters('inputSchema', 16_384, schemaOf), rule: 'must have at most 16384 characters as JSON.' },
      { ...characters('outputSchema', 16_384, schemaOf), rule: 'must have at most 16384 characters as JSON.' },
    ],
  },
  hooks: {
    path: 'hooks',
    base: (n) => ({ objectType: 'TASK', name: `H ${n}`, url: address(40), isActive: false }),
    bounds: [
      ...range('timeoutMs', 250, 5_000),
      ...range('position', 0, 1_000),
      filled('name', 100),
      characters('description', 1_000),
      filled('url', 2_000, address),
    ],
  },
  triggers: {
    path: 'after-save-triggers',
    base: (n) => ({ objectType: 'ACCOUNT', name: `T ${n}`, operations: ['CREATE'], function: 'act', isActive: false }),
    bounds: [
      ...range('timeoutMs', 250, 10_000),
      ...range('position', 0, 1_000),
      filled('name', 100),
      characters('description', 1_000),
      conditions,
    ],
  },
  'named credentials': {
    path: 'named-credentials',
    base: (n) => ({
      apiName: `c_${n}`,
      label: 'C',
      baseUrl: address(40),
      authType: 'BASIC',
      username: 'u',
      headerName: 'X-Key',
    }),
    bounds: [
      ...range('timeoutMs', 1_000, 10_000),
      filled('apiName', 48, (length) => `a${'b'.repeat(length - 1)}`),
      filled('label', 120),
      characters('description', 1_000),
      filled('baseUrl', 2_000, address),
      characters('tokenUrl', 2_000, address),
      characters('headerName', 100),
      characters('username', 255),
      characters('clientId', 255),
      items('scopes', 50, (n) => `read.${n}`),
      filled('scopes', 200, (length) => [text(length)], 'scopes.0'),
      {
        ...items('staticHeaders', 20, String),
        accepted: [headersOf(20)],
        refused: headersOf(21),
        rule: 'must have at most 20 members.',
      },
      {
        ...characters('staticHeaders', 8_192),
        accepted: [headersOf(8, text(1_019))],
        refused: headersOf(8, text(1_020)),
        rule: 'must have at most 8192 characters together.',
      },
    ],
  },
  workflows: {
    path: 'workflows',
    base: (n) => ({ name: `W ${n}`, triggerType: 'RECORD_CREATED', triggerEntity: 'ACCOUNT' }),
    body: (field, value) =>
      field === 'fields' ? { triggerType: 'FIELD_CHANGED', triggerConfig: { fields: value } } : { [field]: value },
    bounds: [
      filled('name', 120),
      characters('description', 2_000),
      ...range('delayMinutes', 0, 525_600),
      conditions,
      {
        ...items('steps', 100, String),
        accepted: [
          listOf(100, (n) =>
            stepOf('CREATE_TASK', { subject: 'x' }, { id: `s${n}`, next: n < 99 ? `s${n + 1}` : null }),
          ),
        ],
        refused: listOf(101, (n) => stepOf('CREATE_TASK', { subject: 'x' }, { id: `s${n}` })),
      },
      {
        field: 'steps',
        accepted: [nested(5)],
        refused: nested(6),
        code: 'TOO_DEEP',
        rule: 'must have at most 5 loops inside one another.',
        at: 'steps.5.config.body',
      },
      {
        field: 'steps',
        accepted: [[stepOf('BRANCH', {}, { branches: branches(20) })]],
        refused: [stepOf('BRANCH', {}, { branches: branches(21) })],
        code: 'WRONG_VALUE',
        rule: 'must be a list of 1 to 20 branches.',
        at: 'steps.0.branches',
      },
      {
        ...jsonSchema(
          'fields',
          [listOf(20, () => 'name')],
          listOf(21, () => 'name'),
          'must be a list of 1 to 20 names of fields.',
        ),
        at: 'triggerConfig.fields',
      },
    ],
  },
  'starts of workflows by time': {
    path: 'workflows',
    base: (n) => ({ name: `S ${n}`, triggerType: 'TIME_BASED', triggerEntity: 'TASK' }),
    body: (field, value) =>
      field === 'cron'
        ? { triggerConfig: { cron: value }, triggerEntity: null }
        : { triggerConfig: { field: 'dueDate', [field]: value } },
    bounds: [
      ...[-1, 1].map((sign) => ({
        field: 'offsetMinutes',
        accepted: [sign * 525_600],
        refused: sign * 525_601,
        code: 'OUT_OF_RANGE',
        rule: 'must be an integer from -525600 to 525600.',
        at: 'triggerConfig.offsetMinutes',
      })),
      {
        field: 'cron',
        accepted: ['*/5 * * * *'],
        refused: '*/4 * * * *',
        code: 'OUT_OF_RANGE',
        rule: 'must come true at most every 5 minutes.',
        at: 'triggerConfig.cron',
      },
    ],
  },
  'steps of workflows': {
    path: 'workflows',
    base: (n) => ({ name: `S ${n}`, triggerType: 'MANUAL' }),
    body(field, value) {
      const [type, rest] = configs[field]!
      const inside = type === 'LOOP' ? [stepOf('CREATE_TASK', { subject: 'x' }, { id: 'inside' })] : []
      return { steps: [stepOf(type, { ...rest, [field]: value }), ...inside] }
    },
    bounds: [
      jsonSchema('minutes', [1, 525_600], 525_601, 'must be <= 525600.'),
      jsonSchema('approverIds', [ids(20)], ids(21), 'must NOT have more than 20 items.'),
      jsonSchema('expiresInHours', [1, 720], 721, 'must be <= 720.'),
      jsonSchema('expiresInHours', [], 0, 'must be >= 1.'),
      jsonSchema('recipients', [ids(20)], ids(21), 'must NOT have more than 20 items.'),
      jsonSchema('items', [listOf(1_000, Number)], listOf(1_001, Number), 'must NOT have more than 1000 items.'),
      jsonSchema('timeoutMs', [500, 30_000], 30_001, 'must be <= 30000.'),
      jsonSchema('timeoutMs', [], 499, 'must be >= 500.'),
      jsonSchema('limit', [1, 100], 101, 'must be <= 100.'),
    ].map((bound) => ({ ...bound, at: `steps.0.config.${bound.field}` })),
  },
}

it.each(Object.entries(areas))(
  'the last value of each bound of %s is accepted, and the first one beyond it refused',
  async (_name, { path, base, body = (field, value) => ({ [field]: value }), bounds }) => {
    for (const { field, accepted } of bounds)
      for (const value of accepted) {
        const values = { ...base(++made), ...body(field, value) }
        const answer = await send('POST', path, values)
        expect([field, answer.status, answer.body.errors]).toEqual([field, 201, undefined])
        expect(answer.body).toMatchObject(Object.fromEntries(Object.entries(values).filter(([name]) => name === field)))
        expect((await send('DELETE', `${path}/${answer.body.id}`)).status).toBeLessThan(300)
      }
    const before = await platform.fingerprint(owner.organizationId)
    for (const { field, refused, code, rule, at = field } of bounds) {
      const { status, body: answer } = await send('POST', path, { ...base(++made), ...body(field, refused) })
      const [problem] = (answer.errors ?? []) as { path: string; code: string; message: string }[]
      expect([field, status, problem]).toMatchObject([field, 400, { path: at, code, message: `${at} ${rule}` }])
    }
    expect(await platform.fingerprint(owner.organizationId)).toBe(before)
  },
)

it('versions of a function have notes of at most 500 characters, and are at most 1,000', async () => {
  const version = { source: 'export default () => 1', language: 'javascript' }
  const saved = await send('POST', `functions/${functionId}/versions`, { ...version, note: text(500) })
  expect([saved.status, saved.body.number, saved.body.note]).toEqual([201, 2, text(500)])
  await platform.query('update extensions.function_version set number = 999 where id = $1', [saved.body.id])
  const last = await send('POST', `functions/${functionId}/versions`, version)
  expect([last.status, last.body.number]).toEqual([201, 1_000])
  const before = await platform.fingerprint(owner.organizationId)
  const refused = await send('POST', `functions/${functionId}/versions`, version)
  const message = 'A function must have at most 1000 versions; create another function.'
  expect([refused.status, refused.body.errors]).toEqual([400, [{ path: 'source', code: 'TOO_MANY', message }]])
  const { status, body } = await send('POST', `functions/${functionId}/versions`, { ...version, note: text(501) })
  expect([status, body.errors[0].message]).toEqual([400, 'note must have at most 500 characters.'])
  expect(await platform.fingerprint(owner.organizationId)).toBe(before)
})

it('named credentials are at most 100 in an organization', async () => {
  const organizationId = await platform.organization()
  const other = await platform.member({ role: 'OWNER', organizationId })
  headers = { ...headers, authorization: `Bearer ${await sessionOf(platform, other)}` }
  const create = (n: number) =>
    send('POST', 'named-credentials', { apiName: `c_${n}`, label: 'C', baseUrl: address(40), authType: 'NONE' })
  for (let n = 1; n <= 100; n++) expect((await create(n)).status).toBe(201)
  const before = await platform.fingerprint(organizationId)
  const { status, body } = await create(101)
  const message = 'An organization must have at most 100 named credentials; delete one first.'
  expect([status, body.errors.map((one: { message: string }) => one.message)]).toEqual([400, [message]])
  expect(await platform.fingerprint(organizationId)).toBe(before)
})
