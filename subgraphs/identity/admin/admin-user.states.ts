import { refusalInState, type Move, type StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { mustAccept } from '../invitation/invitation.ts'
import type { AdminUser } from './admin-user.ts'
import { mayGiveRole } from './administer.ts'

async function isLastOwner({ db, caller }: RequestContext, user: AdminUser): Promise<boolean> {
  if (user.role !== 'OWNER' || user.status !== 'ACTIVE') return false
  const others = await db.query(
    `select 1 from identity.app_user
     where organization_id = $1 and id <> $2 and role = 'OWNER' and is_active and left_at is null limit 1`,
    [caller.organizationId, user.id],
  )
  return others.length === 0
}

const administrators = ['OWNER', 'ADMIN'] as const

const deactivate: Move<AdminUser> = {
  operation: 'userDeactivate',
  roles: administrators,
  isPossible: async (ctx, user) => !(await isLastOwner(ctx, user)),
}
const reactivate = (isInvited: boolean): Move<AdminUser> => ({
  operation: 'userReactivate',
  roles: administrators,
  isPossible: async (ctx, { id }) => (await mustAccept(ctx, id)) === isInvited,
})

export const userStates: StateMachine<AdminUser, AdminUser['status']> = {
  name: 'user',
  scope: 'SESSION',
  mayChange: ({ caller }, { role }) => mayGiveRole(caller.role, role),
  transitions: {
    // An invited user accepts the invitation.
    INVITED: { ACTIVE: [], DEACTIVATED: [deactivate] },
    ACTIVE: { DEACTIVATED: [deactivate] },
    DEACTIVATED: { ACTIVE: [reactivate(false)], INVITED: [reactivate(true)] },
  },
}

/** Call it before an owner loses the role, in a transaction of `administering`. */
export async function refuseLastOwner(ctx: RequestContext, user: AdminUser): Promise<void> {
  if (!(await isLastOwner(ctx, user))) return
  const message = 'An organization must have at least one active owner. Make another user owner first.'
  throw await refusalInState(ctx, userStates, user, message)
}
