import { describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const password = 'Correct horse 7!'
const anonymous = () => restClient(platform.contract, platform.url, {})
const bearer = (token: string) => restClient(platform.contract, platform.url, { authorization: `Bearer ${token}` })

async function registered() {
  const email = `person-${newId()}@example.com`
  const answer = await anonymous().authRegister!({
    body: { email, password, firstName: 'Ann', lastName: 'Lee', company: 'Acme' },
  })
  return {
    email,
    answer,
    ...(answer.body as { accessToken: string; refreshToken: string; organization: { id: string } }),
  }
}

const cookieOf = ({ headers }: Answer): string => headers.getSetCookie().join()
const outcome = ({ status, body }: Answer) => `${status} ${(body as { code?: string }).code}`

describe('authRegister', () => {
  it('answers 201 like a sign-in, and sets the refresh token as an HttpOnly cookie', async () => {
    const { answer, email, refreshToken } = await registered()
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      tokenType: 'Bearer',
      expiresIn: 900,
      user: { email, name: 'Ann Lee', role: 'OWNER' },
      organization: { name: 'Acme' },
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.getSetCookie()).toEqual([
      `refresh_token=${refreshToken}; Max-Age=2592000; Path=/v1/auth; HttpOnly; SameSite=Strict`,
      `access_token=${answer.body.accessToken}; Max-Age=900; Path=/; HttpOnly; SameSite=Lax`,
      `device_token=${answer.body.deviceToken}; Max-Age=15552000; Path=/v1; HttpOnly; SameSite=Strict`,
      `csrf_token=${answer.body.csrfToken}; Max-Age=2592000; Path=/; SameSite=Strict`,
    ])
  })

  it('begins the link of its mail with the listening address if PUBLIC_URL is not set', async () => {
    const { email } = await registered()
    const [mail] = await mailsTo(platform, email)
    expect(mail!.text).toContain(`${platform.url}/v1/auth/verify-email?token=${mail!.secret}`)
  })

  it('answers 400 with every rule that a body breaks', async () => {
    const { status, body } = await anonymous().authRegister!({ body: { email: 'x', password: 'short', admin: true } })
    expect([status, body.code]).toEqual([400, 'UNKNOWN_FIELD'])
    expect(body.errors.map(({ path, code }: Record<string, string>) => `${path} ${code}`).sort()).toEqual([
      'admin UNKNOWN_FIELD',
      'email NOT_AN_EMAIL',
      'password TOO_SHORT',
    ])
  })
})

describe('authLogin', () => {
  it('answers 200 with a session whose token is accepted', async () => {
    const { email } = await registered()
    const answer = await anonymous().authLogin!({ body: { email, password } })
    expect(answer.status).toBe(200)
    const session = bearer(answer.body.accessToken as string)
    expect((await session.me!()).body).toMatchObject({ email, organization: { name: 'Acme' }, teams: [] })
    expect((await session.profile!()).body).toMatchObject({ email, timezone: 'UTC' })
    expect((await session.accountList!()).status).toBe(200)
  })

  it('answers 429 with Retry-After to the 11th attempt, with any API key or header', async () => {
    const { email } = await registered()
    const attempt = () =>
      anonymous().authLogin!({ body: { email, password: 'Wrong horse 7!' }, headers: { 'x-forwarded-for': newId() } })
    const answers: string[] = []
    for (let count = 0; count < 10; count++) answers.push(outcome(await attempt()))
    expect(answers).toEqual(Array<string>(10).fill('401 UNAUTHENTICATED'))
    const refused = await anonymous().authLogin!({ body: { email, password } })
    expect(outcome(refused)).toBe('429 SIGN_IN_THROTTLED')
    expect(refused.headers.get('retry-after')).toBe('900')
    expect(cookieOf(refused)).toBe('')
    platform.advanceClock(15 * 60_000)
  })
})

describe('authRefresh', () => {
  it('reads the token from the body or from the cookie, and sets the next one', async () => {
    const { refreshToken } = await registered()
    const byBody = await anonymous().authRefresh!({ body: { refreshToken } })
    expect(byBody.status).toBe(200)
    const cookie = cookieOf(byBody).split(';')[0]!
    expect(cookie).toBe(`refresh_token=${byBody.body.refreshToken}`)
    const byCookie = await anonymous().authRefresh!({ headers: { cookie: `theme=dark; ${cookie}` } })
    expect(byCookie.status).toBe(200)
    expect(byCookie.body.refreshToken).not.toBe(byBody.body.refreshToken)
  })

  it('answers 401 without a token, and ends the session when a used token is sent again', async () => {
    expect(outcome(await anonymous().authRefresh!())).toBe('401 UNAUTHENTICATED')
    const { refreshToken, accessToken } = await registered()
    await anonymous().authRefresh!({ body: { refreshToken } })
    platform.advanceClock(20_001)
    expect(outcome(await anonymous().authRefresh!({ body: { refreshToken } }))).toBe('401 UNAUTHENTICATED')
    platform.advanceClock(1000)
    expect(outcome(await bearer(accessToken).me!())).toBe('401 UNAUTHENTICATED')
  })
})

describe('authLogout', () => {
  it('ends the session and removes the cookie', async () => {
    const { accessToken, refreshToken } = await registered()
    const answer = await bearer(accessToken).authLogout!()
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie()).toEqual([
      'refresh_token=; Max-Age=0; Path=/v1/auth; HttpOnly; SameSite=Strict',
      'access_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
      'csrf_token=; Max-Age=0; Path=/; SameSite=Strict',
    ])
    expect(outcome(await anonymous().authRefresh!({ body: { refreshToken } }))).toBe('401 UNAUTHENTICATED')
    platform.advanceClock(1000)
    expect(outcome(await bearer(accessToken).me!())).toBe('401 UNAUTHENTICATED')
  })
})

describe('Auth and API keys', () => {
  const operations = [
    'authRegister',
    'authLogin',
    'authRefresh',
    'authLogout',
    'me',
    'profile',
    'apiKeyList',
    'apiKeyCreate',
  ]
  it.each(operations)('%s answers 403 to a key with any scopes', async (operation) => {
    const { rest } = await platform.member({ role: 'OWNER' })
    expect(outcome(await rest[operation]!())).toBe('403 API_KEY_SCOPE_BLOCKED')
  })

  it.each([
    'mutation { authLogout { sessionId } }',
    '{ me { id } }',
    '{ organization { id } }',
    '{ apiKeyList { total } }',
    'mutation { authLogin(input: {email: "a@b.example", password: "x"}) { accessToken } }',
    'mutation { apiKeyCreate(input: {name: "x", scopes: ["*"]}) { secret } }',
  ])('GraphQL refuses a key %s', async (document) => {
    const { graphql } = await platform.member({ role: 'OWNER' })
    const { status, body } = await graphql(document)
    expect([status, body.errors[0].extensions.code]).toEqual([403, 'API_KEY_SCOPE_BLOCKED'])
  })

  it.each(['authLogout', 'me', 'profile', 'apiKeyList', 'apiKeyCreate'])('%s needs a credential', async (operation) => {
    expect(outcome(await anonymous()[operation]!())).toBe('401 UNAUTHENTICATED')
  })
})

describe('apiKeys', () => {
  it('are created with 201 and a secret, deleted with 204, and stop working within one second after revocation', async () => {
    const session = bearer((await registered()).accessToken)
    const created = await session.apiKeyCreate!({ body: { name: 'Sync', scopes: ['READ_ACCOUNTS'] } })
    expect(created.status).toBe(201)
    const { id, secret } = created.body as { id: string; secret: string }
    expect([created.headers.get('location'), created.headers.get('etag')]).toEqual([`/v1/api-keys/${id}`, '"1"'])
    const withKey = restClient(platform.contract, platform.url, { 'x-api-key': secret })
    expect((await withKey.accountList!()).status).toBe(200)

    const read = await session.apiKey!({ id })
    expect(read.body).toMatchObject({ id, status: 'ACTIVE', scopes: ['READ_ACCOUNTS'] })
    expect(read.body).not.toHaveProperty('secret')
    const changed = await session.apiKeyUpdate!({
      id,
      body: { scopes: ['READ_CASES'] },
      headers: { 'if-match': '"1"' },
    })
    expect([changed.status, changed.body.version]).toEqual([200, 2])
    platform.advanceClock(1000)
    expect(outcome(await withKey.accountList!())).toBe('403 API_KEY_SCOPE_INSUFFICIENT')
    expect((await session.apiKeyRevoke!({ id })).body).toMatchObject({ status: 'REVOKED' })
    platform.advanceClock(1000)
    expect(outcome(await withKey.caseList!())).toBe('401 API_KEY_INVALID')
    expect((await session.apiKeyList!({ query: { limit: 1 } })).body).toMatchObject({
      data: [{ id }],
      total: 1,
      hasMore: false,
    })
    expect((await session.apiKeyDelete!({ id })).status).toBe(204)
    expect(outcome(await session.apiKey!({ id }))).toBe('404 NOT_FOUND')
  })

  it('replay a creation with its secret to the session that sent it', async () => {
    const session = bearer((await registered()).accessToken)
    const call = { body: { name: 'Sync', scopes: ['*'] }, headers: { 'idempotency-key': 'one' } }
    const first = await session.apiKeyCreate!(call)
    const again = await session.apiKeyCreate!(call)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
  })
})
