import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { endSessions } from './session.actions.ts'
import type { SignedOut } from './session.ts'

/** Ends the session of the access token, with its refresh tokens. */
export async function logout(ctx: IdentityContext): Promise<SignedOut> {
  const { credentialId: sessionId } = ctx.caller
  await inTransaction(ctx, (inner) => endSessions(inner, { id: sessionId }, 'LOGGED_OUT'))
  return { sessionId, endedAt: ctx.clock.now().toISOString() }
}
