import { notFound, invalid, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import {
  liesUnder,
  type AuthenticatedAnswer,
  type Authentication,
  type CredentialServices,
  type CredentialWanted,
  type KnownCredential,
  type NamedCredentials,
} from '../../kernel/outbound/named-credentials.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import type { OutboundRequest } from '../../kernel/outbound/outbound.ts'
import { apiNamePattern } from '../function/bounds.ts'
import type { NamedCredential } from './named-credential.ts'
import { secretPlace } from './secret.ts'
import { millisecondsUntil, tokenOf } from './token.ts'

type StoredCredential = Record<string, unknown> &
  Pick<
    NamedCredential,
    | 'id'
    | 'apiName'
    | 'baseUrl'
    | 'authType'
    | 'headerName'
    | 'username'
    | 'tokenUrl'
    | 'clientId'
    | 'scopes'
    | 'staticHeaders'
    | 'timeoutMs'
    | 'isActive'
    | 'sealedSecret'
  >

const columns = `id, api_name as "apiName", base_url as "baseUrl", auth_type as "authType", header_name as "headerName", username,
  token_url as "tokenUrl", client_id as "clientId", scopes, static_headers as "staticHeaders", timeout_ms as "timeoutMs",
  is_active as "isActive", sealed_secret as "sealedSecret"`

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** The named credentials of all organizations. Each use reads the credential, so a change applies to the next request. */
export class StoredCredentials implements NamedCredentials {
  constructor(private readonly services: CredentialServices) {}

  authenticate(wanted: CredentialWanted): Promise<Authentication | null> {
    return this.#authenticate(wanted, null, Infinity)
  }

  async send(wanted: Omit<CredentialWanted, 'url'>, request: OutboundRequest): Promise<AuthenticatedAnswer> {
    const whole = { ...wanted, url: request.url }
    // The time of the request is also that of the token that it needs.
    const endsAt = performance.now() + (request.timeoutMs ?? Infinity)
    const authentication = await this.#authenticate(whole, null, endsAt)
    if (!authentication)
      return { ...(await this.services.outbound.send(request)), url: request.url, authentication: null }
    const answer = await this.#sendWith(authentication, request, endsAt)
    const { token } = authentication.secrets
    if (answer.status !== 401 || token === undefined) return answer
    const renewed = await this.#authenticate(whole, token, endsAt)
    return renewed ? this.#sendWith(renewed, request, endsAt) : answer
  }

  async find(sql: Sql, organizationId: string, credentialId: string): Promise<KnownCredential | null> {
    if (!isId(credentialId)) return null
    const [row] = await sql.query<KnownCredential & Record<string, unknown>>(
      `select id, api_name as "apiName", base_url as "baseUrl", is_active as "isActive" from extensions.named_credential
       where organization_id = $1 and id = $2 and deleted_at is null for share`,
      [organizationId, credentialId],
    )
    return row ?? null
  }

  async #sendWith(
    authentication: Authentication,
    request: OutboundRequest,
    endsAt: number,
  ): Promise<AuthenticatedAnswer> {
    const { url, headers, timeoutMs } = authentication
    const answer = await this.services.outbound.send({
      ...request,
      url,
      headers: { ...lowerCased(request.headers ?? {}), ...headers },
      timeoutMs: Math.min(timeoutMs, millisecondsUntil(endsAt)),
    })
    return { ...answer, url, authentication }
  }

  async #authenticate(
    wanted: CredentialWanted,
    refused: string | null,
    endsAt: number,
  ): Promise<Authentication | null> {
    const found = await this.#covering(wanted)
    if (!found) return null
    const { credential, url } = found
    const { apiName, authType } = credential
    if (!credential.isActive)
      throw new Refusal('CREDENTIAL_INACTIVE', `The named credential ${apiName} is turned off.`, {
        credential: apiName,
      })
    if (authType !== 'NONE' && credential.sealedSecret === null)
      throw new Refusal('CREDENTIAL_SECRET_MISSING', `The named credential ${apiName} has no secret.`, {
        credential: apiName,
      })
    const added = await this.#added(wanted.organizationId, credential, refused, endsAt)
    return {
      credentialId: credential.id,
      url,
      headers: { ...lowerCased(credential.staticHeaders), ...added.headers },
      timeoutMs: credential.timeoutMs,
      secrets: added.secrets,
    }
  }

  /** The credential to use and where the request goes; null if none is named and none lies over the URL. */
  async #covering({ organizationId, credentialId, apiName, url: text, managedBy }: CredentialWanted) {
    const isNamed = credentialId != null || apiName != null
    // A name that none can have may be text that the database cannot hold.
    const mayExist = (credentialId == null || isId(credentialId)) && (apiName == null || apiNamePattern.test(apiName))
    if (!mayExist) throw notFound('The named credential')
    const rows = await this.services.database.query<StoredCredential>(
      `select ${columns} from extensions.named_credential where organization_id = $1 and deleted_at is null
         and ($2::uuid is null or id = $2) and ($3::text is null or api_name = $3) and ($4::text is null or managed_by = $4)`,
      [organizationId, credentialId ?? null, apiName ?? null, managedBy],
    )
    if (isNamed && rows.length === 0) throw notFound('The named credential')
    const whole = isNamed && text.startsWith('/') ? rows[0]!.baseUrl.replace(/\/+$/, '') + text : text
    const url = URL.parse(whole)
    const covering = url ? rows.filter(({ baseUrl }) => liesUnder(url, baseUrl)) : []
    const [credential] = covering.toSorted((a, b) => b.baseUrl.length - a.baseUrl.length)
    if (credential && url) {
      url.hash = ''
      return { credential, url: url.href }
    }
    if (!isNamed) return null
    const message = `url must lie under ${rows[0]!.baseUrl}, the base URL of the named credential.`
    throw invalid({ path: 'url', code: 'NOT_COVERED', message })
  }

  /** The header that authenticates, and what must not be shown of it. */
  async #added(
    organizationId: string,
    credential: StoredCredential,
    refused: string | null,
    endsAt: number,
  ): Promise<Pick<Authentication, 'headers' | 'secrets'>> {
    const { id, authType, sealedSecret } = credential
    if (authType === 'NONE') return { headers: {}, secrets: {} }
    const { vault } = this.services
    await vault.load(organizationId, sealedSecret!)
    const secret = vault.open(organizationId, secretPlace(organizationId, id), sealedSecret!)
    switch (authType) {
      case 'API_KEY_HEADER':
        return { headers: { [credential.headerName!.toLowerCase()]: secret }, secrets: { secret } }
      case 'BEARER':
        return { headers: { authorization: `Bearer ${secret}` }, secrets: { secret } }
      case 'BASIC': {
        const pair = Buffer.from(`${credential.username}:${secret}`).toString('base64')
        return { headers: { authorization: `Basic ${pair}` }, secrets: { secret, pair } }
      }
      case 'OAUTH2_CLIENT_CREDENTIALS': {
        const { apiName, tokenUrl, clientId, scopes, timeoutMs } = credential
        const client = {
          organizationId,
          id,
          apiName,
          tokenUrl: tokenUrl!,
          clientId: clientId!,
          clientSecret: secret,
          scopes,
          timeoutMs,
        }
        const token = await tokenOf(this.services, client, refused, endsAt)
        return { headers: { authorization: `Bearer ${token}` }, secrets: { secret, token } }
      }
    }
  }
}
