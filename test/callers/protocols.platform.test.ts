import { beforeAll, describe, expect, it } from 'vitest'
import { suspendOrganization } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { anApp, aPerson, discovered, tokensOf, type App } from '../oauth/oauth.fixture.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { answerOf, restClient, type Answer, type RestClient } from '../rest-client.ts'

// These endpoints are not in the OpenAPI document, so the table of callers does not cover them.
const platform = usePlatform()
type Headers = Readonly<Record<string, string>>
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

describe('SCIM', () => {
  const id = '0199d1a0-0000-7000-8000-000000000000'
  const newUser = () => ({ userName: `s${newId()}@example.com` })
  const newGroup = () => ({ displayName: `Group ${newId()}` })
  const patch = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'externalId', value: 'x' }],
  }
  const notFound = 404
  const operations: [method: string, path: string, status: number, body?: () => object][] = [
    ['GET', '/Users', 200],
    ['POST', '/Users', 201, newUser],
    ['GET', `/Users/${id}`, notFound],
    ['PUT', `/Users/${id}`, notFound, newUser],
    ['PATCH', `/Users/${id}`, notFound, () => patch],
    ['DELETE', `/Users/${id}`, notFound],
    ['GET', '/Groups', 200],
    ['POST', '/Groups', 201, newGroup],
    ['GET', `/Groups/${id}`, notFound],
    ['PUT', `/Groups/${id}`, notFound, newGroup],
    ['PATCH', `/Groups/${id}`, notFound, () => patch],
    ['DELETE', `/Groups/${id}`, notFound],
    ['GET', '/ServiceProviderConfig', 200],
    ['GET', '/ResourceTypes', 200],
    ['GET', '/ResourceTypes/User', 200],
    ['GET', '/Schemas', 200],
    ['GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User', 200],
    ['GET', '/Nothing', notFound],
  ]
  const needed = [401, 'UNAUTHENTICATED', 'Send a SCIM token: Authorization: Bearer scim_...'] as const
  const refusals = {
    'a revoked token': [
      401,
      'UNAUTHENTICATED',
      'The SCIM token must be the current one of the organization; it may have been replaced or revoked.',
    ],
    'the token of a suspended organization': [401, 'ORGANIZATION_SUSPENDED', 'The organization is suspended.'],
    'an API key': [403, 'API_KEY_SCOPE_BLOCKED', 'API keys cannot call this path; it needs a signed-in session.'],
    'a session': needed,
    'an OAuth token': [403, 'API_KEY_SCOPE_BLOCKED', 'Apps cannot call this path; it needs a signed-in session.'],
    nothing: needed,
  } as const
  type Refused = keyof typeof refusals
  let callers: Record<Refused | 'the token', Headers>

  const adminOf = async (organizationId: string): Promise<RestClient> => {
    const owner = await platform.member({ organizationId, role: 'OWNER' })
    return restClient(platform.contract, platform.url, bearer(await sessionOf(platform, owner)))
  }
  const tokenOf = async (organizationId: string): Promise<Headers> =>
    bearer((await (await adminOf(organizationId)).scimTokenRotate!()).body.token)

  beforeAll(async () => {
    const [organizationId, other, appOfSuspended] = [
      await platform.organization(),
      await platform.organization(),
      await platform.organization(),
    ]
    const member = await platform.member({ organizationId, role: 'OWNER' })
    const owner = await aPerson(platform, { organizationId, role: 'OWNER' })
    const revoked = await tokenOf(other)
    await (
      await adminOf(other)
    ).scimTokenRevoke!()
    const suspended = await tokenOf(appOfSuspended)
    await suspendOrganization(platform.services, appOfSuspended)
    const config = await discovered(platform.url, await anApp(owner))
    callers = {
      'the token': await tokenOf(organizationId),
      'a revoked token': revoked,
      'the token of a suspended organization': suspended,
      'an API key': member.headers,
      'a session': bearer(await sessionOf(platform, member)),
      'an OAuth token': bearer((await tokensOf(platform, config, owner)).access_token),
      nothing: {},
    }
  })

  const send = async (headers: Headers, method: string, path: string, body?: () => object): Promise<Answer> =>
    answerOf(
      await fetch(`${platform.url}/v1/scim/v2${path}`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/scim+json' }) },
        ...(body && { body: JSON.stringify(body()) }),
      }),
    )

  describe.each(operations)('%s %s', (method, path, status, body) => {
    it(`answers ${status} to the token`, async () => {
      const answer = await send(callers['the token'], method, path, body)
      expect([answer.status, answer.body.code]).toEqual([status, status === notFound ? 'NOT_FOUND' : undefined])
    })

    it.each(Object.entries(refusals))('refuses %s', async (caller, [refused, code, detail]) => {
      const answer = await send(callers[caller as Refused], method, path, body)
      expect([answer.status, answer.headers.get('content-type'), answer.headers.get('www-authenticate')]).toEqual([
        refused,
        'application/scim+json; charset=utf-8',
        refused === 401 ? 'Bearer' : null,
      ])
      expect(answer.body).toEqual({
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: String(refused),
        detail,
        code,
        requestId: expect.stringMatching(/^req_/),
      })
    })
  })
})

describe('the authorization server', () => {
  const endpointRequests = {
    token: { form: { grant_type: 'client_credentials', scope: 'READ_ACCOUNTS' }, answers: { scope: 'READ_ACCOUNTS' } },
    revoke: { form: { token: 'x' }, answers: null },
    introspect: { form: { token: 'x' }, answers: { active: false } },
  } as const
  let clients: Record<'the client' | 'a wrong secret' | 'an unknown client' | 'a suspended organization', App>

  beforeAll(async () => {
    const app = await anApp(await aPerson(platform, { role: 'ADMIN' }))
    const suspendedAdmin = await aPerson(platform, { role: 'ADMIN' })
    const appOfSuspended = await anApp(suspendedAdmin)
    await suspendOrganization(platform.services, suspendedAdmin.organizationId)
    clients = {
      'the client': app,
      'a wrong secret': { ...app, secret: `cs_${newId()}` },
      'an unknown client': { ...app, id: newId() },
      'a suspended organization': appOfSuspended,
    }
  })

  const send = async (
    { id, secret }: App,
    endpoint: keyof typeof endpointRequests,
    isPosted: boolean,
  ): Promise<Answer> => {
    const form = new URLSearchParams(endpointRequests[endpoint].form)
    if (isPosted)
      Object.entries({ client_id: id, client_secret: secret! }).forEach(([name, value]) => form.set(name, value))
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    return answerOf(
      await fetch(`${platform.url}/v1/oauth/${endpoint}`, {
        method: 'POST',
        headers: isPosted ? {} : { authorization: basic },
        body: form,
      }),
    )
  }

  describe.each(['token', 'revoke', 'introspect'] as const)('%s', (endpoint) => {
    describe.each([false, true])('with the secret in the form: %s', (isPosted) => {
      it('answers 200 to the client', async () => {
        const { status, body } = await send(clients['the client'], endpoint, isPosted)
        expect(status).toBe(200)
        if (endpointRequests[endpoint].answers) expect(body).toMatchObject(endpointRequests[endpoint].answers)
        else expect(body).toBe(null)
      })

      it.each(['a wrong secret', 'an unknown client', 'a suspended organization'] as const)(
        'refuses %s',
        async (who) => {
          const { status, headers, body } = await send(clients[who], endpoint, isPosted)
          expect([status, headers.get('content-type'), headers.get('cache-control'), body]).toEqual([
            401,
            'application/json; charset=utf-8',
            'no-store',
            { error: 'invalid_client', error_description: 'client authentication failed' },
          ])
        },
      )
    })
  })

  it('refuses a request without client credentials', async () => {
    for (const endpoint of ['token', 'revoke', 'introspect'] as const) {
      const answer = await answerOf(
        await fetch(`${platform.url}/v1/oauth/${endpoint}`, {
          method: 'POST',
          body: new URLSearchParams(endpointRequests[endpoint].form),
        }),
      )
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'invalid_request', error_description: 'no client authentication mechanism provided' },
      ])
    }
  })
})
