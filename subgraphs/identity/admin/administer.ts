import { mayDoMore, type Role } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { isLiveDirectory } from '../scim/live-token.ts'
import type { User } from '../user/user.ts'

/**
 * Runs a change of who may do what. Such changes of one organization wait for each other, and the role of who makes them is
 * read when its turn has come: of two owners who lower each other, one is left.
 */
export function administering<T>(ctx: RequestContext, work: (ctx: RequestContext) => Promise<T>): Promise<T> {
  requireAdministrator(ctx)
  return inTransaction(ctx, async (inner) => {
    const { organizationId, userId, kind } = inner.caller
    await awaitTurn(inner)
    if (kind === 'SCIM' && !(await isLiveDirectory(inner)))
      throw new Refusal('UNAUTHENTICATED', 'The SCIM token is not valid any more.')
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

/** Whoever asks for a turn after this has to wait for the end of this transaction. */
export async function awaitTurn({ db, caller }: RequestContext): Promise<void> {
  await db.query('select 1 from identity.organization where id = $1 for no key update', [caller.organizationId])
}

/** Which role may give which: to a user who is there, and to one who is invited. */
export const mayGiveRole = (giver: Role, role: Role): boolean =>
  giver === 'OWNER' || (giver === 'ADMIN' && role !== 'OWNER')

/** Only an owner makes owners or touches them, and nobody raises their own role. */
export function refuseRoleAboveCaller({ caller }: RequestContext, user: Pick<User, 'id' | 'role'>, role?: Role): void {
  if (caller.kind === 'SYSTEM') return
  if (!mayGiveRole(caller.role, user.role) || (role && !mayGiveRole(caller.role, role))) {
    throw new Refusal('PERMISSION_DENIED', 'Only an owner makes owners, changes them or takes them out.', {
      requiredRoles: ['OWNER'],
    })
  }
  if (user.id === caller.userId && role && mayDoMore(role, user.role)) {
    throw new Refusal('PERMISSION_DENIED', 'Nobody raises their own role.')
  }
}

/** To be asked before an owner stops being one, in a transaction of `administering`. */
export async function refuseLastOwner({ db, caller }: RequestContext, user: Pick<User, 'id' | 'role' | 'isActive'>) {
  if (user.role !== 'OWNER' || !user.isActive) return
  const others = await db.query(
    `select 1 from identity.app_user
     where organization_id = $1 and id <> $2 and role = 'OWNER' and is_active and left_at is null limit 1`,
    [caller.organizationId, user.id],
  )
  if (others.length > 0) return
  throw new Refusal('INVALID_STATE', 'An organization has at least one active owner; make somebody else owner first.', {
    allowed: [],
  })
}
