import type { RequestContext } from '../../kernel/request.ts'

/** The ids of the users of the caller's organization who report to the user, over any number of managers. The user is not one of them. */
export async function usersBelow({ db, caller }: RequestContext, userId: string): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    `with recursive below as (
       select id from identity.app_user where organization_id = $1 and manager_id = $2 and left_at is null
       union
       select u.id from identity.app_user u join below on u.organization_id = $1 and u.manager_id = below.id
       where u.left_at is null
     )
     select id from below`,
    [caller.organizationId, userId],
  )
  return new Set(rows.map(({ id }) => id))
}
