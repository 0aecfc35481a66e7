import type { RequestContext } from '../../kernel/request.ts'

/** SQL condition for a token `t`: its creator is an active owner or admin. The token works only as long as this is true. */
export const creatorIsAdministrator = `exists (
  select from identity.app_user u
  where u.organization_id = t.organization_id and u.id = t.created_by_id and u.is_active and u.left_at is null
    and u.role in ('OWNER', 'ADMIN'))`

/** Whether the token of the calling directory still works. */
export async function isScimTokenActive({ db, caller }: RequestContext): Promise<boolean> {
  const found = await db.query(
    `select 1 from identity.scim_token t where t.organization_id = $1 and t.id = $2 and ${creatorIsAdministrator}`,
    [caller.organizationId, caller.credentialId],
  )
  return found.length > 0
}
