import { Refusal } from '../../kernel/errors.ts'
import { writeChanges } from '../../kernel/record/write-change.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { lockOrganization, mayGiveRole } from '../admin/administer.ts'
import { findToken, consumeToken, wrongToken, type OneTimeToken } from '../one-time-token/one-time-token.ts'
import { findOrganization } from '../organization/organization.ts'
import { inHashSlot } from '../password/hash-slots.ts'
import { hashPassword, isPassword, passwordProblems } from '../password/password.ts'
import type { AcceptPartnerInviteInput } from '../session/account.ts'
import { actingAs, signedIn, startSession } from '../session/session.actions.ts'
import type { SignedIn } from '../session/session.ts'
import { countFailure, countAddressFailure, refuseThrottled, refuseThrottledAddress } from '../session/throttle.ts'
import { nameLengthMax, refuseAny, textProblems } from '../text.ts'
import { visibleUpdates } from '../session/change-person.ts'
import { findNewcomer, updatePersonRow, updateUserRow } from '../user/user-rows.ts'
import { emailTaken } from '../user/user.actions.ts'
import { userChanges } from '../user/user.events.ts'
import {
  findPerson,
  findStoredUser,
  findUser,
  lockPerson,
  shownToOrganization,
  type KnownAs,
  type PersonProfile,
  type User,
} from '../user/user.ts'

/** Accepts an invitation. A person without a password sets one; a person with a password must send it. The token proves the address. */
export async function acceptInvitation(ctx: IdentityContext, input: AcceptPartnerInviteInput): Promise<SignedIn> {
  const [firstName, lastName] = [input.firstName.trim(), input.lastName.trim()]
  refuseAny([
    ...passwordProblems(input.password),
    ...textProblems('firstName', firstName, { min: 1, max: nameLengthMax }),
    ...textProblems('lastName', lastName, { min: 1, max: nameLengthMax }),
  ])
  await refuseThrottledAddress(ctx)
  const invitation = await findToken(ctx, 'INVITATION', input.token)
  if (!invitation) throw await countAddressFailure(ctx, wrongToken())
  await requireInvitedUser(ctx, invitation)
  const attempt = () => joined(ctx, invitation, { ...input, firstName, lastName })
  // The password may change after it was checked, for example by another invitation of the same person. Then it is checked once more.
  const answer = (await attempt()) ?? (await attempt())
  if (!answer) throw new Refusal('UNAUTHENTICATED', 'The email or the password is wrong.')
  return answer
}

/** Returns null and changes nothing when the person's password changed after it was checked. */
async function joined(ctx: IdentityContext, invitation: OneTimeToken, input: AcceptPartnerInviteInput) {
  const proof = await proven(ctx, invitation.email, input.password)
  return inTransaction(inInvitingOrganization(ctx, invitation), async (inner) => {
    await lockOrganization(inner)
    const user = await requireInvitedUser(inner, invitation)
    const person = await lockPerson(inner.db, { id: invitation.personId!, email: invitation.email })
    if (!person || !(await isUserOf(inner, user.id, person.id))) throw wrongToken()
    if (person.passwordHash !== proof.knownHash) return null
    const acting = actingAs(inner, user)
    if (!(await consumeToken(acting, 'INVITATION', input.token))) throw wrongToken()
    const member = await join(acting, person, { ...namesIn(input), userId: user.id, newHash: proof.newHash })
    return signedIn(acting, member, await startSession(acting))
  })
}

const inInvitingOrganization = (ctx: IdentityContext, { organizationId }: OneTimeToken): IdentityContext => ({
  ...ctx,
  caller: { ...ctx.caller, organizationId: organizationId! },
})

/** The current state of the invited user. The invitation is invalid when the inviter may no longer give the offered role. */
async function requireInvitedUser({ db }: IdentityContext, { organizationId, data }: OneTimeToken): Promise<User> {
  const { userId, role, invitedById } = data as { userId: string; invitedById: string } & Pick<User, 'role'>
  const organization = await findOrganization(db, organizationId!)
  const inviter = await findUser(db, organizationId!, invitedById)
  const user = await findUser(db, organizationId!, userId)
  if (organization?.status !== 'ACTIVE' || !user || !inviter?.isActive || !mayGiveRole(inviter.role, role)) {
    throw wrongToken()
  }
  return user
}

/** Whether the user is still this person. A directory may have assigned the user to another person since the invitation. */
async function isUserOf({ db, caller }: IdentityContext, userId: string, personId: string): Promise<boolean> {
  const found = await db.query(
    'select 1 from identity.app_user where organization_id = $1 and id = $2 and person_id = $3',
    [caller.organizationId, userId, personId],
  )
  return found.length > 0
}

interface Proof {
  /** The password hash at the time of the check; it must be the same when the person joins. */
  readonly knownHash: string | null
  readonly newHash: string | null
}

/** Computes one hash in both cases. A person without a password gets this one, because the token proves the address. */
function proven(ctx: IdentityContext, email: string, password: string): Promise<Proof> {
  return inHashSlot(async () => {
    await refuseThrottled(ctx, email, 'MAILED')
    const knownHash = (await findPerson(ctx.db, email))?.passwordHash ?? null
    if (knownHash === null) return { knownHash, newHash: await hashPassword(password) }
    if (await isPassword(password, knownHash)) return { knownHash, newHash: null }
    throw await countFailure(ctx, email, emailTaken(), 'MAILED')
  }, ctx)
}

const namesIn = ({ firstName, lastName }: AcceptPartnerInviteInput): KnownAs => ({
  name: `${firstName} ${lastName}`,
  firstName,
  lastName,
})

interface Joining extends KnownAs {
  readonly userId: string
  readonly newHash: string | null
}

async function join(
  ctx: IdentityContext,
  person: PersonProfile,
  { userId, newHash, ...names }: Joining,
): Promise<User> {
  const { db, clock, caller } = ctx
  const now = clock.now().toISOString()
  const isNewcomer = newHash !== null && (await findNewcomer(ctx, person.email)) !== null
  const personChange = { ...(isNewcomer && names), emailVerified: true }
  const updates = await visibleUpdates(ctx, person.id, personChange)
  const previous = (await findStoredUser(db, caller.organizationId, userId))!
  const userChange = { isActive: true, knownAs: null, hasJoined: true, updatedAt: now }
  const next = { ...previous, ...personChange, ...userChange }
  const change = { operation: 'UPDATE', previous, next, action: 'user.accepted' } as const
  const changes = [{ ctx, change }, ...updates.filter((update) => update.change.next.id !== userId)]
  const userRow = {
    is_active: true,
    invited_at: null,
    must_accept: false,
    has_joined: true,
    distrusts_password: false,
    known_as: null,
    updated_at: now,
  }
  const personRow = {
    ...(isNewcomer && { name: names.name, first_name: names.firstName, last_name: names.lastName }),
    ...(newHash !== null && { password_hash: newHash }),
    ...(!person.emailVerified && { email_verified_at: now }),
    is_password_proven: true,
    updated_at: now,
  }
  await writeChanges(ctx, userChanges, changes, (values) => ({
    person: updatePersonRow(person.id, personRow)(values),
    written: updateUserRow(next, userRow)(values),
  }))
  return shownToOrganization(next)
}
