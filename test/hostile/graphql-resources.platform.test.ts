import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createApiKey, createOrganization, createUser } from '../../subgraphs/identity/public.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSecondProcess } from '../processes.ts'
import { send, type RawResponse } from '../requests/send.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
})

const json = { 'Content-Type': 'application/json' }

const post = (
  url: string,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<RawResponse> => send(url, { method: 'POST', path, headers: { ...json, ...headers }, body })

const ask = (query: string): Promise<RawResponse> =>
  post(platform.url, '/v1/graphql', JSON.stringify({ query }), member.headers)

const codesOf = ({ body }: RawResponse): string[] =>
  ((body.errors ?? []) as { extensions: { code: string } }[]).map(({ extensions }) => extensions.code)

describe('nesting', () => {
  // Deep enough to overflow the stack of a function that calls itself for each level and is not yet optimized.
  const levels = 80_000
  const list = `${'['.repeat(levels)}${']'.repeat(levels)}`
  const object = `${'{a:'.repeat(levels)}1${'}'.repeat(levels)}`
  const jsonObject = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  it('is refused at every place by a process that has just started', async () => {
    const process = await aSecondProcess(platform)
    onTestFinished(() => process.kill())
    await process.start()

    const documents = [
      `{ accountList(zz: ${list}) { total } }`,
      `{ accountList(filter: ${object}) { total } }`,
      `query ($a: JSON = ${list}) { accountList(filter: $a) { total } }`,
      `query ($a: ${list.replace('[]', '[ID]')}) { accountList(filter: $a) { total } }`,
      `${'{a'.repeat(levels)}${'}'.repeat(levels)}`,
      `{ accountList @include(if: ${list}) { total } }`,
      // Fewer tokens than the limit.
      `{ accountList(zz: ${'['.repeat(900)}${']'.repeat(900)}) { total } }`,
    ]
    for (const query of documents) {
      const answer = await post(process.url, '/v1/graphql', JSON.stringify({ query }), member.headers)
      expect([answer.status, codesOf(answer)], query.slice(0, 60)).toEqual([400, ['GRAPHQL_LIMIT_EXCEEDED']])
    }
    for (const value of [list, jsonObject]) {
      const body = `{"query":"query ($f: AccountFilter) { accountList(filter: $f) { total } }","variables":{"f":${value}}}`
      const variables = await post(process.url, '/v1/graphql', body, member.headers)
      expect([variables.status, codesOf(variables)]).toEqual([400, ['VALIDATION_FAILED']])
      const created = await post(process.url, '/v1/accounts', `{"name":"A","metadata":${value}}`, member.headers)
      expect([created.status, created.body.code]).toEqual([400, 'VALIDATION_FAILED'])
      const whole = await post(process.url, '/v1/accounts', value, member.headers)
      expect([whole.status, whole.body.code]).toEqual([400, 'VALIDATION_FAILED'])
    }
    expect(process.output()).not.toContain('RangeError')
  })
})

describe('introspection', () => {
  it('of a kilobyte that would return megabytes is refused, and ordinary introspection still works', async () => {
    const aliases = Array.from({ length: 29 }, (_, index) => `a${index}: types { ...T }`).join(' ')
    const hostile = `{ __schema { types { ...T } ${aliases} } } fragment T on __Type { name fields { type { fields { type { name } } } } }`
    expect(hostile.length).toBeLessThan(1000)
    for (let attempt = 0; attempt < 10; attempt++) {
      const answer = await ask(`#${attempt}\n${hostile}`)
      expect([answer.status, codesOf(answer)]).toEqual([400, ['GRAPHQL_LIMIT_EXCEEDED']])
    }
    const { body } = await ask('{ __type(name: "Account") { name } }')
    expect(body).toEqual({ data: { __type: { name: 'Account' } } })
  })
})

describe('mutations under aliases', () => {
  const email = 'owner@aliases.example'
  const password = 'Correct-Horse-7-Battery'
  const login = (alias: string, tried: string): string =>
    `${alias}: authLogin(input: { email: "${email}", password: "${tried}" }) { user { id } }`

  it('that guess a password are refused, and no guess is checked', async () => {
    const register = `mutation { authRegister(input: { email: "${email}", password: "${password}", name: "Ann Lee", company: "Aliases" }) { user { id } } }`
    const anonymous = (query: string) => post(platform.url, '/v1/graphql', JSON.stringify({ query }), {})
    expect((await anonymous(register)).body.errors).toBeUndefined()
    const guesses = Array.from({ length: 20 }, (_, index) => login(`a${index}`, `guess ${index}`)).join(' ')
    const answer = await anonymous(`mutation { ${guesses} }`)
    expect([answer.status, codesOf(answer)]).toEqual([400, ['ONE_MUTATION_PER_REQUEST']])
    // Ten checked guesses would have blocked the account.
    const { body } = await anonymous(`mutation { ${login('a', password)} }`)
    expect(body).toEqual({ data: { a: { user: { id: expect.any(String) } } } })
  })

  it('count against the quota as one request each', async () => {
    const { id } = await createOrganization(platform.services, { name: 'Charged' })
    const user = { email: 'a@charged.example', name: 'A', role: 'OWNER', visibility: 'ALL' } as const
    const { id: ownerId } = await createUser(platform.services, id, user)
    const rateLimit = { limit: 30, window: 'HOUR' } as const
    const key = { ownerId, name: 'charged', scopes: ['WRITE_ACCOUNTS'], rateLimit }
    const { secret } = await createApiKey(platform.services, id, key)
    const create = (index: number): string => `a${index}: accountCreate(input: { name: "A${index}" }) { id }`
    const query = `mutation { ${Array.from({ length: 20 }, (_, index) => create(index)).join(' ')} }`
    const send20 = () => post(platform.url, '/v1/graphql', JSON.stringify({ query }), { 'X-API-Key': secret })

    const first = await send20()
    expect([first.status, first.headers['ratelimit-remaining']]).toEqual([200, '10'])
    const second = await send20()
    expect([second.status, codesOf(second), second.headers['ratelimit-remaining']]).toEqual([
      429,
      ['API_KEY_RATE_LIMITED'],
      '10',
    ])
    const [row] = await platform.query('select count(*)::int as count from crm.account where organization_id = $1', [
      id,
    ])
    expect(row).toEqual({ count: 20 })
  })
})
