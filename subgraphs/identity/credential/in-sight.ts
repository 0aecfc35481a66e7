import type { RequestContext } from '../../kernel/request.ts'
import { isAdministrator } from '../organization/organization.ts'

/** The context with visibility of the keys or apps that the caller manages: its own, or for owners and admins all of the organization. */
export function inSight(ctx: RequestContext): RequestContext {
  const { role, userId } = ctx.caller
  return { ...ctx, caller: { ...ctx.caller, ownerIds: isAdministrator(role) ? null : [userId] } }
}
