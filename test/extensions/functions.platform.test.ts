import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'

const platform = usePlatform()
let owner: Member
let admin: Member
let functions = 0

const refused = ({ status, body }: Answer, expected: number, code: string) =>
  expect([status, body.code]).toEqual([expected, code])
const refusedInputs = ({ status, body }: Answer): string[] => {
  expect(status).toBe(400)
  return body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
}

const echo = 'export default (input, context) => ({ input, env: context.env, depth: context.invocation.depth })'
const depth = (value: string) => ({ 'x-service-function-depth': value })

beforeAll(async () => {
  const organizationId = await platform.organization('Functions')
  owner = await platform.member({ organizationId, role: 'OWNER' })
  admin = await platform.member({ organizationId, role: 'ADMIN' })
})

const values = (given: object = {}) => ({ apiName: `f_${++functions}`, name: 'Echo', language: 'javascript', ...given })

async function created(given: object = {}, who = admin) {
  const { status, body } = await who.rest.serverlessFunctionCreate!({ body: values(given) })
  expect([status, body.errors]).toEqual([201, undefined])
  return body
}

const invoked = (id: string, body: object = {}, header = '0', who = admin) =>
  who.rest.serverlessFunctionInvoke!({ id, body, headers: depth(header) })

const count = async () =>
  (await platform.query<{ count: number }>('select count(*)::int as count from extensions.function'))[0]!.count

describe('serverlessFunctionCreate', () => {
  it('has the defaults of the specification, and no version without a source', async () => {
    const { id, apiName, createdAt, updatedAt, ...others } = await created({ language: undefined })
    expect(createdAt).toBe(updatedAt)
    expect([id, apiName]).toEqual([expect.any(String), expect.stringMatching(/^f_\d+$/)])
    expect(others).toEqual({
      name: 'Echo',
      description: null,
      language: 'typescript',
      envVars: {},
      timeoutMs: 10_000,
      memoryMb: 128,
      allowedHosts: [],
      runAsUserId: admin.userId,
      runAsAdmin: false,
      scopes: [],
      httpEnabled: false,
      eventTypes: [],
      schedule: null,
      isActive: true,
      deployedVersionId: null,
      deployedVersion: null,
      managedBy: null,
      secretNames: [],
      version: 1,
      createdById: admin.userId,
      updatedById: admin.userId,
    })
  })

  const tooMany = (length: number, item: (index: number) => string) => Array.from({ length }, (_, index) => item(index))
  const env = (length: number, value = 'x') =>
    Object.fromEntries(tooMany(length, (i) => `N_${i}`).map((n) => [n, value]))
  const accepted: readonly [string, unknown][] = [
    ['apiName', `a${'b'.repeat(47)}`],
    ['apiName', 'ab'],
    ['name', 'n'.repeat(120)],
    ['description', 'd'.repeat(1000)],
    ['timeoutMs', 1000],
    ['timeoutMs', 30_000],
    ['memoryMb', 16],
    ['memoryMb', 128],
    ['allowedHosts', tooMany(20, (i) => `h${i}.example.com`)],
    ['allowedHosts', ['*.example.com', 'api.example.com']],
    ['scopes', tooMany(64, (i) => `READ_${'A'.repeat(1 + (i % 8))}_${'B'.repeat(1 + Math.floor(i / 8))}`)],
    ['eventTypes', ['lead.created', 'function.failed']],
    ['schedule', '*/5 * * * *'],
    ['schedule', `${tooMany(12, (i) => String(i * 5)).join(',')} 0-23 1-31 1-12 1-5`],
    ['envVars', { A: '', _B9: 'x'.repeat(8192) }],
    ['envVars', env(100)],
  ]
  it.each(accepted)('accepts for %s the bound %j', async (name, value) => {
    const given = await created({ [name]: value })
    expect(given[name]).toEqual(value)
  })

  const refusedValues: readonly [string, unknown, string, string?][] = [
    ['apiName', 'a', 'WRONG_FORMAT'],
    ['apiName', 'aB', 'WRONG_FORMAT'],
    ['apiName', '1a', 'WRONG_FORMAT'],
    ['apiName', `a${'b'.repeat(48)}`, 'TOO_LONG'],
    ['name', 'n'.repeat(121), 'TOO_LONG'],
    ['name', ' ', 'WRONG_FORMAT'],
    ['description', 'd'.repeat(1001), 'TOO_LONG'],
    ['source', 's'.repeat(262_145), 'TOO_LONG'],
    ['timeoutMs', 999, 'OUT_OF_RANGE'],
    ['timeoutMs', 30_001, 'OUT_OF_RANGE'],
    ['memoryMb', 15, 'OUT_OF_RANGE'],
    ['memoryMb', 129, 'OUT_OF_RANGE'],
    ['allowedHosts', tooMany(21, (i) => `h${i}.example.com`), 'TOO_MANY'],
    ...[
      '10.0.0.1',
      '[::1]',
      '*',
      '*.com',
      'example',
      'a.*.com',
      'https://a.example.com',
      'a.example.com:443',
      '0x7f.1',
    ].map((host): [string, unknown, string, string] => ['allowedHosts', [host], 'NOT_A_HOST', 'allowedHosts.0']),
    ['allowedHosts', ['a.example.com', 'a.example.com'], 'NOT_UNIQUE', 'allowedHosts.1'],
    ['scopes', tooMany(65, () => 'READ_LEADS'), 'TOO_MANY'],
    ['scopes', ['*'], 'UNKNOWN_SCOPE', 'scopes.0'],
    ['scopes', ['INVOKE_FUNCTIONS'], 'UNKNOWN_SCOPE', 'scopes.0'],
    ['eventTypes', tooMany(21, () => 'lead.created'), 'TOO_MANY'],
    ['eventTypes', ['lead.exploded'], 'UNKNOWN_EVENT', 'eventTypes.0'],
    ['eventTypes', ['custom.nothing'], 'UNKNOWN_EVENT', 'eventTypes.0'],
    ['schedule', `0 0 1 1 ${'1,'.repeat(60)}1`, 'TOO_LONG'],
    ['schedule', '*/4 * * * *', 'OUT_OF_RANGE'],
    ['schedule', '58,2 * * * *', 'OUT_OF_RANGE'],
    ['schedule', '* * * * *', 'OUT_OF_RANGE'],
    ['schedule', '0 0 30 2 *', 'WRONG_FORMAT'],
    ['schedule', '@hourly', 'WRONG_FORMAT'],
    ['schedule', '0 */5 * * * *', 'WRONG_FORMAT'],
    ['envVars', { lower: 'x' }, 'WRONG_FORMAT', 'envVars.lower'],
    ['envVars', { A: 1 }, 'WRONG_TYPE', 'envVars.A'],
    ['envVars', { A: 'x'.repeat(8193) }, 'TOO_LONG', 'envVars.A'],
    ['envVars', env(101), 'TOO_MANY'],
    ['envVars', env(9, 'x'.repeat(8000)), 'TOO_LONG'],
    ['runAsUserId', newId(), 'UNKNOWN_REFERENCE'],
  ]
  it.each(refusedValues)(
    'refuses for %s the value %j with %s, and creates nothing',
    async (name, value, code, path = name) => {
      const before = await count()
      const answer = await admin.rest.serverlessFunctionCreate!({ body: values({ [name]: value }) })
      expect([answer.status, answer.body.errors?.[0]?.path, answer.body.errors?.[0]?.code]).toEqual([400, path, code])
      expect(await count()).toBe(before)
    },
  )

  it('accepts a source of 262,144 characters that are escaped in JSON', async () => {
    const source = `export default () => 1 //${'中'.repeat(262_144)}`.slice(0, 262_144)
    const body = JSON.stringify(values({ source })).replaceAll('中', '\\u4e2d')
    expect(body.length).toBeGreaterThan(1_572_000)
    const response = await fetch(`${platform.url}/v1/functions`, {
      method: 'POST',
      headers: { ...admin.headers, 'Content-Type': 'application/json' },
      body,
    })
    expect([response.status, ((await response.json()) as { deployedVersion: number }).deployedVersion]).toEqual([
      201, 1,
    ])
  })

  it('refuses a source that does not compile, with its line, and creates nothing', async () => {
    const before = await count()
    const source = 'export default () => {\n  return 1 +\n}'
    const answer = await admin.rest.serverlessFunctionCreate!({ body: values({ source }) })
    expect([answer.status, answer.body.code]).toEqual([400, 'COMPILE_ERROR'])
    expect(await count()).toBe(before)
  })

  it('refuses the apiName of another function, and accepts it after that one was deleted', async () => {
    const { id, apiName } = await created()
    refused(await admin.rest.serverlessFunctionCreate!({ body: values({ apiName }) }), 409, 'UNIQUE_VIOLATION')
    const deleted = await admin.rest.serverlessFunctionDelete!({ id: apiName })
    expect([deleted.status, deleted.body]).toEqual([200, { id, apiName, deleted: true }])
    expect((await created({ apiName })).id).not.toBe(id)
    refused(await admin.rest.serverlessFunction!({ id }), 404, 'NOT_FOUND')
  })

  it('refuses the function after the hundredth of the organization', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Many'), role: 'OWNER' })
    for (let index = 0; index < 100; index++)
      expect((await other.rest.serverlessFunctionCreate!({ body: values() })).status).toBe(201)
    const answer = await other.rest.serverlessFunctionCreate!({ body: values() })
    expect(refusedInputs(answer)).toEqual(['apiName TOO_MANY'])
    expect((await other.rest.serverlessFunctionList!()).body.length).toBe(100)
  })
})

describe('the rights', () => {
  it('are those of owners and admins with the scope *', async () => {
    const { organizationId } = admin
    const { id } = await created({ source: echo, httpEnabled: true })
    for (const role of ['MANAGER', 'MEMBER', 'READ_ONLY'] as const) {
      const other = await platform.member({ organizationId, role })
      refused(await other.rest.serverlessFunctionCreate!({ body: values() }), 403, 'PERMISSION_DENIED')
      refused(await other.rest.serverlessFunctionList!(), 403, 'PERMISSION_DENIED')
      refused(await other.rest.serverlessFunctionTest!({ id, body: {} }), 403, 'PERMISSION_DENIED')
    }
    const key = await platform.member({ organizationId, role: 'ADMIN', scopes: ['INVOKE_FUNCTIONS'] })
    refused(await key.rest.serverlessFunctionList!(), 403, 'API_KEY_SCOPE_INSUFFICIENT')
    expect((await invoked(id, {}, '0', key)).status).toBe(200)
    const reader = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_LEADS'] })
    refused(await invoked(id, {}, '0', reader), 403, 'API_KEY_SCOPE_INSUFFICIENT')
  })

  it('let only an owner decide what acts as an owner', async () => {
    const asOwner = { runAsUserId: owner.userId, source: echo, httpEnabled: true }
    refused(await admin.rest.serverlessFunctionCreate!({ body: values(asOwner) }), 403, 'PERMISSION_DENIED')
    const { id, deployedVersionId } = await created(asOwner, owner)
    const { rest } = admin
    const tries = [
      rest.serverlessFunctionUpdate!({ id, body: { name: 'Other' } }),
      rest.serverlessFunctionVersionCreate!({ id, body: { source: echo, language: 'javascript' } }),
      rest.serverlessFunctionDeploy!({ id, body: { versionId: deployedVersionId } }),
      rest.serverlessFunctionSecretSet!({ id, name: 'A', body: { value: 'x' } }),
      rest.serverlessFunctionTest!({ id, body: {} }),
    ]
    for (const answer of await Promise.all(tries)) refused(answer, 403, 'PERMISSION_DENIED')
    expect((await owner.rest.serverlessFunction!({ id })).body).toMatchObject({ version: 1, secretNames: [] })
    expect((await rest.serverlessFunctionUpdate!({ id, body: { isActive: false } })).body.isActive).toBe(false)
  })
})

describe('versions', () => {
  it('are numbered, never change, and are deployed and rolled back', async () => {
    const { id, apiName, deployedVersionId: first } = await created({ source: echo })
    const body = { source: 'export default () => 2', language: 'javascript', note: 'Two.', deploy: true }
    const second = (await admin.rest.serverlessFunctionVersionCreate!({ id: apiName, body })).body
    expect(second).toMatchObject({
      functionId: id,
      number: 2,
      note: 'Two.',
      isDeployed: true,
      createdById: admin.userId,
    })
    expect(second).not.toHaveProperty('source')
    const third = (await admin.rest.serverlessFunctionVersionCreate!({ id, body: { ...body, deploy: false } })).body
    expect([third.number, third.isDeployed]).toEqual([3, false])
    const page = (await admin.rest.serverlessFunctionVersionList!({ id, query: { limit: 2 } })).body
    expect(page).toMatchObject({ page: 1, limit: 2, total: 3, totalPages: 2, hasMore: true })
    expect(page.data.map((one: { number: number }) => one.number)).toEqual([3, 2])
    expect(page.data[0]).not.toHaveProperty('source')
    const rest = (await admin.rest.serverlessFunctionVersionList!({ id, query: { cursor: page.nextCursor } })).body
    expect(rest.data.map((one: { number: number }) => one.number)).toEqual([1])
    const read = (await admin.rest.serverlessFunctionVersion!({ id, versionId: first })).body
    expect(read).toMatchObject({ number: 1, source: echo, isDeployed: false, note: null })
    const deployed = await admin.rest.serverlessFunctionDeploy!({ id, body: { versionId: third.id } })
    expect(deployed.body).toMatchObject({ deployedVersionId: third.id, deployedVersion: 3 })
    expect((await admin.rest.serverlessFunctionRollback!({ id })).body.deployedVersion).toBe(2)
    expect((await admin.rest.serverlessFunctionRollback!({ id })).body.deployedVersion).toBe(1)
    refused(await admin.rest.serverlessFunctionRollback!({ id }), 409, 'INVALID_STATE')
    expect((await admin.rest.serverlessFunction!({ id })).body.deployedVersion).toBe(1)
  })

  it.each([
    ['source', 's'.repeat(262_145), 'TOO_LONG'],
    ['note', 'n'.repeat(501), 'TOO_LONG'],
    ['language', 'python', 'NOT_ALLOWED'],
  ])('are refused with another %s', async (name, value, code) => {
    const { id } = await created()
    const body = { source: echo, language: 'javascript', [name]: value }
    const answer = await admin.rest.serverlessFunctionVersionCreate!({ id, body })
    expect([answer.status, answer.body.errors[0].path, answer.body.errors[0].code]).toEqual([400, name, code])
    expect((await admin.rest.serverlessFunctionVersionList!({ id })).body.total).toBe(0)
  })

  it('of another function are not deployed', async () => {
    const [one, other] = [await created({ source: echo }), await created({ source: echo })]
    const answer = await admin.rest.serverlessFunctionDeploy!({
      id: one.id,
      body: { versionId: other.deployedVersionId },
    })
    expect(refusedInputs(answer)).toEqual(['versionId UNKNOWN_REFERENCE'])
  })
})

describe('secrets', () => {
  const secret = 'a-secret-of-the-test'
  const use =
    'export default (input, context) => { console.log(context.secrets.TOKEN); return { got: context.secrets.TOKEN, input } }'

  it('are stored sealed, and never returned, logged or in events', async () => {
    const { id } = await created({ source: use })
    const set = await admin.rest.serverlessFunctionSecretSet!({ id, name: 'TOKEN', body: { value: secret } })
    expect([set.status, set.body]).toEqual([200, { name: 'TOKEN', updatedAt: expect.any(String) }])
    expect((await admin.rest.serverlessFunctionSecretList!({ id })).body).toEqual(['TOKEN'])
    const test = await admin.rest.serverlessFunctionTest!({ id, body: { input: { given: secret } } })
    expect(test.body.status).toBe('SUCCEEDED')
    const read = await admin.rest.serverlessFunctionInvocation!({ id, invocationId: test.body.invocationId })
    expect(read.body.input).toEqual({ given: '[secret]' })
    const stored = await platform.query(
      `select (select string_agg(i::text, '') from extensions.function_invocation i where i.function_id = $1::uuid)
         || (select string_agg(s::text, '') from extensions.function_secret s where s.function_id = $1::uuid)
         || (select string_agg(e::text, '') from kernel.event e where e.record_id = $1::uuid)
         || (select string_agg(a::text, '') from identity.audit_entry a where a.target_id = $1::uuid::text) as text`,
      [id],
    )
    const texts = JSON.stringify([stored, test.body, read.body, (await admin.rest.serverlessFunction!({ id })).body])
    expect(texts).toContain('TOKEN')
    expect(texts).not.toContain(secret)
    expect((await admin.rest.serverlessFunctionSecretDelete!({ id, name: 'TOKEN' })).status).toBe(200)
    refused(await admin.rest.serverlessFunctionSecretDelete!({ id, name: 'TOKEN' }), 404, 'NOT_FOUND')
  })

  it('are at most 50 of a function, with 8,192 characters each and names in upper case', async () => {
    const { id } = await created()
    const set = (name: string, value: string) => admin.rest.serverlessFunctionSecretSet!({ id, name, body: { value } })
    expect((await set('N0', 'x'.repeat(8192))).status).toBe(200)
    expect(refusedInputs(await set('N0', 'x'.repeat(8193)))).toEqual(['value TOO_LONG'])
    refused(await set('lower', 'x'), 404, 'NOT_FOUND')
    for (let index = 1; index < 50; index++) expect((await set(`N${index}`, 'x')).status).toBe(200)
    expect(refusedInputs(await set('N50', 'x'))).toEqual(['name TOO_MANY'])
    expect((await set('N49', 'y')).status).toBe(200)
    expect((await admin.rest.serverlessFunctionSecretList!({ id })).body.length).toBe(50)
  })
})

describe('serverlessFunctionInvoke', () => {
  it('logs texts that a database cannot store with replacements', async () => {
    const source =
      'export default (input) => { console.log("a\\u0000b \\ud800"); if (input.fails) throw new Error("x\\u0000"); return { "k\\u0000": "v\\udfff" } }'
    const { id } = await created({ source })
    const entries = []
    for (const input of [{}, { fails: true }]) {
      const { status, body } = await admin.rest.serverlessFunctionTest!({ id, body: { input } })
      expect(status).toBe(200)
      entries.push((await admin.rest.serverlessFunctionInvocation!({ id, invocationId: body.invocationId })).body)
    }
    expect(entries).toMatchObject([
      { status: 'SUCCEEDED', output: { 'k\0': 'v\udfff' }, logs: [{ text: 'a\ufffdb \ufffd' }] },
      { status: 'FAILED', error: { message: 'x\ufffd' }, logs: [{ text: 'a\ufffdb \ufffd' }] },
    ])
  })

  it('runs the deployed version by id or apiName, and logs it', async () => {
    const { id, apiName, deployedVersionId } = await created({
      source: echo,
      httpEnabled: true,
      envVars: { UNIT: 'm' },
    })
    const { status, body } = await invoked(apiName, { input: { a: 1 } }, '2')
    expect([status, body]).toEqual([
      200,
      {
        invocationId: expect.any(String),
        status: 'SUCCEEDED',
        output: { input: { a: 1 }, env: { UNIT: 'm' }, depth: 2 },
        error: null,
        durationMs: expect.any(Number),
      },
    ])
    expect((await invoked(id, {})).body.output.input).toEqual({})
    const logged = await admin.rest.serverlessFunctionInvocation!({ id, invocationId: body.invocationId })
    expect(logged.body).toMatchObject({
      id: body.invocationId,
      functionId: id,
      versionId: deployedVersionId,
      trigger: 'HTTP',
      status: 'SUCCEEDED',
      input: { a: 1 },
      output: body.output,
      error: null,
      logs: [],
      droppedLogs: 0,
      depth: 2,
      count: 1,
      eventId: null,
    })
  })

  it('by a request of an automation is as deep as its header says, whatever depth it states', async () => {
    const { id } = await created({ source: echo, httpEnabled: true })
    const query = `mutation { serverlessFunctionInvoke(id: "${id}", depth: 0) { output } }`
    const send = async (header: string) => {
      const headers = { ...admin.headers, 'content-type': 'application/json', ...depth(header) }
      const answer = await fetch(`${platform.url}/v1/graphql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      })
      return (await answer.json()) as { data: unknown; errors: { extensions: { code: string } }[] }
    }
    expect((await send('5')).data).toMatchObject({ serverlessFunctionInvoke: { output: { depth: 5 } } })
    expect((await send('6')).errors[0]!.extensions.code).toBe('DEPTH_EXCEEDED')
  })

  it('answers a function that fails, which is no error of the operation', async () => {
    const source = 'export default () => { throw new TypeError("no title") }'
    const { id } = await created({ source, httpEnabled: true })
    const { status, body } = await invoked(id)
    expect([status, body.status, body.error.name, body.error.message]).toEqual([200, 'FAILED', 'TypeError', 'no title'])
    expect(body.output).toBeNull()
  })

  it('is refused without httpEnabled, a version, activity, or a right depth', async () => {
    const hidden = await created({ source: echo })
    refused(await invoked(hidden.id), 404, 'NOT_FOUND')
    refused(await invoked((await created({ httpEnabled: true })).id), 409, 'INVALID_STATE')
    refused(
      await invoked((await created({ httpEnabled: true, source: echo, isActive: false })).id),
      409,
      'INVALID_STATE',
    )
    const { id } = await created({ source: echo, httpEnabled: true })
    refused(await admin.rest.serverlessFunctionInvoke!({ id, body: {} }), 400, 'VALIDATION_FAILED')
    refused(await invoked(id, {}, 'deep'), 400, 'VALIDATION_FAILED')
    refused(await invoked(id, {}, '-1'), 400, 'VALIDATION_FAILED')
    refused(await invoked(id, {}, '6'), 422, 'DEPTH_EXCEEDED')
    expect((await invoked(id, {}, '5')).status).toBe(200)
    for (const [input, code] of [
      ['text', 'WRONG_TYPE'],
      [{ text: 'x'.repeat(262_144) }, 'TOO_LONG'],
    ] as const) {
      const answer = await invoked(id, { input })
      refused(answer, 400, 'VALIDATION_FAILED')
      expect(answer.body.errors).toMatchObject([{ path: 'input', code }])
      expect(answer.body.errors[0].message).toMatch(/^input must /)
    }
    const invoke = `mutation { serverlessFunctionInvoke(id: "${id}", depth: 0, input: { input: [] }) { status } }`
    const { errors } = (await admin.graphql(invoke)).body
    expect(errors[0].extensions.errors).toMatchObject([{ path: 'input.input', code: 'WRONG_TYPE' }])
    expect((await admin.rest.serverlessFunctionInvocationList!({ id })).body.total).toBe(1)
  })

  it('with an idempotency key runs once', async () => {
    const { id } = await created({ source: 'export default () => Math.random()', httpEnabled: true })
    const headers = { ...depth('0'), 'Idempotency-Key': newId() }
    const [one, two] = [
      await admin.rest.serverlessFunctionInvoke!({ id, body: {}, headers }),
      await admin.rest.serverlessFunctionInvoke!({ id, body: {}, headers }),
    ]
    expect(two.body).toEqual(one.body)
    expect((await admin.rest.serverlessFunctionInvocationList!({ id })).body.total).toBe(1)
  })

  it('is throttled after 600 in a minute, with one entry of the log', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Many'), role: 'OWNER' })
    const { id } = await created({ source: echo, httpEnabled: true }, other)
    const limit = [{ max: 600, windowMs: 60_000 }]
    await platform.services.counters.hit('functions', other.organizationId, limit, platform.now.getTime(), 599)
    expect((await invoked(id, {}, '0', other)).status).toBe(200)
    for (const _ of [1, 2]) {
      const answer = await invoked(id, {}, '0', other)
      refused(answer, 429, 'FUNCTION_THROTTLED')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const list = (query: object) => other.rest.serverlessFunctionInvocationList!({ id, query: query as never })
    const { data } = (await list({ status: 'THROTTLED' })).body
    expect(data.map((one: { count: number }) => one.count)).toEqual([2])
    expect((await list({ trigger: 'TEST' })).body.data).toEqual([])
    expect((await list({ trigger: 'HTTP' })).body.total).toBe(2)
  })
})

describe('a test run', () => {
  it('runs a source that is not saved, and answers the log', async () => {
    const { id } = await created({ isActive: false })
    const source = 'export default (input: { n: number }) => { console.log("n", input.n); return input.n * 2 }'
    const body = { input: { n: 21 }, source, language: 'typescript' }
    const { body: answer } = await admin.rest.serverlessFunctionTest!({ id, body })
    expect(answer).toMatchObject({ status: 'SUCCEEDED', output: 42, droppedLogs: 0 })
    expect(answer.logs).toMatchObject([{ level: 'INFO', text: 'n 21' }])
    const logged = await admin.rest.serverlessFunctionInvocation!({ id, invocationId: answer.invocationId })
    expect(logged.body).toMatchObject({ trigger: 'TEST', versionId: null, output: 42 })
    refused(await admin.rest.serverlessFunctionTest!({ id, body: {} }), 409, 'INVALID_STATE')
  })

  it('runs a saved version that is not deployed, of this function only, and not together with a source', async () => {
    const [one, other] = [await created({ source: 'export default () => 1' }), await created({ source: echo })]
    const version = { source: 'export default () => 2', language: 'javascript', deploy: false }
    const { body: made } = await admin.rest.serverlessFunctionVersionCreate!({ id: one.id, body: version })
    const test = (body: object) => admin.rest.serverlessFunctionTest!({ id: one.id, body })
    expect([(await test({})).body.output, (await test({ versionId: made.id })).body.output]).toEqual([1, 2])
    expect(refusedInputs(await test({ versionId: other.deployedVersionId }))).toEqual(['versionId UNKNOWN_REFERENCE'])
    expect(refusedInputs(await test({ versionId: made.id, source: echo }))).toEqual(['versionId NOT_TOGETHER'])
  })

  it('by a function is one deeper than that function, so that none tests itself without end', async () => {
    const source = `export default async (input, { api, invocation }) => {
      const { body } = await api.rest('POST', '/v1/functions/' + input.id + '/test', { input })
      return [invocation.depth, ...(body.output ?? [body.code])]
    }`
    const scopes = ['READ_FUNCTIONS', 'WRITE_FUNCTIONS']
    const { id } = await created({ source, runAsAdmin: true, scopes })
    const { body } = await admin.rest.serverlessFunctionTest!({ id, body: { input: { id } } })
    expect(body.output).toEqual([0, 1, 2, 3, 4, 5, 'DEPTH_EXCEEDED'])
  })

  it('calls the graph as the user, with the scopes of the function', async () => {
    const source = `export default async (input, { api }) => {
      const made = await api.graphql('mutation ($input: AccountCreateInput!) { accountCreate(input: $input) { id name } }', { input: { name: 'Made' } })
      const read = await api.graphql('query ($id: ID!) { account(id: $id) { name createdById } }', { id: made.data.accountCreate.id })
      const contacts = await api.graphql('{ contactList { data { id } } }').catch((error) => error.message)
      return { read, contacts }
    }`
    const { id } = await created({ source, scopes: ['WRITE_ACCOUNTS'] })
    const { body } = await admin.rest.serverlessFunctionTest!({ id, body: {} })
    expect(body.error).toBeNull()
    expect(body.output.read).toEqual({ data: { account: { name: 'Made', createdById: admin.userId } } })
    expect(JSON.stringify(body.output.contacts)).toContain('READ_CONTACTS')
  })

  it('fails once the user as whom the function acts is not active', async () => {
    const { organizationId } = admin
    const leaving = await platform.member({ organizationId, role: 'MEMBER' })
    const { id } = await created({ source: echo, runAsUserId: leaving.userId })
    expect((await admin.rest.serverlessFunctionTest!({ id, body: {} })).body.status).toBe('SUCCEEDED')
    await platform.query('update identity.app_user set is_active = false where id = $1', [leaving.userId])
    const { body } = await admin.rest.serverlessFunctionTest!({ id, body: {} })
    expect([body.status, body.error.message]).toEqual(['FAILED', 'The user as whom the function acts is not active.'])
  })

  it('reaches allowed hosts only', async () => {
    const source = 'export default (input) => fetch(input.url).then(() => "reached", (error) => error.message)'
    const { id } = await created({ source, allowedHosts: ['*.example.com'] })
    const reached = async (url: string) =>
      (await admin.rest.serverlessFunctionTest!({ id, body: { input: { url } } })).body.output
    expect(await reached('https://example.com/')).toBe('allowedHosts of the function does not contain example.com.')
    expect(await reached('http://a.example.com/')).toBe('fetch must use https.')
    expect(await reached('https://a.example.com:8443/')).toBe('fetch must use the port 443.')
    expect(await reached('https://127.0.0.1/')).toBe('allowedHosts of the function does not contain 127.0.0.1.')
  })
})
