import * as oauth from 'openid-client'
import { expect, it } from 'vitest'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { mailsTo } from '../mailbox.ts'
import {
  allowed,
  anApp,
  aPerson,
  discovered,
  password,
  refusalOf,
  started,
  tokensOf,
  type Person,
} from '../oauth/oauth.fixture.ts'
import { usePlatform } from '../platform.ts'
import { newSession } from '../requests/session.ts'
import { restClient, type Answer, type RestClient } from '../rest-client.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Uses the credential and returns `OK` or the code of the refusal. */
type UseCredential = () => Promise<string>

interface Credential {
  readonly lifeMs: number
  /** Creates a new credential. */
  make(): Promise<UseCredential>
  readonly over: string
}

let addresses = 0
const client = (credential: Readonly<Record<string, string>> = {}): RestClient =>
  restClient(platform.contract, platform.url, { ...credential, 'x-forwarded-for': `10.2.0.${++addresses}` })
const outcome = ({ status, body }: Answer): string =>
  status < 300 ? 'OK' : `${status} ${body.errors?.[0]?.code ?? body.code}`
const listing = async (credential: Readonly<Record<string, string>>): Promise<string> =>
  outcome(await client(credential).accountList!())
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const mailedTo = async (email: string): Promise<string> => (await mailsTo(platform, email)).at(-1)!.secret
const newPassword = 'Better horse 8!'

async function aKey(expiresAt: string | null = null) {
  const person = await aPerson(platform)
  const wanted = { ownerId: person.userId, name: 'Sync', scopes: ['READ_ACCOUNTS'], expiresAt }
  return { person, key: await createApiKey(platform.services, person.organizationId, wanted) }
}

async function aClient(): Promise<{ person: Person; config: oauth.Configuration }> {
  const person = await aPerson(platform)
  return { person, config: await discovered(platform.url, await anApp(person)) }
}

async function aResetCode(): Promise<{ email: string; code: string }> {
  const { email } = await aPerson(platform)
  await client().authForgotPassword!({ body: { email } })
  return { email, code: await mailedTo(email) }
}

const grants = async (grant: Promise<unknown>): Promise<string> => {
  const refusal = await refusalOf(grant)
  return refusal === 'allowed' ? 'OK' : refusal
}

const credentials: Readonly<Record<string, Credential>> = {
  'an API key': {
    lifeMs: 10 * second,
    async make() {
      const { key } = await aKey(new Date(platform.now.getTime() + 10 * second).toISOString())
      return () => listing({ 'X-API-Key': key.secret })
    },
    over: '401 API_KEY_EXPIRED',
  },
  'the previous secret of a rotated key': {
    lifeMs: hour,
    async make() {
      const { person, key } = await aKey()
      expect(outcome(await person.rest.apiKeyRotate!({ id: key.id, body: { overlapHours: 1 } }))).toBe('OK')
      return () => listing({ 'X-API-Key': key.secret })
    },
    over: '401 API_KEY_EXPIRED',
  },
  'a session token': {
    // The times of this credential are whole seconds.
    lifeMs: 15 * minute - 250,
    async make() {
      const { accessToken } = await newSession(platform, await aPerson(platform))
      return () => listing(bearer(accessToken))
    },
    over: '401 TOKEN_EXPIRED',
  },
  'a refresh token': {
    lifeMs: 30 * day,
    async make() {
      const { refreshToken } = await newSession(platform, await aPerson(platform))
      return async () => outcome(await client().authRefresh!({ body: { refreshToken } }))
    },
    over: '401 UNAUTHENTICATED',
  },
  'a link to verify an address': {
    lifeMs: day,
    async make() {
      const email = `u${newId()}@example.com`
      await client().authRegister!({ body: { email, password } })
      const token = await mailedTo(email)
      return async () => outcome(await client().authVerifyEmail!({ query: { token } }))
    },
    over: '400 TOKEN_INVALID',
  },
  'a sign-in link': {
    lifeMs: 15 * minute,
    async make() {
      const { email } = await aPerson(platform)
      await client().authMagicLinkSend!({ body: { email } })
      const token = await mailedTo(email)
      return async () => outcome(await client().authMagicLink!({ query: { token } }))
    },
    over: '400 TOKEN_INVALID',
  },
  'a code, checked': {
    lifeMs: 15 * minute,
    async make() {
      const body = await aResetCode()
      return async () => outcome(await client().authVerifyResetCode!({ body }))
    },
    over: '400 CODE_INVALID',
  },
  'a code, used': {
    lifeMs: 15 * minute,
    async make() {
      const body = { ...(await aResetCode()), newPassword }
      return async () => outcome(await client().authResetPassword!({ body }))
    },
    over: '400 CODE_INVALID',
  },
  'an invitation': {
    lifeMs: 7 * day,
    async make() {
      const owner = await aPerson(platform, { role: 'OWNER' })
      const email = `u${newId()}@example.com`
      expect(outcome(await owner.rest.userInvite!({ body: { email } }))).toBe('OK')
      const body = { token: await mailedTo(email), password, firstName: 'Ann', lastName: 'Lee' }
      return async () => outcome(await client().authAcceptPartnerInvite!({ body }))
    },
    over: '400 TOKEN_INVALID',
  },
  'a session of the consent page': {
    lifeMs: 15 * minute,
    async make() {
      const { person, config } = await aClient()
      const { browser, page } = await started(platform, config)
      return async () => {
        const { status } = await browser.submit(page, 'sign-in', { email: person.email, password })
        return status === 200 ? 'OK' : String(status)
      }
    },
    over: '400',
  },
  'an authorization code': {
    lifeMs: minute,
    async make() {
      const { person, config } = await aClient()
      const start = await started(platform, config)
      const end = await allowed(start, person)
      return () => grants(oauth.authorizationCodeGrant(config, end, start.checks))
    },
    over: '400 invalid_grant',
  },
  'an access token of an app': {
    lifeMs: hour,
    async make() {
      const { person, config } = await aClient()
      const { access_token } = await tokensOf(platform, config, person)
      return () => listing(bearer(access_token))
    },
    over: '401 TOKEN_EXPIRED',
  },
  'an access token for client credentials': {
    lifeMs: hour,
    async make() {
      const { config } = await aClient()
      const { access_token } = await oauth.clientCredentialsGrant(config, { scope: 'READ_ACCOUNTS' })
      return () => listing(bearer(access_token))
    },
    over: '401 TOKEN_EXPIRED',
  },
  'a refresh token of an app': {
    lifeMs: 30 * day,
    async make() {
      const { person, config } = await aClient()
      const { refresh_token } = await tokensOf(platform, config, person)
      return () => grants(oauth.refreshTokenGrant(config, refresh_token!))
    },
    over: '400 invalid_grant',
  },
}

it.each(Object.entries(credentials))(
  '%s is valid until the exact millisecond of its expiry',
  async (_, { lifeMs, make, over }) => {
    // Starts between two seconds, because some times are stored in whole seconds.
    platform.now = new Date(Math.ceil(platform.now.getTime() / second) * second + 250)
    const [valid, expired] = [await make(), await make()]
    platform.advanceClock(lifeMs - 1)
    expect(await valid()).toBe('OK')
    platform.advanceClock(1)
    expect(await expired()).toBe(over)
  },
)
