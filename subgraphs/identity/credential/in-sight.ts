import type { RequestContext } from '../../kernel/request.ts'
import { isAdministrator } from '../organization/organization.ts'

/** Sight of the keys or apps that the caller manages: its own, or as owner or admin those of the whole organization. */
export function inSight(ctx: RequestContext): RequestContext {
  const { role, userId } = ctx.caller
  return { ...ctx, caller: { ...ctx.caller, ownerIds: isAdministrator(role) ? null : [userId] } }
}
