import { describe, expect, it, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'
import { restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform({
  TRUST_PROXY: '127.0.0.1',
  PUBLIC_URL: 'https://crm.example.com',
  MAIL_LINK_ORIGINS: 'https://app.example.com',
})
const password = 'Correct horse 7!'
const newPassword = 'Better horse 8!'
const minute = 60_000

/** Each request uses a new client address, so that tests do not throttle each other. */
let addresses = 0
const from = () => ({ 'x-forwarded-for': `10.9.${++addresses >> 8}.${addresses & 255}` })
const anonymous = () => restClient(platform.contract, platform.url, from())
const bearer = (token: string) =>
  restClient(platform.contract, platform.url, { authorization: `Bearer ${token}`, ...from() })
const outcome = ({ status, body }: Answer) => `${status} ${body?.errors?.[0]?.code ?? body?.code ?? ''}`.trim()
const anEmail = () => `p${newId()}@example.com`
const lastMail = async (email: string) => (await mailsTo(platform, email)).at(-1)!

async function registered(more: object = {}) {
  const email = anEmail()
  const { status, body } = await anonymous().authRegister!({ body: { email, password, company: 'Acme', ...more } })
  expect(status).toBe(201)
  return {
    email,
    token: body.accessToken as string,
    userId: body.user.id as string,
    refresh: body.refreshToken as string,
  }
}

const signsIn = async (email: string, word: string) =>
  (await anonymous().authLogin!({ body: { email, password: word } })).status

describe('authVerifyEmail', () => {
  it('verifies the address once, with the link of the mail', async () => {
    const { email, token } = await registered()
    const { secret, text, subject } = await lastMail(email)
    expect(subject).toBe('Confirm your email address')
    expect(text).toContain(`https://crm.example.com/v1/auth/verify-email?token=${secret}`)
    const verify = () => anonymous().authVerifyEmail!({ query: { token: secret } })
    expect((await verify()).body).toEqual({ email, emailVerified: true })
    expect(outcome(await verify())).toBe('400 TOKEN_INVALID')
    expect((await bearer(token).me!()).body.emailVerified).toBe(true)
  })

  it('uses only an allowed origin in its link', async () => {
    const { email: ours } = await registered({ origin: 'https://app.example.com' })
    expect((await lastMail(ours)).text).toContain('https://app.example.com/v1/auth/verify-email?token=')
    const { email: theirs } = await registered({ origin: 'https://evil.example.com' })
    expect((await lastMail(theirs)).text).toContain('https://crm.example.com/v1/auth/verify-email?token=')
  })

  it('refuses a token after 24 hours, and a token for another purpose', async () => {
    const { email } = await registered()
    const { secret } = await lastMail(email)
    expect(outcome(await anonymous().authMagicLink!({ query: { token: secret } }))).toBe('400 TOKEN_INVALID')
    platform.advanceClock(24 * 60 * minute)
    expect(outcome(await anonymous().authVerifyEmail!({ query: { token: secret } }))).toBe('400 TOKEN_INVALID')
  })
})

describe('authMagicLink', () => {
  it('signs in once for ten concurrent requests', async () => {
    const { email } = await registered()
    expect((await anonymous().authMagicLinkSend!({ body: { email } })).body).toEqual({ accepted: true })
    const { secret } = await lastMail(email)
    const head = await fetch(`${platform.url}/v1/auth/magic-link?token=${secret}`, { method: 'HEAD' })
    expect(head.status).toBe(405)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => anonymous().authMagicLink!({ query: { token: secret } })),
    )
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array<string>(9).fill('400 TOKEN_INVALID')])
    const { body, headers } = answers.find(({ status }) => status === 200)!
    expect(headers.getSetCookie()).toHaveLength(4)
    expect((await bearer(body.accessToken as string).me!()).body).toMatchObject({ email, emailVerified: true })
  })

  it('is refused after 15 minutes', async () => {
    const { email } = await registered()
    await anonymous().authMagicLinkSend!({ body: { email } })
    const { secret } = await lastMail(email)
    platform.advanceClock(15 * minute)
    expect(outcome(await anonymous().authMagicLink!({ query: { token: secret } }))).toBe('400 TOKEN_INVALID')
  })

  it('gives the same response for an unknown address, and sends nothing', async () => {
    const email = anEmail()
    expect((await anonymous().authMagicLinkSend!({ body: { email } })).body).toEqual({ accepted: true })
    const { state, secret } = await lastMail(email)
    expect(state).toBe('WITHHELD')
    expect(outcome(await anonymous().authMagicLink!({ query: { token: secret } }))).toBe('400 TOKEN_INVALID')
  })
})

describe('authResetPassword', () => {
  async function withCode() {
    const person = await registered()
    expect((await anonymous().authForgotPassword!({ body: { email: person.email } })).body).toEqual({ accepted: true })
    return { ...person, code: (await lastMail(person.email)).secret }
  }

  it('sets a password once, ends every session and mails the person', async () => {
    const { email, token, refresh, code } = await withCode()
    const verified = await anonymous().authVerifyResetCode!({ body: { email, code } })
    expect(verified.body).toEqual({
      valid: true,
      expiresAt: new Date(platform.now.getTime() + 15 * minute).toISOString(),
    })
    const reset = () => anonymous().authResetPassword!({ body: { email, code, newPassword } })
    const answers = await Promise.all(Array.from({ length: 5 }, reset))
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array<string>(4).fill('400 CODE_INVALID')])
    expect([await signsIn(email, password), await signsIn(email, newPassword)]).toEqual([401, 200])
    platform.advanceClock(1000)
    expect(outcome(await bearer(token).me!())).toBe('401 UNAUTHENTICATED')
    expect(outcome(await anonymous().authRefresh!({ body: { refreshToken: refresh } }))).toBe('401 UNAUTHENTICATED')
    expect((await lastMail(email)).subject).toBe('Your password was changed')
  })

  it('is refused after five wrong guesses, also when they are concurrent', async () => {
    const { email, code } = await withCode()
    const wrong = code === '00000000' ? '11111111' : '00000000'
    const guess = (word: string) => anonymous().authVerifyResetCode!({ body: { email, code: word } })
    const guesses = await Promise.all(Array.from({ length: 5 }, () => guess(wrong)))
    expect(guesses.map(outcome)).toEqual(Array<string>(5).fill('400 CODE_INVALID'))
    expect(outcome(await guess(code))).toBe('400 CODE_INVALID')
    const reset = await anonymous().authResetPassword!({ body: { email, code, newPassword } })
    expect(outcome(reset)).toBe('400 CODE_INVALID')
    expect(await signsIn(email, password)).toBe(200)
  })

  it('accepts only the newest code, for 15 minutes', async () => {
    const { email, code: old } = await withCode()
    await anonymous().authForgotPassword!({ body: { email } })
    const { secret: code } = await lastMail(email)
    const check = (word: string) => anonymous().authVerifyResetCode!({ body: { email, code: word } })
    expect(outcome(await check(old))).toBe('400 CODE_INVALID')
    platform.advanceClock(15 * minute - 1)
    expect((await check(code)).status).toBe(200)
    platform.advanceClock(1)
    expect(outcome(await check(code))).toBe('400 CODE_INVALID')
  })

  it('gives the same response for unknown addresses', async () => {
    const email = anEmail()
    expect((await anonymous().authForgotPassword!({ body: { email } })).body).toEqual({ accepted: true })
    const { state, secret: code } = await lastMail(email)
    expect(state).toBe('WITHHELD')
    expect(outcome(await anonymous().authVerifyResetCode!({ body: { email, code } }))).toBe('400 CODE_INVALID')
    expect(outcome(await anonymous().authResetPassword!({ body: { email, code, newPassword } }))).toBe(
      '400 CODE_INVALID',
    )
  })

  it('stores no secret in plain text', async () => {
    const { email, code } = await withCode()
    await anonymous().authMagicLinkSend!({ body: { email } })
    const { secret } = await lastMail(email)
    const rows = await platform.query(
      'select t::text as row from identity.one_time_token t union all select m::text from kernel.mail m',
    )
    const text = JSON.stringify(rows)
    expect([text.includes(code), text.includes(secret)]).toEqual([false, false])
  })
})

describe('authChangePassword', () => {
  it('ends every session, including this one, and returns a new one', async () => {
    const { email, token } = await registered()
    const other = (await anonymous().authLogin!({ body: { email, password } })).body.accessToken as string
    const answer = await bearer(token).authChangePassword!({ body: { currentPassword: password, newPassword } })
    expect([answer.status, answer.headers.getSetCookie().length]).toEqual([200, 4])
    platform.advanceClock(1000)
    expect([outcome(await bearer(token).me!()), outcome(await bearer(other).me!())]).toEqual(
      Array<string>(2).fill('401 UNAUTHENTICATED'),
    )
    expect((await bearer(answer.body.accessToken as string).me!()).body.email).toBe(email)
    expect([await signsIn(email, password), await signsIn(email, newPassword)]).toEqual([401, 200])
  })

  it('ends sessions that were started concurrently with the old password', async () => {
    const { email, token } = await registered()
    const signIn = () => anonymous().authLogin!({ body: { email, password } })
    const [changed] = await Promise.all([
      bearer(token).authChangePassword!({ body: { currentPassword: password, newPassword } }),
      ...Array.from({ length: 6 }, signIn),
    ])
    expect((await bearer(changed.body.accessToken as string).authSessionCount!()).body).toEqual({ count: 1 })
  })

  it('accepts one of two concurrent changes, also during a sign-in', async () => {
    const { email, token } = await registered()
    const change = (word: string) =>
      bearer(token).authChangePassword!({ body: { currentPassword: password, newPassword: word } })
    const changes = await platform.services.database.transaction(async (signIn) => {
      await signIn.query('select 1 from identity.person where email = $1 for share', [email])
      const both = Promise.all([change(newPassword), change(`${newPassword}!`)])
      await vi.waitFor(async () => expect(await platform.waitingForLocks()).toBe(2), { interval: 10, timeout: 5000 })
      return { both }
    })
    expect((await changes.both).map(outcome).toSorted()).toEqual(['200', '401 UNAUTHENTICATED'])
  })

  it('refuses a wrong current password, an unchanged one and a simple one, and changes nothing', async () => {
    const { email, token } = await registered()
    const change = (body: object) => bearer(token).authChangePassword!({ body })
    expect(outcome(await change({ currentPassword: 'Wrong horse 7!', newPassword }))).toBe('400 PASSWORD_WRONG')
    expect(outcome(await change({ currentPassword: password, newPassword: password }))).toBe('400 UNCHANGED')
    expect(outcome(await change({ currentPassword: password, newPassword: 'aaaaaaaaaaaa' }))).toBe('400 TOO_SIMPLE')
    expect(await signsIn(email, password)).toBe(200)
  })

  it('answers 429 to the 11th wrong guess', async () => {
    const { token } = await registered()
    const guess = () => bearer(token).authChangePassword!({ body: { currentPassword: 'Wrong horse 7!', newPassword } })
    for (let count = 0; count < 10; count++) expect(outcome(await guess())).toBe('400 PASSWORD_WRONG')
    expect(outcome(await guess())).toBe('429 SIGN_IN_THROTTLED')
  })
})

describe('authUpdateProfile', () => {
  it('changes the named fields, builds the name from its parts, and emits the event', async () => {
    const { token, userId } = await registered({ firstName: 'Ann', lastName: 'Lee' })
    const update = (body: object) => bearer(token).authUpdateProfile!({ body })
    const { body } = await update({ lastName: 'Kay', timezone: 'Europe/Berlin', locale: 'de-ch' })
    expect(body).toMatchObject({ name: 'Ann Kay', firstName: 'Ann', timezone: 'Europe/Berlin', locale: 'de-CH' })
    expect((await update({ name: 'Annie', firstName: null })).body).toMatchObject({ name: 'Annie', firstName: null })
    await update({ name: 'Annie' })
    expect(await platform.eventTypesOf(userId)).toEqual(['user.created', 'user.updated', 'user.updated'])
  })

  it('sets and removes the picture that the other members see', async () => {
    const { token } = await registered()
    const listed = async () => (await bearer(token).userLookup!()).body.data[0].avatar
    const picture = 'https://pictures.example.com/ann%20lee.png'
    const { body } = await bearer(token).authUpdateProfile!({
      body: { avatar: 'HTTPS://pictures.example.com/ann lee.png' },
    })
    expect([body.avatar, await listed()]).toEqual([picture, picture])
    for (const avatar of [
      'http://pictures.example.com/a.png',
      'javascript:alert(1)',
      'https://x.example/'.padEnd(501, 'a'),
    ])
      expect(outcome(await bearer(token).authUpdateProfile!({ body: { avatar } }))).toMatch(
        /^400 (NOT_A_URL|TOO_LONG)$/,
      )
    expect(await listed()).toBe(picture)
    await bearer(token).authUpdateProfile!({ body: { avatar: null } })
    expect([(await bearer(token).me!()).body.avatar, await listed()]).toEqual([null, null])
  })

  it.each([
    [{ timezone: 'Mars/Olympus' }, '400 NOT_A_TIMEZONE'],
    [{ locale: 'not a locale' }, '400 NOT_A_LOCALE'],
    [{ name: ' ' }, '400 TOO_SHORT'],
    [{ role: 'OWNER' }, '400 UNKNOWN_FIELD'],
  ])('refuses %j with %s', async (body, answer) => {
    const { token } = await registered()
    expect(outcome(await bearer(token).authUpdateProfile!({ body }))).toBe(answer)
  })
})

describe('authLogoutAll and authSessionCount', () => {
  it('can be combined with root fields of one organization', async () => {
    const { email, token } = await registered()
    const query = '{ me { email } authSessionCount { count } organization { name } ... { me { role } } }'
    const answer = await fetch(`${platform.url}/v1/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    })
    expect(await answer.text()).toBe(
      `{"data":{"me":{"email":"${email}","role":"OWNER"},"authSessionCount":{"count":1},"organization":{"name":"Acme"}}}`,
    )
  })

  it('end and count the sessions of the person in every organization', async () => {
    const { email, token } = await registered()
    const second = await anonymous().authRegister!({ body: { email, password, company: 'Second' } })
    expect((await bearer(token).authSessionCount!()).body).toEqual({ count: 2 })
    const answer = await bearer(token).authLogoutAll!()
    expect(answer.body).toEqual({ sessions: 2, endedAt: platform.now.toISOString() })
    expect(answer.headers.getSetCookie()).toHaveLength(3)
    platform.advanceClock(1000)
    for (const session of [token, second.body.accessToken as string]) {
      expect(outcome(await bearer(session).authSessionCount!())).toBe('401 UNAUTHENTICATED')
    }
  })
})

describe('authAcceptPartnerInvite', () => {
  async function invited(role?: string) {
    const owner = await registered()
    const email = anEmail()
    const answer = await asked(owner.token, { email, ...(role && { role }) })
    return { owner, email, answer, token: (await mailsTo(platform, email)).at(-1)?.secret ?? '' }
  }

  const asked = async (token: string, input: object, preference: Record<string, string> = {}) => {
    const query =
      'mutation($input: PartnerInviteInput!) { partnerInvite(input: $input) { email role visibility expiresAt } }'
    const response = await fetch(`${platform.url}/v1/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...from(), ...preference },
      body: JSON.stringify({ query, variables: { input } }),
    })
    return (await response.json()) as {
      data: { partnerInvite: object }
      errors?: { extensions: { code: string } }[]
      extensions?: { dryRun: object }
    }
  }
  const accept = (token: string, more: object = {}) =>
    anonymous().authAcceptPartnerInvite!({ body: { token, password, firstName: 'Pat', lastName: 'Ng', ...more } })

  it('joins with the role of the invitation, once, and signs in', async () => {
    const { email, answer, token, owner } = await invited('MANAGER')
    const expiresAt = new Date(platform.now.getTime() + 7 * 24 * 60 * minute).toISOString()
    expect(answer.data.partnerInvite).toEqual({ email, role: 'MANAGER', visibility: 'OWN', expiresAt })
    const joined = await accept(token)
    const { organizationId } = (await bearer(owner.token).me!()).body as { organizationId: string }
    expect(joined.body.user).toMatchObject({
      email,
      name: 'Pat Ng',
      role: 'MANAGER',
      emailVerified: true,
      organizationId,
    })
    expect(outcome(await accept(token))).toBe('400 TOKEN_INVALID')
  })

  it('is invited in a dry run without a mail, and changes nothing', async () => {
    const { token } = await registered()
    const email = anEmail()
    const users = async () => (await bearer(token).userList!()).body as unknown
    const before = await users()
    const { data, extensions } = await asked(token, { email }, { Prefer: 'dry-run' })
    expect(data.partnerInvite).toMatchObject({ email, role: 'MEMBER', visibility: 'OWN' })
    expect(extensions!.dryRun).toMatchObject({ notExecuted: [{ kind: 'MAIL' }] })
    expect([await users(), await mailsTo(platform, email)]).toEqual([before, []])
    const wrong = await asked(token, { email: 'no address' }, { Prefer: 'dry-run' })
    expect(wrong.errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED')
  })

  it('requires the password of an existing account', async () => {
    const known = await registered()
    const owner = await registered()
    await asked(owner.token, { email: known.email })
    const { secret } = await lastMail(known.email)
    expect(outcome(await accept(secret, { password: newPassword }))).toBe('409 NOT_UNIQUE')
    expect((await accept(secret)).status).toBe(200)
  })

  it('is invalid when its sender is no longer an administrator, and after 7 days', async () => {
    const { owner, token } = await invited()
    await platform.query(`update identity.app_user set role = 'MEMBER' where id = $1`, [owner.userId])
    expect(outcome(await accept(token))).toBe('400 TOKEN_INVALID')
    const other = await invited()
    platform.advanceClock(7 * 24 * 60 * minute)
    expect(outcome(await accept(other.token))).toBe('400 TOKEN_INVALID')
  })

  it('is sent by owners and admins only', async () => {
    const { token } = await invited()
    const member = (await accept(token)).body.accessToken as string
    const { errors } = await asked(member, { email: anEmail(), role: 'MEMBER' })
    expect(errors?.[0]?.extensions.code).toBe('PERMISSION_DENIED')
  })
})

describe('the other operations', () => {
  const sessionOnly = [
    'authChangePassword',
    'authUpdateProfile',
    'authLogoutAll',
    'authSessionCount',
    'authMeetingCallback',
  ]
  const open = [
    'authVerifyEmail',
    'authMagicLinkSend',
    'authMagicLink',
    'authForgotPassword',
    'authVerifyResetCode',
    'authResetPassword',
    'authAcceptPartnerInvite',
    'authCsrfToken',
    'authOauthStatus',
  ]
  it.each([...sessionOnly, ...open])('%s is refused to a key with 403', async (operation) => {
    const { rest } = await platform.member({ role: 'OWNER' })
    expect(outcome(await rest[operation]!())).toBe('403 API_KEY_SCOPE_BLOCKED')
  })

  it.each(sessionOnly)('%s needs a session', async (operation) => {
    expect(outcome(await anonymous()[operation]!())).toBe('401 UNAUTHENTICATED')
  })

  it.each([
    '{ authSessionCount { count } }',
    '{ authCsrfToken { csrfToken } }',
    '{ authOauthStatus { meetingProviders { name } } }',
    'mutation { authLogoutAll { sessions } }',
    'mutation { authMagicLink(token: "x") { accessToken } }',
    'mutation { authForgotPassword(input: {email: "a@b.example"}) { accepted } }',
    'mutation { partnerInvite(input: {email: "a@b.example"}) { email } }',
    'mutation { meetingConnect(provider: "zoom") { authorizationUrl } }',
  ])('GraphQL refuses a key %s', async (document) => {
    const { graphql } = await platform.member({ role: 'OWNER' })
    const { status, body } = await graphql(document)
    expect([status, body.errors[0].extensions.code]).toEqual([403, 'API_KEY_SCOPE_BLOCKED'])
  })

  it('publishes the keys of access tokens', async () => {
    const response = await fetch(`${platform.url}/.well-known/jwks.json`)
    const { keys } = (await response.json()) as { keys: object[] }
    expect(keys).toMatchObject([{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' }])
    expect(Object.keys(keys[0]!)).not.toContain('d')
  })
})
