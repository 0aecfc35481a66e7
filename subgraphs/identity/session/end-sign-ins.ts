import type { RequestContext } from '../../kernel/request.ts'
import { endGrantsOf } from '../oauth/end-grants.ts'
import { endSessions, type EndReason } from './session.actions.ts'

/**
 * Ends everything that began with a sign-in of one user of the caller's organization: its sessions, sign-ins that wait for a
 * consent on the pages of OAuth, codes that wait to be traded, and the consents with their tokens. Says how many sessions there
 * were. In a transaction. The user is locked by the first statement: a sign-in that is under way either is found by the
 * others, or finds the user as it is afterwards.
 */
export async function endSignIns(ctx: RequestContext, userId: string, reason: EndReason): Promise<number> {
  await ctx.db.query(
    `update identity.app_user set sign_in_generation = sign_in_generation + 1 where organization_id = $1 and id = $2`,
    [ctx.caller.organizationId, userId],
  )
  await endGrantsOf(ctx, userId)
  return endSessions(ctx, { userId }, reason)
}
