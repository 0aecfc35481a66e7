import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isAppUsable, scopesLeft } from './credential-source.ts'

/** Work that was started and goes on later: for whom, and what is stored of the credential. */
export interface StartedWork {
  readonly organizationId: string
  readonly userId: string
  /** The scopes that the credential had. */
  readonly scopes: readonly string[]
  /** Null for work of earlier versions, which keeps its scopes. */
  readonly createdWith: Pick<Caller, 'kind' | 'credentialId'> | null
}

/**
 * The scopes that the credential of such work has at this moment; null if it has been revoked. The end of a key's or token's validity does not end what it has started, nor
 * does that of a session.
 */
export async function currentScopes(
  sql: Sql,
  { organizationId, userId, scopes, createdWith }: StartedWork,
): Promise<readonly string[] | null> {
  if (createdWith?.kind === 'API_KEY') {
    const [key] = await sql.query<{ scopes: string[] }>(
      'select scopes from identity.api_key where organization_id = $1 and id = $2 and deleted_at is null and revoked_at is null',
      [organizationId, createdWith.credentialId],
    )
    return key?.scopes ?? null
  }
  if (createdWith?.kind !== 'OAUTH') return scopes
  // A token is named by its grant, or by its app if no user has granted it; see `findOAuthToken`.
  const [token] = await sql.query<{ scopes: string[] }>(
    `select ${scopesLeft('$3::text[]')} as scopes
     from (select $2::uuid as id) c
     left join identity.oauth_grant g on g.organization_id = $1 and g.id = c.id
     join identity.oauth_client a on a.id = coalesce(g.app_id, c.id) and a.deleted_at is null
     left join identity.organization home on home.id = a.organization_id
     left join identity.oauth_installation i on i.organization_id = $1 and i.app_id = a.id
     where ${isAppUsable('$1')} and coalesce(g.user_id, a.owner_id) = $4`,
    [organizationId, createdWith.credentialId, scopes, userId],
  )
  return token?.scopes ?? null
}
