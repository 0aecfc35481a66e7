import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { Platform } from '../platform.ts'
import { answerOf, restClient, type Answer } from '../rest-client.ts'

const issued = {
  access_token: 'provider-access',
  refresh_token: 'provider-refresh',
  expires_in: 3600,
  scope: 'meeting:write',
}
const asked: { authorization: string; form: URLSearchParams }[] = []

/** Runs before the provider answers. */
let beforeResponse: (() => Promise<void>) | null = null

/** A meeting provider: it accepts the code `good` with the right verifier, and returns an invalid response for `strange`. */
const provider = createServer((req, res) => {
  let text = ''
  req.on('data', (chunk: Buffer) => (text += chunk.toString()))
  req.on('end', async () => {
    await beforeResponse?.()
    const form = new URLSearchParams(text)
    asked.push({ authorization: req.headers.authorization!, form })
    const answer = (status: number, body: object) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const fits = hash('sha256', form.get('code_verifier')!, 'base64url') === challenge
    if (form.get('code') === 'strange') answer(200, { token: 'none' })
    else if (form.get('code') === 'good' && fits) answer(200, issued)
    else answer(400, { error: 'invalid_grant' })
  })
})
let challenge = ''
let platform: Platform

beforeAll(async () => {
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const zoom = {
    name: 'zoom',
    authorizeUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
    clientId: 'crm',
    clientSecret: 's:1',
    scope: 'meeting:write',
  }
  const inside = { ...zoom, name: 'inside', tokenUrl: 'http://10.0.0.1/token' }
  platform = new Platform({
    MEETING_PROVIDERS: JSON.stringify([zoom, inside]),
    OUTBOUND_ALLOW: '127.0.0.1',
    PUBLIC_URL: 'https://crm.example.com',
  })
  await platform.open()
})
afterAll(async () => {
  await platform.close()
  provider.close()
})

const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()

async function aPerson() {
  const email = `p${newId()}@example.com`
  const anonymous = restClient(platform.contract, platform.url, {})
  const { body } = await anonymous.authRegister!({ body: { email, password: 'Correct horse 7!' } })
  const headers = { authorization: `Bearer ${body.accessToken}` }
  const rest = restClient(platform.contract, platform.url, headers)
  const graphql = async (query: string) =>
    answerOf(
      await fetch(`${platform.url}/v1/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      }),
    )
  return {
    graphql,
    rest,
    organizationId: body.organization.id as string,
    userId: body.user.id as string,
    async begin(name = 'zoom') {
      const answer = await graphql(`mutation { meetingConnect(provider: "${name}") { authorizationUrl expiresAt } }`)
      const url = new URL(answer.body.data.meetingConnect.authorizationUrl as string)
      challenge = url.searchParams.get('code_challenge')!
      return { url, state: url.searchParams.get('state')! }
    },
    back: (state: string, code = 'good', name = 'zoom') =>
      rest.authMeetingCallback!({ meeting_provider: name, query: { code, state } }),
  }
}

describe('authMeetingCallback', () => {
  it.each(['signs out', 'is removed'])('stores no token of a user who %s before the provider answers', async (what) => {
    const { begin, back, rest, organizationId, userId } = await aPerson()
    const { state } = await begin()
    beforeResponse = async () => {
      if (what === 'signs out') await rest.authLogout!()
      else await removeUser(platform.services, organizationId, userId)
    }
    const answer = await back(state)
    beforeResponse = null
    expect(outcome(answer)).toBe('401 UNAUTHENTICATED')
    expect(await platform.query('select 1 from identity.meeting_connection where user_id = $1', [userId])).toEqual([])
  })

  it('exchanges the code for tokens, which are stored encrypted and never returned', async () => {
    const person = await aPerson()
    const { url, state } = await person.begin()
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'crm',
      redirect_uri: 'https://crm.example.com/v1/auth/zoom/callback',
      scope: 'meeting:write',
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const { status, body } = await person.back(state)
    const connectedAt = platform.now.toISOString()
    const expiresAt = new Date(platform.now.getTime() + 3_600_000).toISOString()
    expect([status, body]).toEqual([200, { provider: 'zoom', scope: 'meeting:write', connectedAt, expiresAt }])
    const { authorization, form } = asked.at(-1)!
    expect(authorization).toBe(`Basic ${Buffer.from('crm:s%3A1').toString('base64')}`)
    expect(form.get('redirect_uri')).toBe('https://crm.example.com/v1/auth/zoom/callback')

    const [row] = await platform.query<{ organization_id: string; id: string; tokens: string }>(
      'select organization_id, id, tokens from identity.meeting_connection order by id desc limit 1',
    )
    expect(JSON.stringify(row)).not.toContain('provider-access')
    const place = `identity.meeting_connection/${row!.organization_id}/${row!.id}/tokens`
    expect(JSON.parse(platform.services.vault.open(row!.organization_id, place, row!.tokens))).toEqual(issued)
    const { body: list } = await person.graphql('{ meetingConnectionList { provider scope } }')
    expect(list.data.meetingConnectionList).toEqual([{ provider: 'zoom', scope: 'meeting:write' }])
  })

  it('accepts a state once for five concurrent requests', async () => {
    const person = await aPerson()
    const { state } = await person.begin()
    const answers = await Promise.all(Array.from({ length: 5 }, () => person.back(state)))
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array<string>(4).fill('400 STATE_INVALID')])
  })

  it('refuses the state of another session or provider, an unknown state and an expired one', async () => {
    const person = await aPerson()
    const other = await aPerson()
    const before = asked.length
    const { state } = await person.begin()
    expect(outcome(await other.back(state))).toBe('400 STATE_INVALID')
    expect(outcome(await person.back(state, 'good', 'inside'))).toBe('400 STATE_INVALID')
    expect(outcome(await person.back('invented'))).toBe('400 STATE_INVALID')
    expect(asked.length).toBe(before)
    const { state: inTime } = await person.begin()
    platform.advanceClock(10 * 60_000 - 1)
    expect(outcome(await person.back(inTime))).toBe('200')
    platform.advanceClock(1)
    expect(outcome(await person.back(state))).toBe('400 STATE_INVALID')
    expect(asked.length).toBe(before + 1)
  })

  it('reports a code that the provider refuses, an invalid response, and a provider that must not be called', async () => {
    const person = await aPerson()
    expect(outcome(await person.back((await person.begin()).state, 'bad'))).toBe('400 CODE_REFUSED')
    expect(outcome(await person.back((await person.begin()).state, 'strange'))).toBe('503 UNAVAILABLE')
    expect(outcome(await person.back((await person.begin('inside')).state, 'good', 'inside'))).toBe('503 UNAVAILABLE')
    expect(outcome(await person.back('x', 'good', 'unknown'))).toBe('404 NOT_FOUND')
  })

  it('keeps one connection after repeated connects', async () => {
    const person = await aPerson()
    await person.back((await person.begin()).state)
    await person.back((await person.begin()).state)
    const { body } = await person.graphql('{ meetingConnectionList { provider } }')
    expect(body.data.meetingConnectionList).toEqual([{ provider: 'zoom' }])
  })
})

describe('meetingDisconnect', () => {
  it('deletes the tokens once, with an audit log entry and an event', async () => {
    const person = await aPerson()
    await person.back((await person.begin()).state)
    const tokens = () =>
      platform.query<{ id: string }>('select id from identity.meeting_connection where organization_id = $1', [
        person.organizationId,
      ])
    const [{ id }] = (await tokens()) as [{ id: string }]
    const tried = await person.rest.meetingDisconnect!({ meeting_provider: 'zoom', headers: { Prefer: 'dry-run' } })
    expect([tried.status, tried.headers.get('dry-run-events'), (await tokens()).length]).toEqual([
      204,
      `"meeting_connection.deleted";id="${id}"`,
      1,
    ])
    const { status, body } = await person.rest.meetingDisconnect!({ meeting_provider: 'zoom' })
    expect([status, body, await tokens()]).toEqual([204, null, []])
    expect(outcome(await person.rest.meetingDisconnect!({ meeting_provider: 'zoom' }))).toBe('404 NOT_FOUND')
    const { data } = (await person.rest.auditLogEntryList!({ query: { targetId: id, sortBy: 'id', sortOrder: 'asc' } }))
      .body as { data: object[] }
    expect(data).toMatchObject([
      { action: 'meeting_connection.created', after: { provider: 'zoom' } },
      { action: 'meeting_connection.deleted', before: { provider: 'zoom', scope: 'meeting:write' }, after: null },
    ])
    expect(await platform.eventTypesOf(id)).toEqual(['meeting_connection.created', 'meeting_connection.deleted'])
    await person.back((await person.begin()).state)
    expect(await tokens()).toHaveLength(1)
  })

  it('keeps the connections of other users, and works the same in GraphQL', async () => {
    const [person, other] = [await aPerson(), await aPerson()]
    await other.back((await other.begin()).state)
    const disconnect = 'mutation { meetingDisconnect(provider: "zoom") }'
    expect((await person.graphql(disconnect)).body.errors[0].extensions.code).toBe('NOT_FOUND')
    expect((await other.graphql(disconnect)).body.data).toEqual({ meetingDisconnect: 'zoom' })
    expect((await other.graphql('{ meetingConnectionList { provider } }')).body.data.meetingConnectionList).toEqual([])
  })

  it('happens when a user leaves the organization', async () => {
    const person = await aPerson()
    await person.back((await person.begin()).state)
    const tokens = () =>
      platform.query('select id from identity.meeting_connection where user_id = $1', [person.userId])
    expect(await tokens()).toHaveLength(1)
    await removeUser(platform.services, person.organizationId, person.userId)
    expect(await tokens()).toEqual([])
  })
})

describe('authOauthStatus', () => {
  it('returns the configured providers without secrets', async () => {
    const { body } = await restClient(platform.contract, platform.url, {}).authOauthStatus!()
    expect(body).toEqual({ signInProviders: [], meetingProviders: [{ name: 'zoom' }, { name: 'inside' }] })
  })
})
