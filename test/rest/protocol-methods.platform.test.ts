import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerOf, restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform({ OAUTH_REGISTRATION: 'on' })
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const id = '0199d1a0-0000-7000-8000-000000000000'
let headers: Record<string, string>

beforeAll(async () => {
  const owner = await platform.member({ role: 'OWNER' })
  const session = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
  const { body } = await restClient(platform.contract, platform.url, session).scimTokenRotate!()
  headers = { authorization: `Bearer ${body.token}` }
  // The first use of a token writes lastUsedAt.
  await send('GET', '/v1/scim/v2/Users')
})

const send = async (method: string, path: string): Promise<Answer> =>
  answerOf(await fetch(platform.url + path, { method, headers }))
const outcome = ({ status, headers: given, body }: Answer) => [
  status,
  given.get('allow'),
  given.get('content-type'),
  given.get('api-version'),
  body,
]

/** The expected response to a method that a path does not have. */
async function answersTo(path: string, allow: string): Promise<[string, unknown][]> {
  const others = methods.filter((method) => !allow.split(', ').includes(method))
  return Promise.all(others.map(async (method) => [method, outcome(await send(method, path))] as [string, unknown]))
}

describe.each([
  ['/Users', 'GET, HEAD, POST'],
  [`/Users/${id}`, 'GET, HEAD, PUT, PATCH, DELETE'],
  ['/Groups', 'GET, HEAD, POST'],
  [`/Groups/${id}`, 'GET, HEAD, PUT, PATCH, DELETE'],
  ['/ServiceProviderConfig', 'GET, HEAD'],
  ['/ResourceTypes', 'GET, HEAD'],
  ['/ResourceTypes/User', 'GET, HEAD'],
  ['/Schemas', 'GET, HEAD'],
  ['/Schemas/urn:ietf:params:scim:schemas:core:2.0:User', 'GET, HEAD'],
])('SCIM %s', (path, allow) => {
  const at = `/v1/scim/v2${path}`

  it(`answers 405 to every method except ${allow}`, async () => {
    const before = await platform.fingerprint()
    for (const [method, answer] of await answersTo(at, allow)) {
      const body = {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '405',
        detail: `Send one of these methods: ${allow}.`,
        code: 'METHOD_NOT_ALLOWED',
        requestId: expect.stringMatching(/^req_/),
      }
      const { version } = platform.contract
      expect(answer, method).toEqual([405, allow, 'application/scim+json; charset=utf-8', version, body])
    }
    expect(await platform.fingerprint()).toBe(before)
  })

  it('returns its methods to OPTIONS', async () => {
    const answer = await send('OPTIONS', at)
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, allow])
  })

  it('refuses a wrong credential before a wrong method', async () => {
    const { status } = await fetch(platform.url + at, { method: 'DELETE', headers: { authorization: 'Bearer scim_x' } })
    expect(status).toBe(401)
  })
})

it('answers 404 to every method of an unknown SCIM path', async () => {
  for (const method of methods) expect((await send(method, '/v1/scim/v2/Nothing')).status).toBe(404)
})

describe.each([
  ['/v1/oauth/token', 'POST, OPTIONS'],
  ['/v1/oauth/revoke', 'POST, OPTIONS'],
  ['/v1/oauth/introspect', 'POST, OPTIONS'],
  ['/v1/oauth/register', 'POST'],
  ['/v1/oauth/authorize', 'GET, HEAD'],
  [`/v1/oauth/authorize/${id}`, 'GET, HEAD'],
  [`/v1/oauth/interaction/${id}`, 'GET, HEAD'],
  [`/v1/oauth/interaction/${id}/sign-in`, 'POST'],
  [`/v1/oauth/interaction/${id}/decision`, 'POST'],
  ['/.well-known/oauth-authorization-server', 'GET, HEAD'],
])('%s', (path, allow) => {
  it(`answers 405 to every method except ${allow}`, async () => {
    for (const [method, answer] of await answersTo(path, allow)) {
      const body =
        method === 'HEAD'
          ? null
          : { error: 'invalid_request', error_description: `Send one of these methods: ${allow}.` }
      const { version } = platform.contract
      expect(answer, method).toEqual([405, allow, 'application/json; charset=utf-8', version, body])
    }
  })
})
