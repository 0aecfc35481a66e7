import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { issueToken, consumeToken, wrongToken } from '../one-time-token/one-time-token.ts'
import type { EmailVerified } from './account.ts'
import { updatePersonRow } from '../user/user-rows.ts'
import { changePerson } from './change-person.ts'
import { verifyEmailMail } from './mails.ts'
import { countAddressFailure, refuseThrottledAddress } from './throttle.ts'

interface NewAddress {
  readonly email: string
  readonly origin?: string | null | undefined
}

/** Sends a mail for verifying the address, unless it is verified. Must be called in a transaction. */
export async function sendVerificationMail(ctx: IdentityContext, { email, origin }: NewAddress): Promise<void> {
  const [person] = await ctx.db.query<{ id: string }>(
    'select id from identity.person where email = $1 and email_verified_at is null',
    [email],
  )
  if (!person) return
  const issue = () => issueToken(ctx, 'VERIFY_EMAIL', { email, personId: person.id })
  await verifyEmailMail(ctx, email, issue, origin ?? null)
}

/** Marks the address as verified after a mailed token was used. The person must be locked. */
export function markVerified(ctx: IdentityContext, personId: string): Promise<void> {
  const now = ctx.clock.now().toISOString()
  const row = updatePersonRow(personId, { email_verified_at: now, updated_at: now }, 'email_verified_at is null')
  return changePerson(ctx, personId, { emailVerified: true }, row)
}

export async function verifyEmail(ctx: IdentityContext, token: string): Promise<EmailVerified> {
  await refuseThrottledAddress(ctx)
  const email = await inTransaction(ctx, async (inner) => {
    const taken = await consumeToken(inner, 'VERIFY_EMAIL', token)
    if (!taken) return null
    await markVerified(inner, taken.personId)
    // Only a registration with a password sends this mail, so the password is proven too.
    await inner.db.query('update identity.person set is_password_proven = true where id = $1', [taken.personId])
    return taken.email
  })
  if (email === null) throw await countAddressFailure(ctx, wrongToken())
  return { email, emailVerified: true }
}
