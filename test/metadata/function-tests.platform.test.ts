import { beforeEach, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import {
  functionFiles,
  grading,
  messageOf,
  outcomes,
  runTests,
  tested,
  type AFunction,
} from './function-tests.fixture.ts'
import { succeeded } from './metadata.fixture.ts'

const platform = usePlatform()
let owner: Member

beforeEach(async () => {
  owner = await platform.member({ organizationId: await platform.organization('Tests'), role: 'OWNER' })
})

/** The function, with tests that have this input and expectation. */
const withTests = (source: string, tests: AFunction['tests'], settings: object = {}) =>
  functionFiles({ act: { source, settings, ...(tests && { tests }) } })
const passing = { expect: { output: {} } }
const settled = async (): Promise<string> => {
  await platform.settled()
  return platform.fingerprint(owner.organizationId)
}

describe('metadataTest', () => {
  it('runs the tests of the files that are sent, says why one does not pass, and changes nothing', async () => {
    const before = await settled()
    const report = await tested(
      owner,
      functionFiles({
        grade: {
          ...grading,
          tests: {
            ...grading.tests,
            worst: { input: { score: 10 }, expect: { output: { grade: 'C', score: 10 } } },
            fails: { input: {}, expect: { error: { name: 'TypeError' } } },
          },
        },
        fail: {
          source: 'export default ({ items }) => items.length',
          tests: {
            none: { expect: { error: { name: 'TypeError', message: 'undefined' } } },
            two: { input: { items: [1, 2] }, expect: { output: 2 } },
          },
        },
      }),
    )
    expect(report).toMatchObject({ status: 'FAILED', passed: 3, failed: 2, problems: [] })
    expect(outcomes(report)).toEqual([
      'none PASSED',
      'two PASSED',
      'best PASSED',
      'fails FAILED expect.error',
      'worst FAILED expect.output.grade',
    ])
    expect(report.tests[4]).toMatchObject({
      function: 'grade',
      file: 'src/functions/grade/tests/worst.json',
      message: 'expect.output.grade must be "C", and is "B".',
      logs: [{ level: 'INFO', text: '10 points' }],
    })
    expect(await settled()).toBe(before)
  })

  it('runs those of the organization, or the ones that are named', async () => {
    const worse = { ...grading, tests: { ...grading.tests, wrong: { input: { score: 91 }, expect: { output: 1 } } } }
    await succeeded(platform, owner, functionFiles({ grade: worse, other: grading, bare: { tests: { a: passing } } }))
    expect(outcomes(await tested(owner, null))).toEqual([
      'a ERROR',
      'best PASSED',
      'wrong FAILED expect.output',
      'best PASSED',
    ])
    expect(outcomes(await tested(owner, null, ['grade/best', 'other']))).toEqual(['best PASSED', 'best PASSED'])
    const changed = functionFiles({
      grade: {
        settings: { envVars: { A: 'b' } },
        tests: { stored: { input: { score: 80 }, expect: { output: { grade: 'A' } } } },
      },
    })
    expect(outcomes(await tested(owner, changed))).toEqual(['stored PASSED'])
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    expect(await tested(other, null)).toMatchObject({ status: 'PASSED', tests: [] })
    for (const names of [['nothing'], ['grade/nothing'], ['GRADE']])
      expect((await runTests(owner, null, names)).body.errors).toMatchObject([
        { path: 'functions.0', code: 'UNKNOWN_REFERENCE' },
      ])
    expect((await runTests(other, null, ['grade'])).status).toBe(400)
    expect((await runTests(owner, functionFiles({ other: grading }), ['grade'])).status).toBe(400)
  })

  it('has an ERROR for an input that is too large as JSON, and runs the others', async () => {
    const input = `[${Array.from({ length: 20_000 }, () => '1e20').join()}]`
    const files = withTests('export default () => ({})', { fits: passing })
    const large = { 'src/functions/act/tests/large.json': `{"input": {"numbers": ${input}}, "expect": {"output": {}}}` }
    const report = await tested(owner, { ...files, ...large })
    expect(outcomes(report)).toEqual(['fits PASSED', 'large ERROR'])
    expect(messageOf(report, 'large')).toBe('The input must not exceed 262144 characters of JSON.')
  })

  it('answers requests from the file alone, and a request without an answer fails the test', async () => {
    const source = `export default async ({ urls, init }, { credentials }) => {
      const answers = []
      for (const url of urls)
        try {
          const answer = url.startsWith('/') ? await credentials.fetch('erp', url, init) : await fetch(url, init)
          answers.push([answer.status, answer.headers.get('content-type'), await answer.text()])
        } catch (error) { answers.push(error.message) }
      return answers
    }`
    const url = 'https://api.example.com/stock?sku=7'
    const listed = [
      { url, body: { left: 2 } },
      { url, status: 503, headers: { 'Content-Type': 'text/plain' }, body: 'later' },
      { url: 'https://api.example.com/moved', status: 302, headers: { Location: '/stock?sku=7' } },
      { url: 'credential:erp/stock', method: 'POST', body: [1] },
    ]
    const test = (urls: string[], output: unknown, init: object = {}) => ({
      input: { urls, init },
      expect: { output },
      fetch: listed,
    })
    const report = await tested(
      owner,
      withTests(
        source,
        {
          order: test(
            [url, url, url],
            [
              [200, 'application/json', '{"left":2}'],
              [503, 'text/plain', 'later'],
              [503, 'text/plain', 'later'],
            ],
          ),
          redirect: test(['https://api.example.com/moved'], [[200, 'application/json', '{"left":2}']]),
          credential: test(['/stock'], [[200, 'application/json', '[1]']], { method: 'POST' }),
          caught: test(['https://api.example.com/other'], [{}]),
          method: test([url], [{}], { method: 'DELETE' }),
          path: test(['/other'], [{}]),
          host: test(
            ['https://other.example.com/'],
            ['allowedHosts of the function does not contain other.example.com.'],
          ),
        },
        { allowedHosts: ['api.example.com'] },
      ),
    )
    expect(outcomes(report)).toEqual([
      'caught FAILED fetch',
      'credential PASSED',
      'host PASSED',
      'method FAILED fetch',
      'order PASSED',
      'path FAILED fetch',
      'redirect PASSED',
    ])
    expect(messageOf(report, 'path')).toBe('fetch has no answer to GET credential:erp/other.')
  })

  it('tries what the function changes, by GraphQL and REST, and takes all of it back', async () => {
    const source = `export default async (input, { api }) => {
      const mutation = (text, variables) => api.graphql(text, variables)
      const made = await mutation('mutation ($input: TaskCreateInput!) { taskCreate(input: $input) { id subject } }', { input: { subject: 'Call' } })
      const rest = await api.rest('POST', '/v1/accounts', { name: 'Halvorsen' })
      const hooks = await mutation('mutation @dryRun(hooks: true) { taskCreate(input: { subject: "Call" }) { id } }').catch((error) => error.code)
      const mail = await api.rest('POST', '/v1/email-tracking/send', { to: ['a@example.com'], subject: 'a', bodyText: 'b' })
      const there = await api.graphql('{ taskList { data { id } } accountList { data { id } } }')
      return { subject: made.data.taskCreate.subject, status: rest.status, name: rest.body.name, hooks, mail: mail.body.status, there: there.data }
    }`
    const scopes = ['READ_TASKS', 'WRITE_TASKS', 'READ_ACCOUNTS', 'WRITE_ACCOUNTS', 'READ_EMAILS', 'WRITE_EMAILS']
    const files = withTests(
      source,
      {
        writes: {
          expect: {
            output: {
              subject: 'Call',
              status: 200,
              name: 'Halvorsen',
              hooks: 'DRY_RUN_NOT_SUPPORTED',
              mail: 'QUEUED',
              there: { taskList: { data: [] }, accountList: { data: [] } },
            },
          },
        },
      },
      { scopes },
    )
    await platform.services.vault.load(owner.organizationId)
    const before = await settled()
    const report = await tested(owner, files)
    expect([outcomes(report), report.tests[0]!.message, report.problems]).toEqual([['writes PASSED'], null, []])
    expect(await settled()).toBe(before)
  })

  it('lets a function do no more than its user and scopes, whoever runs the test', async () => {
    const source = `export default async (input, { api }) => ({
      accounts: (await api.rest('GET', '/v1/accounts')).body.data?.length ?? null,
      contacts: (await api.rest('GET', '/v1/contacts')).status,
    })`
    const { organizationId } = owner
    const test = { expect: { output: { accounts: 1, contacts: 403 } } }
    const files = withTests(source, { reads: test }, { scopes: ['READ_ACCOUNTS'] })
    await owner.rest['accountCreate']!({ body: { name: 'Halvorsen' } } as never)
    expect(outcomes(await tested(owner, files))).toEqual(['reads PASSED'])
    const key = await platform.member({ organizationId, role: 'ADMIN', scopes: ['MANAGE_METADATA'] })
    const lacking = await tested(key, files)
    expect(lacking).toMatchObject({ status: 'FAILED', tests: [] })
    expect(lacking.problems).toMatchObject([
      { file: 'src/functions/act/function.json', code: 'API_KEY_SCOPE_INSUFFICIENT' },
    ])

    // A function that acts as an owner is not for admins to program.
    await succeeded(platform, owner, files)
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    expect((await tested(admin, files)).problems).toMatchObject([{ code: 'PERMISSION_DENIED' }])
    expect((await tested(admin, null)).problems).toMatchObject([{ code: 'PERMISSION_DENIED' }])
    await platform.query('update identity.app_user set is_active = false where id = $1', [owner.userId])
    const second = await platform.member({ organizationId, role: 'OWNER' })
    const report = await tested(second, files)
    expect([outcomes(report), messageOf(report, 'reads')]).toEqual([
      ['reads ERROR'],
      'The user as whom the function acts is not active.',
    ])
  })

  it('is for owners and admins with MANAGE_METADATA', async () => {
    const { organizationId } = owner
    const manager = await platform.member({ organizationId, role: 'MANAGER' })
    const reader = await platform.member({ organizationId, role: 'ADMIN', scopes: ['READ_FUNCTIONS'] })
    const files = functionFiles({ grade: grading })
    expect((await runTests(manager, files)).body.code).toBe('PERMISSION_DENIED')
    expect((await runTests(reader, files)).body.code).toBe('API_KEY_SCOPE_INSUFFICIENT')
  })

  it('is one of its request, and repeated with an Idempotency-Key answered as before', async () => {
    const twice = 'mutation { a: metadataTest { status } b: metadataTest { status } }'
    expect((await owner.graphql(twice)).body['errors']).toMatchObject([
      { extensions: { code: 'ONE_MUTATION_PER_REQUEST' } },
    ])
    const once = 'mutation ($source: MetadataSourceInput) { metadataTest(source: $source) { status passed } }'
    const ask = (files: object) => owner.graphql(once, { source: { files } }, { 'Idempotency-Key': 'tests' })
    const first = await ask(functionFiles({ grade: grading }))
    expect(first.body['data']).toEqual({ metadataTest: { status: 'PASSED', passed: 1 } })
    expect((await ask(functionFiles({ grade: grading }))).body['data']).toEqual(first.body['data'])
  })

  it('gives functions values in the place of secrets', async () => {
    const source = 'export default (input, { secrets }) => ({ length: secrets.TOKEN.length, shown: secrets.TOKEN })'
    const output = { length: 'value-of-TOKEN-in-tests'.length, shown: '[secret]' }
    const files = withTests(source, { secret: { expect: { output } } }, { secrets: ['TOKEN'] })
    expect(outcomes(await tested(owner, files))).toEqual(['secret PASSED'])
    await succeeded(platform, owner, files)
    await owner.rest['serverlessFunctionSecretSet']!({
      id: 'act',
      name: 'TOKEN',
      body: { value: 'another-length' },
    } as never)
    expect(outcomes(await tested(owner, null))).toEqual(['secret PASSED'])
  })

  it('names what is wrong with files, and runs nothing', async () => {
    const files = {
      ...functionFiles({ grade: { ...grading, settings: { allowedHosts: ['127.0.0.1'] } } }),
      ...functionFiles({ other: { source: 'export default (', tests: { a: passing } } }),
    }
    const wrong = await tested(owner, files)
    expect([wrong.tests, wrong.problems]).toMatchObject([
      [],
      [{ file: 'src/functions/grade/function.json', path: 'allowedHosts.0', code: 'NOT_A_HOST' }],
    ])
    const uncompiled = await tested(owner, files, ['other'])
    expect(outcomes(uncompiled)).toEqual(['a ERROR'])
    expect(uncompiled.problems).toMatchObject([
      { file: 'src/functions/other/index.js', path: '', code: 'COMPILE_ERROR', line: 1 },
    ])
    const refused = await tested(owner, { 'src/functions/grade/function.json': '{', 'src/other': '' })
    expect(refused.problems.map(({ code }) => code)).toEqual(['WRONG_PATH', 'INVALID_JSON'])
    expect((await runTests(owner, { '../a': '' })).status).toBe(400)
    const many = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [
        `f${index}a`,
        { ...grading, tests: Object.fromEntries(Array.from({ length: 41 }, (_each, test) => [`t${test}`, passing])) },
      ]),
    )
    expect((await tested(owner, functionFiles(many))).problems).toMatchObject([{ path: 'functions', code: 'TOO_MANY' }])
  })
})

describe('hostile functions in tests', () => {
  const hostile: Readonly<Record<string, string>> = {
    loop: 'export default () => { for (;;); }',
    memory: 'export default () => { const all = []; for (;;) all.push(new Array(1e6).fill(1)) }',
    output: 'export default () => "a".repeat(1_000_000)',
    logs: 'export default () => { for (let i = 0; i < 1e4; i++) console.log("a".repeat(1_000) + "\\0"); return {} }',
    thrown: 'export default () => { throw null }',
    proxy: 'export default () => { throw new Proxy({}, { get() { throw 1 } }) }',
    calls:
      'export default async () => { for (let i = 0; i < 1e3; i++) await fetch("https://api.example.com/").catch(() => null); return {} }',
    never: 'export default () => new Promise(() => null)',
  }

  it('end by their limits, are shown in part, change nothing, and leave others alone', async () => {
    // However busy the machine is, memory ends before the time of the function that takes it.
    const settingsOf = (name: string) => ({
      timeoutMs: name === 'memory' ? 10_000 : 1_000,
      memoryMb: 32,
      allowedHosts: ['api.example.com'],
    })
    const test = { input: {}, expect: { output: {} }, fetch: [{ url: 'https://api.example.com/' }] }
    const files = functionFiles(
      Object.fromEntries(
        Object.entries(hostile).map(([name, source]) => [
          name,
          { source, settings: settingsOf(name), tests: { t: test } },
        ]),
      ),
    )
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    const before = await settled()
    const [report, meanwhile] = await Promise.all([
      tested(owner, files),
      tested(other, functionFiles({ grade: grading })),
    ])
    expect(outcomes(meanwhile)).toEqual(['best PASSED'])
    const statuses = Object.fromEntries(report.tests.map((each) => [each.function, each.status]))
    expect(statuses).toEqual({
      calls: 'PASSED',
      logs: 'PASSED',
      loop: 'ERROR',
      memory: 'ERROR',
      never: 'ERROR',
      output: 'FAILED',
      proxy: 'FAILED',
      thrown: 'FAILED',
    })
    const messages = Object.fromEntries(report.tests.map((each) => [each.function, each.message]))
    expect([messages['loop']?.slice(0, 8), messages['memory']?.slice(0, 13)]).toEqual(['TIMEOUT:', 'MEMORY_LIMIT:'])
    const { logs } = report.tests.find((each) => each.function === 'logs')!
    expect(logs.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(4_000)
    expect(JSON.stringify(report).length).toBeLessThan(20_000)
    expect(await settled()).toBe(before)
  })

  it('may use what invocations of their organization may use', async () => {
    const files = functionFiles({ grade: grading })
    const key = { space: 'functions.cpu', key: owner.organizationId }
    await platform.services.counters.hit(
      key.space,
      key.key,
      [{ max: 60_000, windowMs: 60_000 }],
      platform.now.getTime(),
      60_000,
    )
    const report = await tested(owner, files)
    expect(outcomes(report)).toEqual(['best ERROR'])
    expect(messageOf(report, 'best')).toContain('have used what they may use in a minute')
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'OWNER' })
    expect(outcomes(await tested(other, files))).toEqual(['best PASSED'])
  })
})
