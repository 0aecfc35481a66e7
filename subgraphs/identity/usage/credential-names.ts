import type { CountedKind } from '../../kernel/credentials/public.ts'
import type { RequestContext } from '../../kernel/request.ts'

interface Named {
  readonly credentialKind: CountedKind
  readonly credentialId: string
}

/**
 * Display names by credential id: names of API keys (also deleted ones), users and apps (also of other organizations, and those that registered themselves), and the
 * prefix of SCIM tokens.
 */
export async function credentialNames(ctx: RequestContext, rows: readonly Named[]): Promise<Map<string, string>> {
  const idsOf = (kind: CountedKind) =>
    rows.filter(({ credentialKind }) => credentialKind === kind).map(({ credentialId }) => credentialId)
  const found = await ctx.db.query<{ id: string; name: string }>(
    `select id, name from identity.api_key where organization_id = $1 and id = any($2::uuid[])
     union all
     select id, name from identity.admin_user where organization_id = $1 and id = any($3::uuid[])
     union all
     select id, name from identity.oauth_client where id = any($4::uuid[])
     union all
     select id, prefix from identity.scim_token where organization_id = $1 and id = any($5::uuid[])`,
    [ctx.caller.organizationId, idsOf('API_KEY'), idsOf('SESSION'), idsOf('OAUTH_APP'), idsOf('SCIM_TOKEN')],
  )
  return new Map(found.map(({ id, name }) => [id, name]))
}

export interface WorkingCredential {
  readonly object: 'api_key' | 'oauth_app'
  readonly id: string
  readonly name: string
  /** The id of the key, or of the grant of the app. */
  readonly credentialId: string
}

/** The API keys, and the apps of the grants, with these ids, as far as they still work; an app once for each grant. */
export async function workingCredentials(
  { db, caller, clock }: RequestContext,
  ids: readonly string[],
): Promise<WorkingCredential[]> {
  return db.query<WorkingCredential & Record<string, unknown>>(
    `select 'api_key' as object, id, name, id as "credentialId" from identity.api_key
       where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null and revoked_at is null and (expires_at is null or expires_at > $3)
     union all
     select 'oauth_app', c.id, c.name, g.id from identity.oauth_grant g join identity.oauth_client c on c.id = g.app_id
       where g.organization_id = $1 and g.id = any($2::uuid[]) and g.expires_at > $3
     order by 1, 3, 2, 4`,
    [caller.organizationId, ids, clock.now().toISOString()],
  )
}
