import { notFound } from '../../kernel/errors.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { appendEvent } from '../identity-event.ts'
import type { StoredConnection } from './meeting.ts'

/** Also for a provider that is configured no more. The provider itself is not told. */
export function disconnectMeeting(ctx: RequestContext, provider: string): Promise<string> {
  return inTransaction(ctx, async (inner) => {
    if (!(await endConnection(inner, provider))) throw notFound('The connection to this meeting provider')
    return provider
  })
}

/** Deletes the user's connection with its tokens; false when there is none. To be called in a transaction. */
export async function endConnection(ctx: RequestContext, provider: string): Promise<boolean> {
  const { organizationId, userId } = ctx.caller
  const [ended] = await ctx.db.query<StoredConnection>(
    `delete from identity.meeting_connection where organization_id = $1 and user_id = $2 and provider = $3
     returning id, organization_id as "organizationId", user_id as "userId", provider, scope, connected_at as "connectedAt"`,
    [organizationId, userId, provider],
  )
  if (!ended) return false
  const { id, scope } = ended
  await appendEvent(ctx, { type: 'meeting_connection.deleted', record: ended })
  const target = { type: 'meeting_connection', id }
  await appendAudit(ctx, { action: 'meeting_connection.deleted', target, before: { provider, scope, userId } })
  return true
}
