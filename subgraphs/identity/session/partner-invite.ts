import type { IdentityContext } from '../context.ts'
import { invite } from '../invitation/invitation.ts'
import { emailProblems, normalizeEmail, refuseAny } from '../text.ts'
import type { PartnerInvite, PartnerInviteInput } from './account.ts'

/** Invites a person by an email address only. A repeated invitation replaces the former one. */
export async function invitePartner(ctx: IdentityContext, input: PartnerInviteInput): Promise<PartnerInvite> {
  const { role = 'MEMBER', visibility = 'OWN' } = input
  const email = normalizeEmail(input.email)
  refuseAny(emailProblems(email))
  const knownAs = { name: email.split('@')[0]!, firstName: null, lastName: null }
  const { expiresAt } = await invite(ctx, { email, role, visibility, knownAs, mayRepeat: true })
  return { email, role, visibility, expiresAt: expiresAt.toISOString() }
}
