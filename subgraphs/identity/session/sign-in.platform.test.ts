import { createPublicKey } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decodeProtectedHeader } from 'jose'
import { newId } from '../../kernel/ids.ts'
import { publicJwks, verifySessionToken } from '../../kernel/credentials/public.ts'
import { anonymous, claimsOf, goodPassword, useIdentity } from '../identity.fixture.ts'
import { isKnownDevice } from './device-token.ts'
import { fingerprintOf } from '../../../test/requests/fingerprint.ts'
import { deactivateUser, removeUser, suspendOrganization } from '../public.ts'

const world = useIdentity()
const answer =
  'accessToken tokenType expiresIn refreshToken user { id email name role visibility } organization { id name code status }'
const registering = `mutation($input: RegisterInput!) { authRegister(input: $input) { ${answer} } }`
const signingIn = `mutation($input: LoginInput!) { authLogin(input: $input) { ${answer} } }`
const signingInOnDevice = 'mutation($input: LoginInput!) { authLogin(input: $input) { deviceToken } }'
const anEmail = () => `person-${newId()}@example.com`

const register = (input: object, from = `198.51.100.${Math.floor(Math.random() * 250)}`) =>
  world.run(registering, { input: { password: goodPassword, ...input } }, { ...anonymous, ip: from })
const login = (input: object, ip = anonymous.ip) =>
  world.run(signingIn, { input: { password: goodPassword, ...input } }, { ...anonymous, ip })

describe('authRegister', () => {
  it('creates an organization with the new user as owner, and signs in', async () => {
    const email = anEmail()
    const { data, codes } = await register({
      email: ` ${email.toUpperCase()} `,
      firstName: 'Ann',
      lastName: 'Lee',
      company: 'Acme',
    })
    expect(codes).toEqual([])
    expect(data.authRegister).toMatchObject({
      tokenType: 'Bearer',
      expiresIn: 900,
      user: { email, name: 'Ann Lee', role: 'OWNER', visibility: 'ALL' },
      organization: {
        name: 'Acme',
        status: 'ACTIVE',
        code: expect.stringMatching(/^[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}$/) as string,
      },
    })
    const { user, organization, accessToken } = data.authRegister!
    expect(await world.eventsOf(organization!.id!)).toEqual(['organization.created'])
    expect(await world.eventsOf(user!.id!)).toEqual(['user.created'])
    const { sid } = claimsOf(accessToken!)
    expect(await world.eventsOf(String(sid))).toEqual(['session.started'])
  })

  it('joins the organization of a code as a member, who cannot read the code', async () => {
    const owner = await register({ email: anEmail(), name: 'Olga', company: 'Acme' })
    const { id, code } = owner.data.authRegister!.organization!
    const { data } = await register({ email: anEmail(), name: 'Max', organizationCode: String(code).toLowerCase() })
    expect(data.authRegister).toMatchObject({
      user: { name: 'Max', role: 'MEMBER', visibility: 'OWN' },
      organization: { id, code: null },
    })
  })

  it.each([
    ['CODE', 'New organizations cannot be registered here: send organizationCode to join an existing one.'],
    ['OFF', 'Registration is off: ask an administrator of your organization for an invitation.'],
  ] as const)('with REGISTRATION %s refuses new organizations and writes nothing', async (registration, message) => {
    const owner = await register({ email: anEmail(), name: 'Olga', company: 'Acme' })
    const organizationCode = owner.data.authRegister!.organization!.code
    const { settings } = world.services
    const before = await fingerprintOf(world.query)
    settings.registration = registration
    onTestFinished(() => void (settings.registration = 'OPEN'))
    const refused = await register({ email: anEmail(), name: 'Max', company: 'Mine' })
    expect([refused.codes, refused.errors[0]!.message]).toEqual([['PERMISSION_DENIED'], message])
    expect(await fingerprintOf(world.query)).toBe(before)
    const joining = await register({ email: anEmail(), name: 'Max', organizationCode })
    expect(joining.codes).toEqual(registration === 'CODE' ? [] : ['PERMISSION_DENIED'])
  })

  it('refuses an unknown code and writes nothing', async () => {
    const email = anEmail()
    const { codes, errors } = await register({ email, organizationCode: 'AAAA-BBBB-CCCC' })
    expect(codes).toEqual(['VALIDATION_FAILED'])
    expect(errors[0]?.extensions?.errors).toMatchObject([{ path: 'organizationCode', code: 'UNKNOWN_REFERENCE' }])
    expect(await world.query('select 1 from identity.person where email = $1', [email])).toEqual([])
  })

  it('adds another organization to an existing account with the right password, and refuses a wrong one', async () => {
    const email = anEmail()
    await register({ email, company: 'First' })
    const second = await register({ email, company: 'Second' })
    expect(second.data.authRegister).toMatchObject({ organization: { name: 'Second' } })
    const wrong = await register({ email, company: 'Third', password: `${goodPassword}x` })
    expect(wrong.codes).toEqual(['UNIQUE_VIOLATION'])
    expect(await world.query('select 1 from identity.organization where name = $1', ['Third'])).toEqual([])
  })

  it('names every invalid input', async () => {
    const { errors } = await register({ email: 'nobody', password: 'short', origin: 'https://a.example/path' })
    expect(errors[0]?.extensions?.errors).toMatchObject([
      { path: 'email', code: 'NOT_AN_EMAIL' },
      { path: 'password', code: 'TOO_SHORT' },
      { path: 'origin', code: 'NOT_AN_ORIGIN' },
    ])
  })

  it('refuses the 101st registration from one address within an hour', async () => {
    const codes: string[] = []
    for (let attempt = 0; attempt < 101; attempt++) {
      const answered = await register({ email: anEmail(), organizationCode: 'AAAA-BBBB-CCCC' }, '192.0.2.99')
      codes.push(answered.codes[0]!)
    }
    expect(codes).toEqual([...Array<string>(100).fill('VALIDATION_FAILED'), 'SIGN_IN_THROTTLED'])
  })
})

describe('authLogin', () => {
  it('returns a token with user, organization and session, signed by the published key', async () => {
    const organization = await world.anOrganization()
    const user = await world.aUser(organization.id, { password: goodPassword })
    const { data } = await login({ email: user.email.toUpperCase() })
    const token = data.authLogin!.accessToken!
    const seconds = world.now.getTime() / 1000
    const { sid, ...claims } = claimsOf(token)
    expect(claims).toEqual({
      iss: 'crm-platform-api',
      sub: user.id,
      org: organization.id,
      iat: seconds,
      exp: seconds + 900,
    })
    const { keys } = publicJwks(world.services.keys)
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'session+jwt', kid: keys[0]!.kid })
    const verified = await verifySessionToken(
      token,
      createPublicKey({ key: keys[0] as never, format: 'jwk' }),
      world.now,
    )
    expect(verified).toMatchObject({ sessionId: sid, userId: user.id })
  })

  it('signs in to the requested organization, otherwise to the one of the latest sign-in', async () => {
    const email = anEmail()
    const first = await world.anOrganization()
    const second = await world.anOrganization()
    await world.aUser(first.id, { email, password: goodPassword })
    await world.aUser(second.id, { email })
    const organizationOf = async (input: object) => (await login({ email, ...input })).data.authLogin!.organization!
    expect(await organizationOf({})).toMatchObject({ id: first.id })
    world.advanceClock(1000)
    expect(await organizationOf({ organizationId: second.id })).toMatchObject({ id: second.id })
    world.advanceClock(1000)
    expect(await organizationOf({})).toMatchObject({ id: second.id })
  })

  it('answers the same for an unknown email, a wrong password and a user without a password', async () => {
    const organization = await world.anOrganization()
    const known = await world.aUser(organization.id, { password: goodPassword })
    const without = await world.aUser(organization.id)
    const removed = await world.aUser(organization.id, { password: goodPassword })
    await removeUser(world.services, organization.id, removed.id)
    const deactivated = await world.aUser(organization.id, { password: goodPassword })
    await deactivateUser(world.services, organization.id, deactivated.id)
    const attempts = [
      { email: anEmail() },
      { email: known.email, password: 'Wrong password 7!' },
      { email: without.email },
      { email: removed.email },
      { email: deactivated.email },
      { email: known.email, organizationId: newId() },
      { email: known.email, organizationId: 'none' },
    ]
    const answers = []
    for (const attempt of attempts)
      answers.push((await login(attempt)).errors.map(({ message, extensions }) => ({ message, extensions })))
    const same = [{ message: 'The email or the password is wrong.', extensions: { code: 'UNAUTHENTICATED' } }]
    expect(answers).toEqual(attempts.map(() => same))
  })

  it('answers that the organization is suspended only with the right password', async () => {
    const organization = await world.anOrganization()
    const user = await world.aUser(organization.id, { password: goodPassword })
    await suspendOrganization(world.services, organization.id)
    expect((await login({ email: user.email })).codes).toEqual(['ORGANIZATION_SUSPENDED'])
    expect((await login({ email: user.email, password: 'Wrong password 7!' })).codes).toEqual(['UNAUTHENTICATED'])
  })

  const wrongPassword = 'Wrong password 7!'
  const throttled = (retryAfter: number) => ({ code: 'SIGN_IN_THROTTLED', retryAfter })
  let networks = 0
  /** An IP address without any failures. */
  const elsewhere = () => `2001:db8:1:${(++networks).toString(16)}::1`
  const targets = ['an account', 'an email address without an account'] as const
  const emailOf = async (which: (typeof targets)[number]) => {
    const organization = await world.anOrganization()
    return which === 'an account' ? (await world.aUser(organization.id, { password: goodPassword })).email : anEmail()
  }

  it.each(targets)(
    'refuses %s after 10 failures from one address for 15 minutes, to that address alone',
    async (which) => {
      const email = await emailOf(which)
      const [stranger, owner] = [elsewhere(), elsewhere()]
      const answers: unknown[] = []
      for (let attempt = 0; attempt < 12; attempt++) {
        answers.push(...(await login({ email, password: wrongPassword }, stranger)).codes)
      }
      expect(answers).toEqual([...Array<string>(10).fill('UNAUTHENTICATED'), 'SIGN_IN_THROTTLED', 'SIGN_IN_THROTTLED'])
      expect((await login({ email }, stranger)).errors[0]?.extensions).toEqual(throttled(900))
      const right = which === 'an account' ? [] : ['UNAUTHENTICATED']
      expect((await login({ email }, owner)).codes).toEqual(right)
      world.advanceClock(15 * 60_000)
      expect((await login({ email }, stranger)).codes).toEqual(right)
    },
  )

  it.each(targets)('stops guesses at %s from many addresses after 100 in an hour', async (which) => {
    const email = await emailOf(which)
    const codes: string[] = []
    for (let attempt = 0; attempt < 102; attempt++) {
      codes.push(...(await login({ email, password: wrongPassword }, elsewhere())).codes)
    }
    expect(codes).toEqual([...Array<string>(100).fill('UNAUTHENTICATED'), 'SIGN_IN_THROTTLED', 'SIGN_IN_THROTTLED'])
    expect((await login({ email }, elsewhere())).errors[0]?.extensions).toEqual(throttled(3600))
    world.advanceClock(60 * 60_000)
    expect((await login({ email }, elsewhere())).codes).toEqual(which === 'an account' ? [] : ['UNAUTHENTICATED'])
  })

  it('lets the owner sign in on a known device, and with mailed links and codes, despite attempts of strangers', async () => {
    const email = await emailOf('an account')
    const other = await emailOf('an account')
    const tokenOf = async (address: string) =>
      (await world.run(signingInOnDevice, { input: { email: address, password: goodPassword } })).data.authLogin!
        .deviceToken!
    const [deviceToken, otherToken] = [await tokenOf(email), await tokenOf(other)]
    for (let attempt = 0; attempt < 100; attempt++) await login({ email, password: wrongPassword }, elsewhere())
    const forged = [otherToken, `${deviceToken}x`, `9${deviceToken}`, deviceToken.replace(/.$/, ''), '', null]
    for (const token of forged) {
      const { codes } = await login({ email, deviceToken: token }, elsewhere())
      expect([token, codes]).toEqual([token, ['SIGN_IN_THROTTLED']])
    }
    expect((await login({ email: email.toUpperCase(), deviceToken }, elsewhere())).codes).toEqual([])
    const { codes } = await world.run(
      'mutation($input: ResetCodeInput!) { authVerifyResetCode(input: $input) { valid } }',
      {
        input: { email, code: '12345678' },
      },
    )
    expect(codes).toEqual(['VALIDATION_FAILED'])

    // After ten failures a known device counts as an unknown device.
    const guesses: string[] = []
    for (let attempt = 0; attempt < 11; attempt++) {
      guesses.push(...(await login({ email, password: wrongPassword, deviceToken }, elsewhere())).codes)
    }
    expect(guesses).toEqual([...Array<string>(10).fill('UNAUTHENTICATED'), 'SIGN_IN_THROTTLED'])
    expect((await login({ email, deviceToken }, elsewhere())).codes).toEqual(['SIGN_IN_THROTTLED'])
    world.advanceClock(15 * 60_000)
    expect((await login({ email, deviceToken }, elsewhere())).codes).toEqual([])
  })

  it('recognizes a device for 180 days', async () => {
    const email = await emailOf('an account')
    const { data } = await world.run(signingInOnDevice, { input: { email, password: goodPassword } })
    const { deviceToken } = data.authLogin!
    const { services } = world
    expect(isKnownDevice(services, email, deviceToken)).toBe(true)
    world.advanceClock(180 * 86_400_000 - 1000)
    expect(isKnownDevice(services, email, deviceToken)).toBe(true)
    world.advanceClock(1000)
    expect(isKnownDevice(services, email, deviceToken)).toBe(false)
  })

  it('allows no more guesses when they are concurrent', async () => {
    const email = anEmail()
    const from = elsewhere()
    const answers = await Promise.all(Array.from({ length: 30 }, () => login({ email }, from)))
    const codes = answers.flatMap(({ codes }) => codes)
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(10)
    expect(codes.filter((code) => code === 'SIGN_IN_THROTTLED')).toHaveLength(20)
  })

  it('refuses an address after 50 failures for any accounts; an IPv6 /64 network is one address', async () => {
    const codes: string[] = []
    for (let attempt = 0; attempt < 51; attempt++) {
      codes.push(...(await login({ email: anEmail() }, `2001:db8:abcd:1::${attempt + 1}`)).codes)
    }
    expect(codes).toEqual([...Array<string>(50).fill('UNAUTHENTICATED'), 'SIGN_IN_THROTTLED'])
  })

  it('stores no answer for the Idempotency-Key of an anonymous caller', async () => {
    const organization = await world.anOrganization()
    const user = await world.aUser(organization.id, { password: goodPassword })
    const input = { email: user.email, password: goodPassword }
    const first = await world.run(signingIn, { input }, anonymous, 'key-1')
    const second = await world.run(signingIn, { input }, anonymous, 'key-1')
    expect(first.data.authLogin!.refreshToken).not.toBe(second.data.authLogin!.refreshToken)
  })

  it('stores neither password nor tokens in plain text', async () => {
    const organization = await world.anOrganization()
    const user = await world.aUser(organization.id, { password: goodPassword })
    const { data } = await login({ email: user.email })
    const { refreshToken, accessToken } = data.authLogin!
    const tables = ['identity.person', 'identity.session', 'identity.refresh_token', 'kernel.event']
    for (const table of tables) {
      const rows = await world.query(`select to_jsonb(t)::text as text from ${table} t`)
      const text = JSON.stringify(rows)
      for (const secret of [goodPassword, refreshToken!, accessToken!]) expect(text).not.toContain(secret)
    }
  })
})
