import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'

/** The credential with which work was started that goes on later. */
export type StartedWith = Pick<Caller, 'organizationId' | 'kind' | 'credentialId' | 'scopes'>

/**
 * The scopes that a credential has at this moment; null if it has been revoked. The end of a key's or token's validity does not end what it has started, nor does that of a
 * session.
 */
export async function currentScopes(
  sql: Sql,
  { organizationId, kind, credentialId, scopes }: StartedWith,
): Promise<readonly string[] | null> {
  if (kind === 'API_KEY') {
    const [key] = await sql.query<{ scopes: string[] }>(
      'select scopes from identity.api_key where organization_id = $1 and id = $2 and deleted_at is null and revoked_at is null',
      [organizationId, credentialId],
    )
    return key?.scopes ?? null
  }
  if (kind !== 'OAUTH') return scopes
  // A token is named by its grant, or by its app if no user has granted it; see `findOAuthToken`.
  const [token] = await sql.query<{ scopes: string[] }>(
    `select array(
       select unnest($3::text[]) intersect select unnest(a.scopes)
       intersect select unnest(coalesce(i.granted_scopes, $3::text[]))
     ) as scopes
     from identity.oauth_client a
     left join identity.oauth_installation i on i.organization_id = $1 and i.app_id = a.id
     where a.deleted_at is null and a.id = coalesce(
       (select g.app_id from identity.oauth_grant g where g.organization_id = $1 and g.id = $2::uuid), $2::uuid)`,
    [organizationId, credentialId, scopes],
  )
  return token?.scopes ?? null
}
