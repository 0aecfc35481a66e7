import { describe, expect, it } from 'vitest'
import { newId } from '../../kernel/ids.ts'
import { anonymous, claimsOf, goodPassword, useIdentity } from '../identity.fixture.ts'
import { sessionForget } from './session-forget.job.ts'
import { credentialSource, deactivateUser, resumeOrganization, suspendOrganization } from '../public.ts'

const world = useIdentity()
const registering =
  'mutation($input: RegisterInput!) { authRegister(input: $input) { accessToken refreshToken user { id } organization { id } } }'
const refreshing =
  'mutation($refreshToken: String) { authRefresh(refreshToken: $refreshToken) { accessToken refreshToken user { id } organization { id } } }'
const day = 86_400_000

async function signIn() {
  const input = { email: `person-${newId()}@example.com`, password: goodPassword }
  const caller = { ...anonymous, ip: `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}::1` }
  const { authRegister } = (await world.run(registering, { input }, caller)).data
  const { refreshToken, accessToken, user, organization } = authRegister!
  const sessionId = String(claimsOf(accessToken!).sid)
  return { refreshToken: refreshToken!, sessionId, userId: user!.id!, organizationId: organization!.id! }
}

const refresh = (refreshToken: string | null) => world.run(refreshing, { refreshToken })
const next = async (refreshToken: string): Promise<string> =>
  (await refresh(refreshToken)).data.authRefresh!.refreshToken!
const sessionOf = (id: string) => credentialSource(world.services.database).findSession(id)

describe('authRefresh', () => {
  it('returns new tokens of the same session', async () => {
    const { refreshToken, sessionId, userId, organizationId } = await signIn()
    world.advanceClock(14 * 60_000)
    const { data, codes } = await refresh(refreshToken)
    expect(codes).toEqual([])
    const claims = claimsOf(data.authRefresh!.accessToken!)
    expect(claims).toMatchObject({
      sid: sessionId,
      sub: userId,
      org: organizationId,
      exp: world.now.getTime() / 1000 + 900,
    })
    expect(data.authRefresh!.refreshToken).toMatch(/^[\w-]{43}$/)
    expect(data.authRefresh!.refreshToken).not.toBe(refreshToken)
  })

  it('keeps one family alive after ten concurrent refreshes', async () => {
    const { refreshToken, sessionId } = await signIn()
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)))
    expect(answers.flatMap(({ codes }) => codes)).toEqual([])
    const tokens = answers.map(({ data }) => data.authRefresh!.refreshToken!)
    expect(new Set(tokens).size).toBe(10)
    expect(new Set(answers.map(({ data }) => claimsOf(data.authRefresh!.accessToken!).sid))).toEqual(
      new Set([sessionId]),
    )
    world.advanceClock(60_000)
    for (const token of tokens) expect((await refresh(token)).codes).toEqual([])
  })

  it('accepts a reused token until 20 s after its first use, however often it was reused', async () => {
    const { refreshToken } = await signIn()
    await next(refreshToken)
    world.advanceClock(15_000)
    await next(refreshToken)
    world.advanceClock(5000)
    expect((await refresh(refreshToken)).codes).toEqual([])
  })

  it('ends the whole family when a token is reused later', async () => {
    const { refreshToken, sessionId } = await signIn()
    const second = await next(refreshToken)
    const third = await next(second)
    world.advanceClock(20_001)
    expect((await refresh(refreshToken)).codes).toEqual(['UNAUTHENTICATED'])
    expect((await refresh(third)).codes).toEqual(['UNAUTHENTICATED'])
    expect((await sessionOf(sessionId))!.revokedAt).toEqual(world.now)
    expect(await world.eventsOf(sessionId)).toEqual(['session.started', 'session.ended'])
  })

  it('keeps other families of the user when one ends', async () => {
    const { userId, organizationId, refreshToken } = await signIn()
    const [person] = await world.query<{ email: string }>(
      'select p.email from identity.person p join identity.app_user u on u.person_id = p.id where u.id = $1',
      [userId],
    )
    const loggingIn = 'mutation($input: LoginInput!) { authLogin(input: $input) { refreshToken } }'
    const input = { email: person!.email, password: goodPassword, organizationId }
    const other = (await world.run(loggingIn, { input })).data.authLogin!.refreshToken!
    await next(refreshToken)
    world.advanceClock(20_001)
    await refresh(refreshToken)
    expect((await refresh(other)).codes).toEqual([])
  })

  it('works until a session has not been refreshed for 30 days', async () => {
    const { refreshToken } = await signIn()
    world.advanceClock(30 * day - 1)
    const second = await next(refreshToken)
    world.advanceClock(30 * day)
    expect((await refresh(second)).codes).toEqual(['UNAUTHENTICATED'])
  })

  it.each([
    ['a missing token', null],
    ['an unknown token', 'A'.repeat(43)],
    ['text that is not a token', "' or 1=1 --"],
  ])('refuses %s with 401', async (_, token) => {
    expect((await refresh(token)).codes).toEqual(['UNAUTHENTICATED'])
  })

  it('refuses a suspended organization without consuming the token', async () => {
    const { refreshToken, organizationId } = await signIn()
    await suspendOrganization(world.services, organizationId)
    expect((await refresh(refreshToken)).codes).toEqual(['ORGANIZATION_SUSPENDED'])
    await resumeOrganization(world.services, organizationId)
    expect((await refresh(refreshToken)).codes).toEqual([])
  })

  it('refuses a deactivated user', async () => {
    const { refreshToken, organizationId, userId, sessionId } = await signIn()
    await deactivateUser(world.services, organizationId, userId)
    expect((await refresh(refreshToken)).codes).toEqual(['UNAUTHENTICATED'])
    expect(await world.eventsOf(sessionId)).toEqual(['session.started', 'session.ended'])
  })
})

describe('authLogout', () => {
  it('ends the session of the access token at once, and only that', async () => {
    const { refreshToken, sessionId } = await signIn()
    const other = await signIn()
    const caller = await world.callerOf(sessionId)
    const { data } = await world.run('mutation { authLogout { sessionId endedAt } }', {}, caller)
    expect(data.authLogout).toEqual({ sessionId, endedAt: world.now.toISOString() })
    expect((await sessionOf(sessionId))!.revokedAt).toEqual(world.now)
    expect((await refresh(refreshToken)).codes).toEqual(['UNAUTHENTICATED'])
    expect((await refresh(other.refreshToken)).codes).toEqual([])
    expect(await world.eventsOf(sessionId)).toEqual(['session.started', 'session.ended'])
  })
})

describe('me and profile', () => {
  it('return the signed-in user with organization and teams', async () => {
    const { sessionId, userId, organizationId } = await signIn()
    const caller = await world.callerOf(sessionId)
    const document =
      '{ me { id organizationId role organization { id code } teams { name } } profile { id timezone locale } }'
    const { data } = await world.run(document, {}, caller)
    expect(data).toMatchObject({
      me: {
        id: userId,
        organizationId,
        role: 'OWNER',
        organization: { id: organizationId, code: expect.any(String) as string },
        teams: [],
      },
      profile: { id: userId, timezone: 'UTC', locale: 'en' },
    })
  })
})

describe('session.forget', () => {
  it('deletes sessions and tokens that ended or were used 30 days ago, and none that still work', async () => {
    const [ended, alive] = [await signIn(), await signIn()]
    await world.run('mutation { authLogout { sessionId } }', {}, await world.callerOf(ended.sessionId))
    world.advanceClock(29 * day)
    const second = await next(alive.refreshToken)
    world.advanceClock(day + 1)
    await sessionForget.run(world.services)
    expect(await sessionOf(ended.sessionId)).toBe(null)
    const third = await next(second)
    world.advanceClock(29 * day)
    await sessionForget.run(world.services)
    expect((await refresh(alive.refreshToken)).codes).toEqual(['UNAUTHENTICATED'])
    expect((await refresh(third)).codes).toEqual([])
  })
})
