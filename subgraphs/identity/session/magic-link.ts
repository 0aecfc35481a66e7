import { Refusal } from '../../kernel/errors.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { issueToken, consumeToken, wrongToken } from '../one-time-token/one-time-token.ts'
import { findOrganization } from '../organization/organization.ts'
import { emailProblems, normalizeEmail, refuseAny } from '../text.ts'
import { findPerson, lockMemberships } from '../user/user.ts'
import type { EmailInput, MailRequested } from './account.ts'
import { magicLinkMail } from './mails.ts'
import { actingAs, signedIn, startSession } from './session.actions.ts'
import type { SignedIn } from './session.ts'
import { countAddressFailure, refuseThrottledAddress } from './throttle.ts'
import { markVerified } from './verify-email.ts'

/** Does the same work and gives the same answer for addresses with and without an account. */
export async function sendMagicLink(ctx: IdentityContext, input: EmailInput): Promise<MailRequested> {
  const email = normalizeEmail(input.email)
  refuseAny(emailProblems(email))
  await inTransaction(ctx, async (inner) => {
    const person = await findPerson(inner.db, email)
    const subject = { email, personId: person?.id ?? null }
    await magicLinkMail(inner, { to: email, withheld: !person }, () => issueToken(inner, 'MAGIC_LINK', subject))
  })
  return { accepted: true }
}

/** Signs in to the organization of the latest sign-in. When the organization is suspended, the link is not consumed. */
export async function signInByLink(ctx: IdentityContext, token: string): Promise<SignedIn> {
  await refuseThrottledAddress(ctx)
  const answer = await inTransaction(ctx, async (inner) => {
    const taken = await consumeToken(inner, 'MAGIC_LINK', token)
    if (!taken) return null
    await markVerified(inner, taken.personId)
    const [user] = await lockMemberships(inner.db, taken.personId, 'mail')
    if (!user) return null
    const organization = await findOrganization(inner.db, user.organizationId)
    if (organization?.status === 'SUSPENDED') {
      throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
    }
    const acting = actingAs(inner, user)
    return signedIn(acting, user, await startSession(acting))
  })
  if (!answer) throw await countAddressFailure(ctx, wrongToken())
  return answer
}
