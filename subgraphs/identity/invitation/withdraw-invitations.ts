import type { RequestContext } from '../../kernel/request.ts'

/** Invalidates the links of all invitations that this user has sent, permanently. Must run in a transaction. */
export async function withdrawInvitationsBy({ db, caller, clock }: RequestContext, userId: string): Promise<void> {
  await db.query(
    `update identity.one_time_token set used_at = $3
     where purpose = 'INVITATION' and organization_id = $1 and data ->> 'invitedById' = $2 and used_at is null`,
    [caller.organizationId, userId, clock.now().toISOString()],
  )
}
