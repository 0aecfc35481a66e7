import type { RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'

interface Ended {
  readonly id: string
  readonly appId: string
  readonly userId: string
  readonly scopes: readonly string[]
}

/** Ends the consents of a user permanently, with all their authorization codes and tokens. Must run in a transaction. */
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

/** Ends the client credentials tokens of the apps of an owner who leaves. Must run in a transaction. */
export async function endOwnTokensOf({ db, caller }: RequestContext, ownerId: string): Promise<void> {
  await db.query('delete from identity.oauth_token where organization_id = $1 and user_id = $2 and grant_id is null', [
    caller.organizationId,
    ownerId,
  ])
}
