import * as oauth from 'openid-client'
import { deactivateUser, suspendOrganization } from '../../subgraphs/identity/public.ts'
import { appScopes } from '../../subgraphs/kernel/scope-areas.ts'
import { anApp, aPerson, discovered, tokensOf } from '../oauth/oauth.fixture.ts'
import type { Platform } from '../platform.ts'

type Headers = Readonly<Record<string, string>>

export type RefusedToken = 'revoked' | 'expired' | 'suspended' | 'deactivated' | 'quotaExceeded'

/** Access tokens of apps that act in one organization. */
export interface Tokens {
  /** Token of an owner who consented to every scope. */
  readonly whole: Headers
  /** Token of a READ_ONLY user who consented to every scope. */
  readonly reader: Headers
  /** Client-credentials token with only these scopes; it acts as the owner who registered the app. */
  tokenWithScopes(scopes: readonly string[]): Promise<Headers>
  readonly refused: Readonly<Record<RefusedToken, Headers>>
}

const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` })
const accessTokenMs = 3_600_000

/** Advances the platform's clock by one hour. */
export async function tokensIn(platform: Platform, organizationId: string): Promise<Tokens> {
  const { services } = platform
  const owner = await aPerson(platform, { role: 'OWNER', organizationId })
  const anyScope = { scopes: [...appScopes], rateLimit: { limit: 1_000_000, window: 'HOUR' } }
  const config = await discovered(platform.url, await anApp(owner, anyScope))
  const appWithLimit = await anApp(owner, { ...anyScope, rateLimit: { limit: 1, window: 'DAY' } })
  const tokenOf = async (person: typeof owner): Promise<string> =>
    (await tokensOf(platform, config, person, appScopes.join(' '))).access_token
  const granted = async (scopes: readonly string[], by = config): Promise<Headers> =>
    bearer((await oauth.clientCredentialsGrant(by, { scope: scopes.join(' ') })).access_token)

  const expired = bearer(await tokenOf(owner))
  platform.advanceClock(accessTokenMs)
  const revoked = await tokenOf(owner)
  await oauth.tokenRevocation(config, revoked)
  const stranger = await aPerson(platform, { organizationId: await platform.organization('Asleep') })
  const suspended = bearer(await tokenOf(stranger))
  await suspendOrganization(services, stranger.organizationId)
  const leaver = await aPerson(platform, { organizationId })
  const deactivated = bearer(await tokenOf(leaver))
  await deactivateUser(services, organizationId, leaver.userId)
  const quotaExceeded = await granted(appScopes, await discovered(platform.url, appWithLimit))
  await fetch(`${platform.url}/v1/accounts`, { headers: quotaExceeded })

  const known = new Map<string, Promise<Headers>>()
  return {
    whole: bearer(await tokenOf(owner)),
    reader: bearer(await tokenOf(await aPerson(platform, { role: 'READ_ONLY', organizationId }))),
    tokenWithScopes(scopes) {
      const name = scopes.join()
      let token = known.get(name)
      if (!token) known.set(name, (token = granted(scopes)))
      return token
    },
    refused: { revoked: bearer(revoked), expired, suspended, deactivated, quotaExceeded },
  }
}
