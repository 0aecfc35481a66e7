import type { RequestContext } from '../kernel/request.ts'
import type { Reference } from '../kernel/record/definition.ts'
import { escapeLikePattern } from '../kernel/record/operators.ts'
import { checkSearchText } from '../kernel/record/search.ts'

const activeUsersWho =
  (condition: string): Reference =>
  async (ctx, ids) => {
    // The caller is an active user: authentication and the write check have verified that.
    if (ctx.caller.kind !== 'SYSTEM' && ids.every((id) => id === ctx.caller.userId)) return new Set(ids)
    const rows = await ctx.db.query<{ id: string }>(
      `select id from identity.app_user where organization_id = $1 and id = any($2::uuid[]) and is_active and left_at is null and ${condition}`,
      [ctx.caller.organizationId, ids],
    )
    return new Set(rows.map(({ id }) => id))
  }

/** The ids, among the given ones, of active users of the caller's organization. */
export const activeUsers = activeUsersWho('true')

/** The ids, among the given ones, of active users who may change records. */
export const activeWriters = activeUsersWho(`role <> 'READ_ONLY'`)

export interface OrganizationUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly role: string
}

export interface UserPage {
  readonly search?: string | null
  readonly page: number
  readonly limit: number
}

/** One page of the active users of the caller's organization who may change records, by name, with their names as the organization sees them. */
export async function activeWriterPage(
  ctx: RequestContext,
  { search, page, limit }: UserPage,
): Promise<OrganizationUser[]> {
  if (search) checkSearchText(search)
  return ctx.db.query<OrganizationUser>(
    `select id, name, email, role from identity.admin_user
     where organization_id = $1 and is_active and deleted_at is null and role <> 'READ_ONLY' and ($2::text is null or name ilike $2)
     order by name, id limit $3 offset $4`,
    [ctx.caller.organizationId, search ? `%${escapeLikePattern(search)}%` : null, limit, (page - 1) * limit],
    'SCAN',
  )
}

export { organizationSettings, type OrganizationSettings } from './organization/organization-settings.ts'
export { credentialSource } from './credential/credential-source.ts'
export { oauthScopes } from './oauth/oauth-scopes.ts'
export { oauthService } from './oauth/oauth-service.ts'
export { findScimToken } from './scim/scim-token.ts'
export { UsageBuffer } from './usage/usage-buffer.ts'
export {
  createApiKey,
  createOrganization,
  createTeam,
  createUser,
  deactivateUser,
  organizationIdOf,
  removeUser,
  resumeOrganization,
  rotateApiKey,
  setEntitlements,
  suspendOrganization,
  updateUser,
} from './operator.ts'
