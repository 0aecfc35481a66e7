import type {
  ActingUser,
  ApiKeyRecord,
  CredentialSource,
  OAuthTokenRecord,
  SessionRecord,
} from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { addDerivedRestrictions } from '../../kernel/record/field-security.ts'

/** The columns of `ActingUser`, for a user `u` in an organization `o`. */
export const actingUserColumns = `
  u.organization_id as "organizationId",
  o.status = 'SUSPENDED' as "organizationSuspended",
  u.is_active as "ownerActive",
  u.left_at is null as "ownerInOrganization",
  u.role,
  u.visibility,
  case u.visibility
    when 'ALL' then null
    when 'OWN' then array[u.id]
    else array(
      select u.id
      union
      select other.user_id from identity.team_member own
        join identity.team_member other on other.organization_id = own.organization_id and other.team_id = own.team_id
        where own.organization_id = u.organization_id and own.user_id = u.id
    )
  end as "ownerIds",
  -- Owners are not restricted, so that an organization cannot lock itself out of its fields.
  case when u.role <> 'OWNER' then (
    select nullif(p.fields, '{}') from identity.profile p
    where p.organization_id = u.organization_id
      and case when u.profile_id is null then p.is_default else p.id = u.profile_id end
  ) end as fields,
  o.entitlements`

/** The current rights of a user, which are also the rights of the user's credentials. */
export async function findActingUser(sql: Sql, organizationId: string, userId: string): Promise<ActingUser | null> {
  if (!isId(userId)) return null
  const [row] = await sql.query<ActingUser>(
    `select ${actingUserColumns} from identity.app_user u join identity.organization o on o.id = u.organization_id
     where u.organization_id = $1 and u.id = $2`,
    [organizationId, userId],
  )
  return row ? withDerivedRestrictions(row) : null
}

/** Adds the restrictions of derived fields. Stored profiles contain only the restrictions that were set. */
export const withDerivedRestrictions = <T extends ActingUser>(row: T): T =>
  row.fields ? { ...row, fields: addDerivedRestrictions(row.fields) } : row

type Times<T, K extends keyof T> = Omit<T, K> & Record<K, string | null>

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text))

async function findApiKey(sql: Sql, hash: string): Promise<ApiKeyRecord | null> {
  const [row] = await sql.query<Times<ApiKeyRecord, 'expiresAt' | 'revokedAt' | 'previousSecretExpiresAt'>>(
    `select k.id, k.owner_id as "ownerId", k.scopes, k.rate_limit as "rateLimit", k.ip_allow_list as "ipAllowList",
       k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
       case when s.is_former then coalesce(s.superseded_at, k.previous_secret_expires_at, 'epoch') end
         as "previousSecretExpiresAt", ${actingUserColumns}
     from (
       select organization_id, id, false as is_former, null::timestamptz(3) as superseded_at
         from identity.api_key where secret_hash = $1
       union all
       select organization_id, api_key_id, true, superseded_at
         from identity.api_key_former_secret where secret_hash = $1
     ) s
     join identity.api_key k on k.organization_id = s.organization_id and k.id = s.id
     join identity.organization o on o.id = k.organization_id
     join identity.app_user u on u.organization_id = k.organization_id and u.id = k.owner_id
     where k.deleted_at is null`,
    [hash],
  )
  return row
    ? {
        ...withDerivedRestrictions(row),
        expiresAt: timeOf(row.expiresAt),
        revokedAt: timeOf(row.revokedAt),
        previousSecretExpiresAt: timeOf(row.previousSecretExpiresAt),
      }
    : null
}

async function findSession(sql: Sql, id: string): Promise<SessionRecord | null> {
  if (!isId(id)) return null
  const [row] = await sql.query<
    ActingUser & { id: string; userId: string; expiresAt: string; revokedAt: string | null }
  >(
    `select s.id, s.user_id as "userId", s.expires_at as "expiresAt", s.ended_at as "revokedAt", ${actingUserColumns}
     from identity.session s
     join identity.organization o on o.id = s.organization_id
     join identity.app_user u on u.organization_id = s.organization_id and u.id = s.user_id
     where s.id = $1`,
    [id],
  )
  return row
    ? { ...withDerivedRestrictions(row), expiresAt: new Date(row.expiresAt), revokedAt: timeOf(row.revokedAt) }
    : null
}

/** SQL of those of the scopes that the app `a` still has, and that the organization granted where it installed the app, `i`. */
export const scopesLeft = (scopes: string): string => `array(
  select unnest(${scopes}) intersect select unnest(a.scopes) intersect select unnest(coalesce(i.granted_scopes, ${scopes})))`

/**
 * SQL condition that the app `a` of the organization `home` may be used in an organization. If `home` is suspended, only its own callers use the app, who get
 * ORGANIZATION_SUSPENDED.
 */
export const isAppUsable = (organizationId: string): string =>
  `(a.is_open or home.status <> 'SUSPENDED' or home.id = ${organizationId})`

/** Without the consent of its user a token is not found, nor is that of an app that may not be used. */
async function findOAuthToken(sql: Sql, hash: string): Promise<OAuthTokenRecord | null> {
  const [row] = await sql.query<Omit<OAuthTokenRecord, 'expiresAt'> & { expiresAt: string }>(
    `select coalesce(t.grant_id, a.id) as id, a.id as "appId", t.user_id as "userId", a.rate_limit as "rateLimit",
       ${scopesLeft('t.scopes')} as scopes, t.expires_at as "expiresAt", ${actingUserColumns}
     from identity.oauth_token t
     join identity.oauth_client a on a.id = t.app_id and a.deleted_at is null
     left join identity.organization home on home.id = a.organization_id
     join identity.organization o on o.id = t.organization_id
     join identity.app_user u on u.organization_id = t.organization_id and u.id = t.user_id
     left join identity.oauth_grant g on g.organization_id = t.organization_id and g.id = t.grant_id
     left join identity.oauth_installation i on i.organization_id = t.organization_id and i.app_id = t.app_id
     where t.token_hash = $1 and t.kind in ('AccessToken', 'ClientCredentials')
       and ${isAppUsable('t.organization_id')}
       and (g.id is not null or t.grant_id is null and t.user_id = a.owner_id)`,
    [hash],
  )
  return row ? { ...withDerivedRestrictions(row), expiresAt: new Date(row.expiresAt) } : null
}

/** Reads credentials with the current role, visibility and membership of the owner, in one statement each. */
export const credentialSource = (sql: Sql): CredentialSource => ({
  findApiKey: (hash) => findApiKey(sql, hash),
  findSession: (id) => findSession(sql, id),
  findOAuthToken: (hash) => findOAuthToken(sql, hash),
})
