import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import type { SessionCount, SignedOutEverywhere } from './account.ts'
import { endSignInsOfPerson, lockOwnPerson } from './person.ts'

/** Ends all sessions of the person in all organizations, and everything else that began with a sign-in. */
export async function logoutAll(ctx: IdentityContext): Promise<SignedOutEverywhere> {
  const sessions = await inTransaction(ctx, async (inner) => {
    const { id } = await lockOwnPerson(inner)
    return endSignInsOfPerson(inner, id, 'LOGGED_OUT_EVERYWHERE')
  })
  return { sessions, endedAt: ctx.clock.now().toISOString() }
}

/** The number of active sessions of the person, which `logoutAll` would end. */
export async function countSessions(ctx: IdentityContext): Promise<SessionCount> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::int as count from identity.app_user own
     join identity.app_user u on u.person_id = own.person_id
     join identity.session s on s.organization_id = u.organization_id and s.user_id = u.id
     where own.organization_id = $1 and own.id = $2 and s.ended_at is null and s.expires_at > $3`,
    [ctx.caller.organizationId, ctx.caller.userId, ctx.clock.now().toISOString()],
  )
  return { count: row?.count ?? 0 }
}
