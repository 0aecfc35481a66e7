import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { administering, refuseRoleAboveCaller } from '../admin/administer.ts'
import { issueToken } from '../one-time-token/one-time-token.ts'
import { findOrganization } from '../organization/organization.ts'
import { invitationMail } from '../session/mails.ts'
import { addUser, changeUser } from '../user/user.actions.ts'
import { userAudit } from '../user/user.events.ts'
import { updateUserRow } from '../user/user-rows.ts'
import { findStoredUser, shownToOrganization, type KnownAs, type User } from '../user/user.ts'

export interface Invitation extends Pick<User, 'email' | 'role' | 'visibility'> {
  readonly knownAs: KnownAs
  /** True: a person who was invited and has not accepted gets another mail, and this role and visibility. */
  readonly mayRepeat?: boolean
}

/** Invites a person. The user exists at once, so that it can get teams and another role, but it cannot act before the person accepts. */
export function invite(ctx: IdentityContext, invitation: Invitation): Promise<{ id: string; expiresAt: Date }> {
  const { email, role, visibility, mayRepeat = false } = invitation
  return administering(ctx, async (inner) => {
    const waiting = mayRepeat ? await findInvited(inner, email) : null
    refuseRoleAboveCaller(inner, waiting ?? { id: '', role }, role)
    const { id } = waiting ? await changeUser(inner, waiting.id, { role, visibility }) : await added(inner, invitation)
    return { id, expiresAt: await sendInvitation(inner, id) }
  })
}

function added(ctx: IdentityContext, { knownAs, ...wanted }: Invitation): Promise<User> {
  const { organizationId } = ctx.caller
  const { email, role, visibility } = wanted
  const membership = { organizationId, passwordHash: null, isInvited: true, mayReturn: true }
  return addUser(ctx, { id: newId(), email, role, visibility, ...knownAs, knownAs, ...membership })
}

async function findInvited({ db, caller }: IdentityContext, email: string): Promise<Pick<User, 'id' | 'role'> | null> {
  const [found] = await db.query<Pick<User, 'id' | 'role'>>(
    `select id, role from identity.admin_user
     where organization_id = $1 and email = $2 and invited_at is not null and deleted_at is null`,
    [caller.organizationId, email],
  )
  return found ?? null
}

interface Invited extends Pick<User, 'email' | 'role'> {
  readonly personId: string
  readonly invitedAt: string | null
}

/** Names for the mail; null while no owner has a verified email address. An inviter without a verified address is not named. */
async function namesOf({ db, caller }: IdentityContext) {
  const { organizationId, userId } = caller
  const proven = await db.query(
    `select 1 from identity.app_user u join identity.person p on p.id = u.person_id
     where u.organization_id = $1 and u.role = 'OWNER' and u.is_active and u.left_at is null
       and p.email_verified_at is not null limit 1`,
    [organizationId],
  )
  if (proven.length === 0) return null
  const organization = await findOrganization(db, organizationId)
  const inviter = await findStoredUser(db, organizationId, userId)
  const { emailVerified = false, name = '' } = inviter ? shownToOrganization(inviter) : {}
  return { organization: organization!.name, invitedBy: emailVerified ? name : '' }
}

/** Queues a mail with a new link, which is sent after the commit. Earlier links become invalid. Must run in a transaction. */
export async function sendInvitation(ctx: IdentityContext, userId: string): Promise<Date> {
  const { organizationId, userId: invitedById } = ctx.caller
  const [user] = await ctx.db.query<Invited>(
    `select u.person_id as "personId", p.email, u.role, u.invited_at as "invitedAt"
     from identity.app_user u join identity.person p on p.id = u.person_id
     where u.organization_id = $1 and u.id = $2 and u.left_at is null`,
    [organizationId, userId],
  )
  if (!user) throw notFound('The user')
  await invalidateInvitationLinks(ctx, userId)
  const { email, role, personId, invitedAt } = user
  // The role that this inviter may give. A later change of the role is checked for the user who makes it.
  const subject = { email, personId, organizationId, data: { userId, role, invitedById } }
  const issued = await issueToken(ctx, 'INVITATION', subject)
  await invitationMail(ctx, email, { names: await namesOf(ctx), issue: async () => issued })
  const now = ctx.clock.now().toISOString()
  await setInvitedAt(ctx, 'user.invited', { id: userId, invitedAt }, { id: userId, invitedAt: now, role })
  return issued.expiresAt
}

/** Whether the user was invited and has never accepted. Also true after the invitation was withdrawn. */
export async function mustAccept(
  { db, caller }: Pick<IdentityContext, 'db' | 'caller'>,
  userId: string,
): Promise<boolean> {
  const found = await db.query(
    'select 1 from identity.app_user where organization_id = $1 and id = $2 and must_accept',
    [caller.organizationId, userId],
  )
  return found.length > 0
}

/** The user need not accept an invitation any more, because the directory set it active. Must run in a transaction. */
export async function skipAcceptance(ctx: IdentityContext, userId: string): Promise<void> {
  await withdrawInvitation(ctx, userId)
  await ctx.db.query('update identity.app_user set must_accept = false where organization_id = $1 and id = $2', [
    ctx.caller.organizationId,
    userId,
  ])
}

/** Ends the open invitation of the user. Its links become invalid. Must run in a transaction. */
export async function withdrawInvitation(ctx: IdentityContext, userId: string): Promise<void> {
  await invalidateInvitationLinks(ctx, userId)
  const [invited] = await ctx.db.query<InvitationState>(
    `select id, invited_at as "invitedAt" from identity.app_user
     where organization_id = $1 and id = $2 and invited_at is not null`,
    [ctx.caller.organizationId, userId],
  )
  if (invited) await setInvitedAt(ctx, 'user.invitation_withdrawn', invited, { ...invited, invitedAt: null })
}

interface InvitationState {
  readonly id: string
  readonly invitedAt: string | null
}

async function setInvitedAt(
  ctx: IdentityContext,
  action: string,
  previous: InvitationState,
  next: InvitationState & Partial<Pick<User, 'role'>>,
): Promise<void> {
  const user = { organizationId: ctx.caller.organizationId, id: next.id }
  const row = updateUserRow(user, { invited_at: next.invitedAt })
  await writeChange(ctx, userAudit, { operation: 'UPDATE', previous, next, action }, row)
}

/** Invalidates the links of all invitations to the user. Must run in a transaction. */
export async function invalidateInvitationLinks({ db, caller, clock }: IdentityContext, userId: string): Promise<void> {
  await db.query(
    `update identity.one_time_token set used_at = $3
     where purpose = 'INVITATION' and organization_id = $1 and data ->> 'userId' = $2 and used_at is null`,
    [caller.organizationId, userId, clock.now().toISOString()],
  )
}
