import type { Grant } from '../../kernel/credentials/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { deleteRow, writeChange } from '../../kernel/record/write-change.ts'
import { grantChanges } from './grant.events.ts'
import { grantColumns } from './oauth-store.ts'

/** Ends the consents of a user permanently, with all their authorization codes and tokens. Must run in a transaction. */
export async function endGrantsOf(ctx: RequestContext, userId: string): Promise<void> {
  const whose = [ctx.caller.organizationId, userId]
  const grants = await ctx.db.query<Grant>(
    `select ${grantColumns} from identity.oauth_grant t where t.organization_id = $1 and t.user_id = $2
     order by t.id for update`,
    whose,
  )
  for (const grant of grants) await endGrant(ctx, grant)
  await ctx.db.query(
    'delete from identity.oauth_token where organization_id = $1 and user_id = $2 and grant_id is not null',
    whose,
  )
}

/** Deletes a consent of the caller's organization. The tokens must be deleted in the same transaction. */
export async function endGrant(ctx: RequestContext, grant: Grant): Promise<void> {
  const { organizationId, id } = grant
  await writeChange(ctx, grantChanges, { operation: 'DELETE', previous: grant, next: grant }, (values) =>
    deleteRow(values, 'identity.oauth_grant', { organization_id: organizationId, id }),
  )
}

/** Ends the client credentials tokens of the apps of an owner who leaves. Must run in a transaction. */
export async function endOwnTokensOf({ db, caller }: RequestContext, ownerId: string): Promise<void> {
  await db.query('delete from identity.oauth_token where organization_id = $1 and user_id = $2 and grant_id is null', [
    caller.organizationId,
    ownerId,
  ])
}
