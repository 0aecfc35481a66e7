import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type * as Oidc from 'oidc-provider'
import type { Configuration, interactionPolicy, Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { parseAccountId } from './account.ts'
import { adapterOf } from './adapter.ts'
import { guardClients } from './client-guard.ts'
import { grantLifeSeconds } from './interaction.ts'
import { errorPage } from './page.ts'
import type { OAuthPort, Visitor } from '../../subgraphs/kernel/credentials/public.ts'
import { answerWithStoredClient } from './registration.ts'
import { allowOnlyQueryResponses } from './response-mode.ts'
import { keepVisitors } from './keep-visitors.ts'

export interface ProviderOptions {
  readonly issuer: string
  readonly port: OAuthPort
  readonly scopes: readonly string[]
  readonly registration: boolean
  /** Signs the cookies of an authorization in progress; must be the same in every process. */
  readonly secret: Buffer
  readonly log: Pick<Logger, 'error'>
  readonly visitorOf: (req: IncomingMessage) => Visitor
}

export const paths = {
  authorization: '/authorize',
  token: '/token',
  revocation: '/revoke',
  introspection: '/introspect',
  registration: '/register',
} as const

const accessTokenSeconds = 3600
const refreshTokenSeconds = 30 * 86_400
const visitSeconds = 15 * 60
const codeSeconds = 60

/** A user signs in and consents for each authorization: an earlier sign-in is not reused. */
function policyOf({ interactionPolicy: { Check, Prompt } }: typeof Oidc): interactionPolicy.Prompt[] {
  const unanswered = (name: 'login' | 'consent') =>
    new Prompt(
      { name, requestable: true },
      new Check(`no_${name}`, 'The user must sign in and consent.', `${name}_required`, ({ oidc }) =>
        // There is no account if the user was signed out between the consent and the redirect to the app.
        oidc.result?.[name] && oidc.account ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
      ),
    )
  return [unanswered('login'), unanswered('consent')]
}

function configurationOf(oidc: typeof Oidc, options: ProviderOptions): Configuration {
  const { port, scopes, secret, registration } = options
  const { privateKey } = generateKeyPairSync('ed25519')
  const off = { enabled: false }
  return {
    adapter: adapterOf(port, oidc.errors),
    scopes: [...scopes],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    // The package requires a key. It signs nothing, because there are no id tokens.
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' } as never] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    cookies: { keys: [createHmac('sha256', secret).update('oauth cookies').digest('base64url')] },
    routes: paths,
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    clockTolerance: 0,
    ttl: {
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
      RefreshToken: refreshTokenSeconds,
      AuthorizationCode: codeSeconds,
      Grant: grantLifeSeconds,
      Interaction: visitSeconds,
      Session: visitSeconds,
    },
    interactions: {
      policy: policyOf(oidc) as never,
      url: (_ctx, { uid }) => `${new URL(options.issuer).pathname}/interaction/${uid}`,
    },
    async findAccount(_ctx, sub) {
      const account = parseAccountId(sub)
      const isActive = account && (await port.mayAct(account.organizationId, account.userId))
      return isActive ? { accountId: sub, claims: () => ({ sub }) } : undefined
    },
    // Unknown scopes have been dropped; refuse a token without any scope, because it would hide this.
    extraTokenClaims(_ctx, { scopes: left }) {
      if (left.size === 0) throw new oidc.errors.InvalidScope('scope must name at least one scope of the app', '')
      return undefined
    },
    renderError(ctx, { error, error_description: description }) {
      ctx.type = 'html'
      ctx.body = errorPage(description ?? error)
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: off,
      dPoP: off,
      introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      pushedAuthorizationRequests: off,
      registration: registration
        ? {
            enabled: true,
            initialAccessToken: false,
            issueRegistrationAccessToken: false,
            idFactory: newId,
            secretFactory: () => `cs_${randomBytes(32).toString('base64url')}`,
          }
        : off,
      resourceIndicators: off,
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: off,
      userinfo: off,
    },
  }
}

/** Loads the package lazily, so that a gateway without OAuth requests does not load it. */
export async function openProvider(options: ProviderOptions): Promise<Provider> {
  const oidc = await import('oidc-provider')
  const provider = new oidc.Provider(options.issuer, configurationOf(oidc, options))
  provider.proxy = true
  provider.on('server_error', (_ctx, error) => options.log.error({ err: error }, 'the authorization server failed'))
  allowOnlyQueryResponses(oidc, provider)
  answerWithStoredClient(provider, options.port)
  keepVisitors(provider, options.port)
  guardClients(oidc, provider, { port: options.port, visitorOf: ({ req }) => options.visitorOf(req) })
  return provider
}
