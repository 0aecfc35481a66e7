import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type SessionRecord, signSessionToken } from '../../subgraphs/kernel/credentials/public.ts'
import { anEdge, fromNow, inventedKey, start } from './edge.fixture.ts'

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const claims = { sessionId: 'session-1', userId: 'user-1', organizationId: 'org-1' }

describe('a session token', () => {
  it('acts as its user, without a quota', async () => {
    const { send, signIn } = anEdge()
    const { code, admission, headers } = await send(
      bearer(await signIn({ role: 'ADMIN', visibility: 'ALL', ownerIds: null })),
    )
    expect(code).toBe('OK')
    expect(admission?.caller).toMatchObject({
      kind: 'SESSION',
      userId: 'user-1',
      role: 'ADMIN',
      credentialId: 'session-1',
      scopes: [],
    })
    expect(Object.keys(headers)).toEqual(['x-request-id'])
  })

  it('may call paths that are blocked for API keys', async () => {
    const { send, signIn } = anEdge()
    expect((await send({ ...bearer(await signIn()), url: '/v1/api-keys' })).code).toBe('OK')
  })

  it('expires after 15 minutes, also when it was seen before', async () => {
    const { send, signIn, setNow } = anEdge()
    const token = await signIn()
    setNow(900_000 - 1)
    expect((await send(bearer(token))).code).toBe('OK')
    setNow(900_000)
    const { refusal } = await send(bearer(token))
    expect([refusal?.code, refusal?.status]).toEqual(['TOKEN_EXPIRED', 401])
    expect((await send(bearer(token))).code).toBe('TOKEN_EXPIRED')
  })

  it.each(['', 'a.b.c', 'not a token', inventedKey()])('is refused if it is %j', async (token) => {
    const { refusal } = await anEdge().send(bearer(token))
    expect([refusal?.code, refusal?.status]).toEqual(['UNAUTHENTICATED', 401])
  })

  it('signed by another key is refused', async () => {
    const { send, signIn } = anEdge()
    await signIn()
    const forged = await signSessionToken(claims, generateKeyPairSync('ed25519').privateKey, start)
    expect((await send(bearer(forged))).code).toBe('UNAUTHENTICATED')
  })

  it.each<[string, Partial<SessionRecord>, string]>([
    ['revoked', { revokedAt: start }, 'UNAUTHENTICATED'],
    ['expired', { expiresAt: start }, 'UNAUTHENTICATED'],
    ['of another user', { userId: 'user-2' }, 'UNAUTHENTICATED'],
    ['of another organization', { organizationId: 'org-2' }, 'UNAUTHENTICATED'],
    ['of a deactivated user', { ownerActive: false }, 'UNAUTHENTICATED'],
    ['of a user who left', { ownerInOrganization: false }, 'UNAUTHENTICATED'],
    ['of a suspended organization', { organizationSuspended: true }, 'ORGANIZATION_SUSPENDED'],
  ])('whose session is %s is refused', async (_, values, code) => {
    const { send, signIn, sessions } = anEdge()
    const token = await signIn()
    sessions.set('session-1', { ...sessions.get('session-1')!, ...values })
    expect((await send(bearer(token))).code).toBe(code)
  })

  it('whose session is gone is refused', async () => {
    const { send, signIn, sessions } = anEdge()
    const token = await signIn()
    sessions.clear()
    expect((await send(bearer(token))).code).toBe('UNAUTHENTICATED')
  })

  it('stops working within a second of the end of its session, and immediately after `forget`', async () => {
    const { send, edge, signIn, sessions, setNow } = anEdge()
    const token = await signIn()
    expect((await send(bearer(token))).code).toBe('OK')
    const session = sessions.get('session-1')!
    sessions.set('session-1', { ...session, revokedAt: fromNow(1) })
    expect((await send(bearer(token))).code).toBe('OK')
    setNow(1000)
    expect((await send(bearer(token))).code).toBe('UNAUTHENTICATED')
    sessions.set('session-1', session)
    edge.forget('session-1')
    expect((await send(bearer(token))).code).toBe('OK')
  })
})
