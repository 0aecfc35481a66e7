import { createClient } from 'graphql-ws'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform } from '../platform.ts'
import { answerOf, restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
const client = (headers: Record<string, string>) => restClient(platform.contract, platform.url, headers)
const outcome = ({ status, body }: Answer) =>
  `${status} ${body?.code ?? body?.errors?.[0]?.extensions?.code ?? ''}`.trim()
const password = 'Correct horse 7!'

/** A signed-in browser: its cookies, and those that the page can read. */
async function aBrowser() {
  const email = `p${newId()}@example.com`
  const { headers, body } = await client({}).authRegister!({ body: { email, password } })
  const cookies = new Map(headers.getSetCookie().map((line) => line.split(';')[0]!.split('=') as [string, string]))
  const cookie = (names: readonly string[]) => names.map((name) => `${name}=${cookies.get(name)}`).join('; ')
  return {
    email,
    token: body.accessToken as string,
    csrf: cookies.get('csrf_token')!,
    access: cookie(['access_token']),
    both: cookie(['access_token', 'csrf_token']),
  }
}

const graphql = async (query: string, headers: Record<string, string>): Promise<Answer> =>
  answerOf(
    await fetch(`${platform.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    }),
  )

describe('a session cookie', () => {
  it('can be used for reads like a bearer token', async () => {
    const { email, access } = await aBrowser()
    expect((await client({ cookie: access }).me!()).body.email).toBe(email)
  })

  it('can be used for writes only with the CSRF token of its session, as a cookie and as a header', async () => {
    const { access, both, csrf } = await aBrowser()
    const other = await aBrowser()
    const write = async (headers: Record<string, string>) =>
      outcome(await client(headers).accountCreate!({ body: { name: 'Acme' } }))
    expect(await write({ cookie: both, 'x-csrf-token': csrf })).toBe('201')
    const forged: Record<string, string>[] = [
      { cookie: access },
      { cookie: both },
      { cookie: access, 'x-csrf-token': csrf },
      { cookie: both, 'x-csrf-token': `${csrf}x` },
      { cookie: both, 'x-csrf-token': other.csrf },
      { cookie: `${access}; csrf_token=${other.csrf}`, 'x-csrf-token': other.csrf },
      { cookie: `${access}; csrf_token=x`, 'x-csrf-token': 'x' },
      { cookie: `${access}; csrf_token=`, 'x-csrf-token': '' },
    ]
    for (const headers of forged) {
      expect([headers, await write(headers)]).toEqual([headers, '403 CSRF_TOKEN_INVALID'])
    }
  })

  it('requires the CSRF token also in GraphQL', async () => {
    const { both, csrf } = await aBrowser()
    const mutation = 'mutation { accountCreate(input: {name: "Acme"}) { id } }'
    const before = await platform.fingerprint()
    expect(outcome(await graphql(mutation, { cookie: both }))).toBe('403 CSRF_TOKEN_INVALID')
    expect(await platform.fingerprint()).toBe(before)
    expect((await graphql(mutation, { cookie: both, 'x-csrf-token': csrf })).body.errors).toBeUndefined()
  })

  it('can send GraphQL by GET only with a header that another site cannot add', async () => {
    const { email, both, csrf } = await aBrowser()
    const get = async (headers: Record<string, string>) =>
      answerOf(await fetch(`${platform.url}/v1/graphql?query=${encodeURIComponent('{ me { email } }')}`, { headers }))
    const forged = await get({ cookie: both })
    expect(outcome(forged)).toBe('400 VALIDATION_FAILED')
    expect(forged.body.errors[0].message).toContain('CSRF')
    expect((await get({ cookie: both, 'x-csrf-token': csrf })).body).toEqual({ data: { me: { email } } })
  })

  it('is ignored if the request has a bearer token or a key, which need no CSRF token', async () => {
    const { both, token } = await aBrowser()
    const member = await platform.member()
    const body = { name: 'Acme' }
    expect((await client({ cookie: both, authorization: `Bearer ${token}` }).accountCreate!({ body })).status).toBe(201)
    expect((await client({ cookie: both, ...member.headers }).accountCreate!({ body })).status).toBe(201)
    expect(outcome(await client({ cookie: both, authorization: 'Bearer x' }).me!())).toBe('401 UNAUTHENTICATED')
  })

  it('of an ended session is ignored, so that its user can sign in again', async () => {
    const { both, token, email } = await aBrowser()
    await client({ authorization: `Bearer ${token}` }).authLogout!()
    platform.advanceClock(1000)
    expect(outcome(await client({ cookie: both }).me!())).toBe('401 UNAUTHENTICATED')
    expect((await client({ cookie: both }).authLogin!({ body: { email, password } })).status).toBe(200)
    expect(outcome(await client({ cookie: 'access_token=nonsense' }).accountList!())).toBe('401 UNAUTHENTICATED')
  })

  it('can get more CSRF tokens', async () => {
    const { access } = await aBrowser()
    const { body, headers } = await client({ cookie: access }).authCsrfToken!()
    const csrf = body.csrfToken as string
    expect(headers.getSetCookie()).toEqual([`csrf_token=${csrf}; Max-Age=2592000; Path=/; SameSite=Strict`])
    const write = client({ cookie: `${access}; csrf_token=${csrf}`, 'x-csrf-token': csrf })
    expect((await write.authUpdateProfile!({ body: { name: 'Ann' } })).body.name).toBe('Ann')
  })
})

describe('a WebSocket', () => {
  /** Opens a WebSocket and resolves with its close code. */
  async function opened(connectionParams: Record<string, unknown>, headers: Record<string, string> = {}) {
    const closed = Promise.withResolvers<string>()
    const open = Promise.withResolvers<string>()
    class WithHeaders extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { headers })
      }
    }
    const made = createClient({
      url: `${platform.url.replace('http', 'ws')}/v1/graphql`,
      webSocketImpl: WithHeaders,
      connectionParams,
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => {},
      on: {
        connected: () => open.resolve('open'),
        closed: (event) => {
          const { code, reason } = event as { code: number; reason: string }
          closed.resolve(`${code} ${reason}`)
        },
      },
    })
    return {
      state: await Promise.race([open.promise, closed.promise]),
      closed: closed.promise,
      dispose: () => made.dispose(),
    }
  }

  it.each([
    ['signed out everywhere', 'authLogoutAll', undefined],
    ['changed the password', 'authChangePassword', { currentPassword: password, newPassword: 'Better horse 8!' }],
    ['signed out', 'authLogout', undefined],
  ])('is closed within seconds when its user %s', async (_, operation, body) => {
    const { token } = await aBrowser()
    const socket = await opened({ authorization: `Bearer ${token}` })
    const session = client({ authorization: `Bearer ${token}` })
    expect([socket.state, (await session[operation]!({ body })).status]).toEqual(['open', 200])
    platform.advanceClock(1000)
    expect(await socket.closed).toBe('4403 UNAUTHENTICATED')
  })

  it('accepts the cookie only from a page that sends the CSRF token', async () => {
    const { both, csrf } = await aBrowser()
    expect((await opened({}, { cookie: both })).state).toBe('4401 UNAUTHENTICATED')
    expect((await opened({ csrfToken: 'x' }, { cookie: both })).state).toBe('4403 CSRF_TOKEN_INVALID')
    const socket = await opened({ csrfToken: csrf }, { cookie: both })
    expect(socket.state).toBe('open')
    await socket.dispose()
  })

  it('is unauthenticated without a cookie or credential, with any CSRF token', async () => {
    const { csrf } = await aBrowser()
    expect((await opened({ csrfToken: csrf })).state).toBe('4401 UNAUTHENTICATED')
  })
})
