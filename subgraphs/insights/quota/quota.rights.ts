import { usersBelow } from '../../identity/public.ts'
import { Refusal } from '../../kernel/errors.ts'
import { requireRole } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { QuotaKey } from './check-quotas.ts'

export type MaySet = (key: Pick<QuotaKey, 'userId'>) => boolean

/** Which quotas the caller may set: owners and admins all, a manager those of the users who report to the manager. 403 for other roles. */
export async function quotaRights(ctx: RequestContext): Promise<MaySet> {
  requireRole(ctx, 'OWNER', 'ADMIN', 'MANAGER')
  if (ctx.caller.role !== 'MANAGER') return () => true
  const below = await usersBelow(ctx, ctx.caller.userId)
  return ({ userId }) => userId !== null && below.has(userId)
}

export const quotaRefused = (): Refusal =>
  new Refusal('PERMISSION_DENIED', 'A manager may set the quotas of the users who report to the manager only.')
