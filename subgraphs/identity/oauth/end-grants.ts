import type { RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'

interface Ended {
  readonly id: string
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
}

/** Ends the consents of a user for good, with every code and token that was issued on them. In a transaction. */
export async function endGrantsOf(ctx: RequestContext, userId: string): Promise<void> {
  const whose = [ctx.caller.organizationId, userId]
  await ctx.db.query(
    'delete from identity.oauth_token where organization_id = $1 and user_id = $2 and grant_id is not null',
    whose,
  )
  const ended = await ctx.db.query<Ended>(
    `delete from identity.oauth_grant where organization_id = $1 and user_id = $2
     returning id, app_id as "appId", user_id as "userId", scopes`,
    whose,
  )
  for (const { id, ...before } of ended) {
    await appendAudit(ctx, { action: 'oauth_grant.ended', target: { type: 'oauth_grant', id }, before })
  }
}

/** Ends the tokens of apps that act as their owner, who leaves. In a transaction. */
export async function endOwnTokensOf({ db, caller }: RequestContext, ownerId: string): Promise<void> {
  await db.query('delete from identity.oauth_token where organization_id = $1 and user_id = $2 and grant_id is null', [
    caller.organizationId,
    ownerId,
  ])
}
