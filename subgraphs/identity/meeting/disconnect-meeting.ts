import { notFound } from '../../kernel/errors.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { deleteRow, writeChange } from '../../kernel/record/write-change.ts'
import { meetingConnectionChanges } from './meeting.events.ts'
import type { StoredConnection } from './meeting.ts'

/** Works also for a provider that is no longer configured. The provider is not notified. */
export function disconnectMeeting(ctx: RequestContext, provider: string): Promise<string> {
  return inTransaction(ctx, async (inner) => {
    const ended = await endConnections(inner, inner.caller.userId, provider)
    if (ended === 0) throw notFound('The connection to this meeting provider')
    return provider
  })
}

/** Deletes a user's connections with their tokens, to one provider or to all, and returns their number. Must run in a transaction. */
export async function endConnections(
  ctx: RequestContext,
  userId: string,
  provider: string | null = null,
): Promise<number> {
  const { organizationId } = ctx.caller
  const ended = await ctx.db.query<StoredConnection>(
    `select id, organization_id as "organizationId", user_id as "userId", provider, scope, connected_at as "connectedAt"
     from identity.meeting_connection
     where organization_id = $1 and user_id = $2 and provider = coalesce($3, provider) order by id for update`,
    [organizationId, userId, provider],
  )
  for (const next of ended) {
    await writeChange(ctx, meetingConnectionChanges, { operation: 'DELETE', previous: next, next }, (values) =>
      deleteRow(values, 'identity.meeting_connection', { organization_id: organizationId, id: next.id }),
    )
  }
  return ended.length
}
