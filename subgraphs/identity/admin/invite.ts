import type { RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'

interface Invited {
  readonly id: string
  readonly email: string
}

/** The invitation is open from now on; one of before is not. */
export async function sendInvite(ctx: RequestContext, { id: userId }: Invited): Promise<void> {
  await withdrawInvites(ctx, userId)
  await ctx.db.query('update identity.app_user set invited_at = $3 where organization_id = $1 and id = $2', [
    ctx.caller.organizationId,
    userId,
    ctx.clock.now().toISOString(),
  ])
  await appendAudit(ctx, { action: 'user.invited', target: { type: 'user', id: userId } })
}

/** The user is not waited for any more. */
export async function withdrawInvites({ db, caller }: RequestContext, userId: string): Promise<void> {
  await db.query(
    'update identity.app_user set invited_at = null where organization_id = $1 and id = $2 and invited_at is not null',
    [caller.organizationId, userId],
  )
}
