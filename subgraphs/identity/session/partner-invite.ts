import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { requireAdministrator, requireRole } from '../../kernel/require.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { findToken, issueToken, takeToken, wrongToken, type OneTimeToken } from '../one-time-token/one-time-token.ts'
import { findOrganization } from '../organization/organization.ts'
import { emailProblems, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { addUser, emailTaken } from '../user/user.actions.ts'
import { findPerson, findUser, type User } from '../user/user.ts'
import { inHashSlot } from '../password/hash-slots.ts'
import { hashPassword, isPassword, passwordProblems } from '../password/password.ts'
import type { AcceptPartnerInviteInput, PartnerInvite, PartnerInviteInput } from './account.ts'
import { partnerInviteMail } from './mails.ts'
import { refuseChangedPassword } from './person.ts'
import { actingAs, signedIn, startSession } from './session.actions.ts'
import type { SignedIn } from './session.ts'
import { failed, failedAddress, refuseThrottled, refuseThrottledAddress } from './throttle.ts'
import { markVerified } from './verify-email.ts'

const nameMax = 255

/** Invites somebody of another company by mail. Only an owner makes administrators, and nobody makes owners. */
export function invitePartner(ctx: RequestContext, input: PartnerInviteInput): Promise<PartnerInvite> {
  requireAdministrator(ctx)
  const { role = 'MEMBER', visibility = 'OWN' } = input
  if (role === 'OWNER') throw new Refusal('PERMISSION_DENIED', 'Nobody is invited as OWNER.')
  if (role === 'ADMIN') requireRole(ctx, 'OWNER')
  const email = normalizeEmail(input.email)
  refuseAny(emailProblems(email))
  return inTransaction(ctx, async (inner) => {
    const { organizationId, userId: invitedById } = inner.caller
    const organization = await findOrganization(inner.db, organizationId)
    const inviter = await findUser(inner.db, organizationId, invitedById)
    const data = { role, visibility, invitedById }
    const subject = { email, personId: null, organizationId, data }
    const { token, expiresAt } = await issueToken(inner, 'PARTNER_INVITE', subject)
    const { name } = organization!
    await partnerInviteMail(inner, { to: email, expiresAt }, { organization: name, invitedBy: inviter!.name, token })
    const target = { type: 'partner_invite', id: email }
    await appendAudit(inner, { action: 'partner_invite.sent', target, after: { email, role, visibility } })
    return { email, role, visibility, expiresAt: expiresAt.toISOString() }
  })
}

/** Joins as invited, with a new account or, for a person who has one, with its password; the token proves the address. */
export async function acceptPartnerInvite(ctx: RequestContext, input: AcceptPartnerInviteInput): Promise<SignedIn> {
  refuseAny([
    ...passwordProblems(input.password),
    ...textProblems('firstName', input.firstName.trim(), { min: 1, max: nameMax }),
    ...textProblems('lastName', input.lastName.trim(), { min: 1, max: nameMax }),
  ])
  await refuseThrottledAddress(ctx)
  const invite = await findToken(ctx, 'PARTNER_INVITE', input.token)
  if (!invite) throw await failedAddress(ctx, wrongToken())
  const membership = await membershipOf(ctx, invite)
  const person = await provenPerson(ctx, invite.email, input.password)
  const [firstName, lastName] = [input.firstName.trim(), input.lastName.trim()]
  const newcomer = { id: newId(), email: invite.email, name: `${firstName} ${lastName}`, firstName, lastName }
  return inTransaction(actingAs(ctx, { ...newcomer, ...membership }), async (inner) => {
    if (!(await takeToken(inner, 'PARTNER_INVITE', input.token))) throw wrongToken()
    if (person.personId) await refuseChangedPassword(inner, person.personId, person.knownHash)
    const user = await addUser(inner, { ...newcomer, ...membership, ...person, acceptsInvite: true })
    if (person.personId && person.passwordHash) await givePassword(inner, person.personId, person.passwordHash)
    const stored = await findPerson(inner.db, invite.email)
    await markVerified(inner, stored!.id)
    const verified = await findUser(inner.db, user.organizationId, user.id)
    const acting = actingAs(inner, verified!)
    return signedIn(acting, verified!, await startSession(acting))
  })
}

/** An invitation is worth what its author may still do. */
async function membershipOf(ctx: RequestContext, { organizationId, data }: OneTimeToken) {
  const { role, visibility, invitedById } = data as Pick<User, 'role' | 'visibility'> & { invitedById: string }
  const organization = await findOrganization(ctx.db, organizationId!)
  const inviter = await findUser(ctx.db, organizationId!, invitedById)
  const mayInvite = inviter?.isActive && (inviter.role === 'OWNER' || (inviter.role === 'ADMIN' && role !== 'ADMIN'))
  if (organization?.status !== 'ACTIVE' || !mayInvite) throw wrongToken()
  return { organizationId: organizationId!, role, visibility }
}

function provenPerson(ctx: RequestContext, email: string, password: string) {
  return inHashSlot(async () => {
    await refuseThrottled(ctx, email)
    const person = await findPerson(ctx.db, email)
    // Somebody who was invited and never had a password: the token proves the address as a reset would.
    if (!person?.passwordHash) {
      return { personId: person?.id ?? null, passwordHash: await hashPassword(password), knownHash: null }
    }
    if (await isPassword(password, person.passwordHash)) {
      return { personId: person.id, passwordHash: null, knownHash: person.passwordHash }
    }
    throw await failed(ctx, email, emailTaken())
  })
}

async function givePassword({ db, clock }: RequestContext, personId: string, passwordHash: string): Promise<void> {
  await db.query(
    'update identity.person set password_hash = $2, updated_at = $3 where id = $1 and password_hash is null',
    [personId, passwordHash, clock.now().toISOString()],
  )
}
