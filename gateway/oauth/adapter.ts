import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'
import type { Adapter, AdapterPayload, errors as Errors } from 'oidc-provider'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isId } from '../../subgraphs/kernel/ids.ts'
import type { Client, OAuthPort } from '../../subgraphs/kernel/credentials/public.ts'
import { accountId, parseAccountId } from './account.ts'

const tokenKinds: ReadonlySet<string> = new Set([
  'AccessToken',
  'AuthorizationCode',
  'ClientCredentials',
  'RefreshToken',
])

/** Members of a browser session that store the sign-in. They are not saved, because every authorization needs a new sign-in. */
const signInMembers: ReadonlySet<string> = new Set([
  'accountId',
  'loginTs',
  'amr',
  'acr',
  'authorizations',
  'transient',
])

const sha256 = (text: string): string => hash('sha256', text, 'hex')
const wordsOf = (text: string | undefined): string[] => text?.split(' ').filter(Boolean) ?? []
const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000)

const without = (payload: object, names: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => !names.has(name)))

const secretMembers: ReadonlySet<string> = new Set(['jti'])

/** The user who registers the client that is being saved. */
export const registrant = new AsyncLocalStorage<Caller>()

/** The client metadata of the authorization server. `client_secret` has the hash of the secret. */
export function metadataOf({ id, name, type, redirectUris, scopes, secretHash }: Client): AdapterPayload {
  const withUsers = redirectUris.length > 0
  return {
    client_id: id,
    client_name: name,
    application_type: type === 'PUBLIC' ? 'native' : 'web',
    token_endpoint_auth_method: type === 'PUBLIC' ? 'none' : 'client_secret_basic',
    redirect_uris: [...redirectUris],
    response_types: withUsers ? ['code'] : [],
    grant_types: [
      ...(withUsers ? ['authorization_code', 'refresh_token'] : []),
      ...(type === 'CONFIDENTIAL' ? ['client_credentials'] : []),
    ],
    scope: scopes.join(' '),
    ...(secretHash !== null && { client_secret: secretHash }),
  }
}

const unused = (): never => {
  throw new Error('this grant type is not supported')
}

type Parts = Pick<Adapter, 'upsert' | 'find'> & Partial<Adapter>

const adapter = (parts: Parts): Adapter => ({
  findByUid: async () => undefined,
  findByUserCode: unused,
  consume: unused,
  destroy: unused,
  revokeByGrantId: async () => undefined,
  ...parts,
})

function clients(port: OAuthPort, errors: typeof Errors): Adapter {
  return adapter({
    async find(id) {
      const client = isId(id) ? await port.findClient(id) : null
      return client ? metadataOf(client) : undefined
    },
    async upsert(id, metadata) {
      const caller = registrant.getStore()
      if (!caller) throw new Error('a client was registered without a user')
      try {
        await port.register(caller, {
          id,
          secret: metadata.client_secret,
          name: metadata.client_name ?? 'Registered app',
          type: metadata.token_endpoint_auth_method === 'none' ? 'PUBLIC' : 'CONFIDENTIAL',
          redirectUris: metadata.redirect_uris ?? [],
          scopes: wordsOf(metadata.scope),
          homepageUrl: metadata.client_uri ?? null,
        })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        if (error.code !== 'PERMISSION_DENIED') throw new errors.InvalidClientMetadata(error.message)
        const denied = new errors.OIDCProviderError(error.status, 'access_denied')
        denied.error_description = error.message
        throw denied
      }
    },
  })
}

function grants(port: OAuthPort): Adapter {
  return adapter({
    // The consent page saves consents, because they have data that oidc-provider does not know.
    upsert: unused,
    async find(id) {
      const grant = isId(id) ? await port.findGrant(id) : null
      return grant
        ? {
            jti: grant.id,
            kind: 'Grant',
            accountId: accountId(grant),
            clientId: grant.appId,
            openid: { scope: grant.scopes.join(' ') },
            exp: secondsOf(grant.expiresAt),
          }
        : undefined
    },
    destroy: (id) => port.removeGrant(id),
  })
}

function tokens(kind: string, port: OAuthPort, errors: typeof Errors): Adapter {
  return adapter({
    async upsert(id, payload, lifeSeconds = 0) {
      const account = parseAccountId(payload.accountId)
      await port.saveToken({
        kind,
        hash: sha256(id),
        appId: payload.clientId!,
        organizationId: account?.organizationId ?? null,
        userId: account?.userId ?? null,
        grantId: payload.grantId ?? null,
        scopes: wordsOf(payload.scope),
        payload: without(payload, secretMembers),
        lifeSeconds,
      })
    },
    async find(id) {
      const payload = await port.findToken(kind, sha256(id))
      return payload ? { ...payload, jti: id } : undefined
    },
    /** Of concurrent uses, one is the first. All others count as use of a stolen token, so they revoke the consent. */
    async consume(id) {
      if (await port.consumeToken(kind, sha256(id))) return
      const grantId = await port.grantOfToken(kind, sha256(id))
      if (grantId) await port.removeGrant(grantId)
      throw new errors.InvalidGrant('the code or refresh token was used before')
    },
    destroy: (id) => port.removeToken(kind, sha256(id)),
    revokeByGrantId: (grantId) => port.removeGrant(grantId),
  })
}

function visits(kind: string, port: OAuthPort): Adapter {
  return adapter({
    upsert: (id, payload, lifeSeconds = 0) =>
      port.saveVisit({
        kind,
        hash: sha256(id),
        payload: kind === 'Session' ? without(payload, signInMembers) : { ...payload },
        lifeSeconds,
      }),
    async find(id) {
      return (await port.findVisit(kind, sha256(id))) ?? undefined
    },
    destroy: (id) => port.removeVisit(kind, sha256(id)),
  })
}

/** The storage of the authorization server. It passes on hashes of tokens and ids, and never their plain values. */
export const adapterOf =
  (port: OAuthPort, errors: typeof Errors) =>
  (kind: string): Adapter => {
    if (kind === 'Client') return clients(port, errors)
    if (kind === 'Grant') return grants(port)
    return tokenKinds.has(kind) ? tokens(kind, port, errors) : visits(kind, port)
  }
