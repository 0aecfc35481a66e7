import type { RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { issueToken } from '../one-time-token/one-time-token.ts'
import { findOrganization } from '../organization/organization.ts'
import { partnerInviteMail } from '../session/mails.ts'
import { findUser, type User } from '../user/user.ts'

type Invited = Pick<User, 'id' | 'email' | 'role' | 'visibility'>

/** A link of its own, in a mail that leaves with the commit; one of before leads nowhere. */
export async function sendInvite(ctx: RequestContext, { id: userId, email, role, visibility }: Invited): Promise<void> {
  const { organizationId, userId: invitedById } = ctx.caller
  await withdrawInvites(ctx, userId)
  const subject = { email, personId: null, organizationId, data: { role, visibility, invitedById, userId } }
  const { token, expiresAt } = await issueToken(ctx, 'PARTNER_INVITE', subject)
  const organization = await findOrganization(ctx.db, organizationId)
  const inviter = await findUser(ctx.db, organizationId, invitedById)
  const words = { organization: organization!.name, invitedBy: inviter?.name ?? organization!.name, token }
  await partnerInviteMail(ctx, { to: email, expiresAt }, words)
  await ctx.db.query('update identity.app_user set invited_at = $3 where organization_id = $1 and id = $2', [
    ctx.caller.organizationId,
    userId,
    ctx.clock.now().toISOString(),
  ])
  await appendAudit(ctx, { action: 'user.invited', target: { type: 'user', id: userId } })
}

/** The user is not waited for any more, and links that were sent lead nowhere. */
export async function withdrawInvites({ db, caller, clock }: RequestContext, userId: string): Promise<void> {
  await db.query(
    `update identity.one_time_token set used_at = $3
     where purpose = 'PARTNER_INVITE' and organization_id = $1 and data ->> 'userId' = $2 and used_at is null`,
    [caller.organizationId, userId, clock.now().toISOString()],
  )
  await db.query(
    'update identity.app_user set invited_at = null where organization_id = $1 and id = $2 and invited_at is not null',
    [caller.organizationId, userId],
  )
}
