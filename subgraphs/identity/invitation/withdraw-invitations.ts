import type { RequestContext } from '../../kernel/request.ts'

/** Links in invitations that this user sent lead nowhere, also if the user comes back. In a transaction. */
export async function withdrawInvitationsBy({ db, caller, clock }: RequestContext, userId: string): Promise<void> {
  await db.query(
    `update identity.one_time_token set used_at = $3
     where purpose = 'INVITATION' and organization_id = $1 and data ->> 'invitedById' = $2 and used_at is null`,
    [caller.organizationId, userId, clock.now().toISOString()],
  )
}
