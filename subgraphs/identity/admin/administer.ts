import { mayDoMore, type Role } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { isScimTokenActive } from '../scim/live-token.ts'
import type { User } from '../user/user.ts'

/**
 * Runs a change of rights. Such changes in one organization are serialized by a lock, and the role of the acting user is read
 * after the lock is taken: when two owners demote each other at the same time, one owner remains.
 */
export function administering<T, C extends RequestContext>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { organizationId, userId, kind } = inner.caller
    await lockOrganization(inner)
    if (kind === 'SCIM' && !(await isScimTokenActive(inner)))
      throw new Refusal(
        'UNAUTHENTICATED',
        'The SCIM token is no longer valid. Create a new one and send it in the Authorization header.',
      )
    if (kind !== 'SESSION') return work(inner)
    const [actor] = await inner.db.query<{ role: Role }>(
      `select role from identity.app_user
       where organization_id = $1 and id = $2 and is_active and left_at is null`,
      [organizationId, userId],
    )
    const current = { ...inner, caller: { ...inner.caller, role: actor?.role ?? ('READ_ONLY' as const) } }
    requireAdministrator(current)
    return work(current)
  })
}

/** Takes the lock of the organization: later calls wait until this transaction ends. */
export async function lockOrganization({ db, caller }: RequestContext): Promise<void> {
  await db.query('select 1 from identity.organization where id = $1 for no key update', [caller.organizationId])
}

/** Whether a role may assign another role, to existing and invited users. */
export const mayGiveRole = (giver: Role, role: Role): boolean =>
  giver === 'OWNER' || (giver === 'ADMIN' && role !== 'OWNER')

/** Only an owner may create or change owners, and users must not raise their own role. */
export function refuseRoleAboveCaller({ caller }: RequestContext, user: Pick<User, 'id' | 'role'>, role?: Role): void {
  if (caller.kind === 'SYSTEM') return
  if (!mayGiveRole(caller.role, user.role) || (role && !mayGiveRole(caller.role, role))) {
    throw new Refusal('PERMISSION_DENIED', 'Only an owner may create, change or remove owners.', {
      requiredRoles: ['OWNER'],
    })
  }
  if (user.id === caller.userId && role && mayDoMore(role, user.role)) {
    throw new Refusal('PERMISSION_DENIED', 'Users cannot raise their own role. Ask another owner or admin.')
  }
}
