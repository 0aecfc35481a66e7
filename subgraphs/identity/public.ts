import type { RequestContext } from '../kernel/request.ts'
import type { Reference } from '../kernel/record/definition.ts'

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

/** Active users of the caller's organization, with their names as the organization sees them. */
export function organizationUsers(ctx: RequestContext): Promise<OrganizationUser[]> {
  return ctx.db.query<OrganizationUser>(
    `select id, name, email, role from identity.admin_user
     where organization_id = $1 and is_active and deleted_at is null order by name, id limit 1000`,
    [ctx.caller.organizationId],
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
