import type { RequestContext } from '../../kernel/request.ts'
import { isAdministrator } from '../organization/organization.ts'

/** The context that sees only the keys and apps that the caller manages: the caller's own; for owners and admins all of the organization. */
export function withCredentialVisibility(ctx: RequestContext): RequestContext {
  const { role, userId } = ctx.caller
  return { ...ctx, caller: { ...ctx.caller, ownerIds: isAdministrator(role) ? null : [userId] } }
}
