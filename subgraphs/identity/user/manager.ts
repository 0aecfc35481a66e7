import { invalid, type Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'

const refused = (code: string, message: string): Refusal => invalid({ path: 'managerId', code, message })

/**
 * The id of the manager in its stored form. Refuses one who is not a user of the organization, and one who reports to the user over any
 * number of managers. Must run in a transaction that holds the lock of the organization, because two concurrent changes could form a cycle.
 */
export async function checkedManager(
  { db, caller }: RequestContext,
  userId: string,
  managerId: string | null,
): Promise<string | null> {
  if (managerId === null) return null
  const id = managerId.toLowerCase()
  if (id === userId) throw refused('CIRCULAR', 'managerId must not be the id of the user.')
  const [found] = isId(id)
    ? await db.query<{ circular: boolean }>(
        `with recursive above as (
           select id, manager_id from identity.app_user where organization_id = $1 and id = $2 and left_at is null
           union
           select u.id, u.manager_id from identity.app_user u join above on u.organization_id = $1 and u.id = above.manager_id
         )
         select exists (select from above where id = $3) as circular where exists (select from above)`,
        [caller.organizationId, id, userId],
      )
    : []
  if (!found) throw refused('UNKNOWN_REFERENCE', 'managerId must be the id of a user of the organization.')
  if (found.circular) throw refused('CIRCULAR', 'managerId must not be the id of a user who reports to this user.')
  return id
}
