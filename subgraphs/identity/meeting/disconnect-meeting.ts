import { notFound } from '../../kernel/errors.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { appendEvent } from '../identity-event.ts'
import type { StoredConnection } from './meeting.ts'

/** Also for a provider that is configured no more. The provider itself is not told. */
export function disconnectMeeting(ctx: RequestContext, provider: string): Promise<string> {
  return inTransaction(ctx, async (inner) => {
    const ended = await endConnections(inner, inner.caller.userId, provider)
    if (ended === 0) throw notFound('The connection to this meeting provider')
    return provider
  })
}

/** Deletes a user's connections with their tokens, to one provider or to all; says how many. To be called in a transaction. */
export async function endConnections(
  ctx: RequestContext,
  userId: string,
  provider: string | null = null,
): Promise<number> {
  const ended = await ctx.db.query<StoredConnection>(
    `delete from identity.meeting_connection
     where organization_id = $1 and user_id = $2 and provider = coalesce($3, provider)
     returning id, organization_id as "organizationId", user_id as "userId", provider, scope, connected_at as "connectedAt"`,
    [ctx.caller.organizationId, userId, provider],
  )
  for (const record of ended) {
    await appendEvent(ctx, { type: 'meeting_connection.deleted', record })
    const target = { type: 'meeting_connection', id: record.id }
    const before = { provider: record.provider, scope: record.scope, userId }
    await appendAudit(ctx, { action: 'meeting_connection.deleted', target, before })
  }
  return ended.length
}
