import type { IdentityContext } from '../context.ts'
import { endGrantsOf } from '../oauth/end-grants.ts'
import { endSessions, type EndReason } from './session.actions.ts'

/**
 * Ends everything that began with a sign-in of one user of the caller's organization: sessions, sign-ins on the OAuth pages that wait
 * for a consent, authorization codes, and consents with their tokens. Returns the number of sessions. Must run in a transaction. The
 * first statement locks the user: a concurrent sign-in either commits before and is ended, or sees the new generation.
 */
export async function endSignIns(ctx: IdentityContext, userId: string, reason: EndReason): Promise<number> {
  await ctx.db.query(
    `update identity.app_user set sign_in_generation = sign_in_generation + 1 where organization_id = $1 and id = $2`,
    [ctx.caller.organizationId, userId],
  )
  await endGrantsOf(ctx, userId)
  return endSessions(ctx, { userId }, reason)
}
