import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { checkCode, codeProblems, issueCode, wrongCode } from '../one-time-token/reset-code.ts'
import { consumeFoundToken, type ProvenToken } from '../one-time-token/one-time-token.ts'
import { inHashSlot } from '../password/hash-slots.ts'
import { hashPassword, passwordProblems } from '../password/password.ts'
import { emailProblems, normalizeEmail, refuseAny } from '../text.ts'
import { findPerson } from '../user/user.ts'
import type {
  EmailInput,
  MailRequested,
  PasswordChanged,
  ResetCodeInput,
  ResetCodeVerified,
  ResetPasswordInput,
} from './account.ts'
import { resetCodeMail } from './mails.ts'
import { setPassword, trustPassword } from './person.ts'
import { countFailure, refuseThrottled } from './throttle.ts'
import { markVerified } from './verify-email.ts'

/** Does the same work and gives the same answer for addresses with and without an account. */
export async function forgotPassword(ctx: IdentityContext, input: EmailInput): Promise<MailRequested> {
  const email = normalizeEmail(input.email)
  refuseAny(emailProblems(email))
  await inTransaction(ctx, async (inner) => {
    const person = await findPerson(inner.db, email)
    const subject = { email, personId: person?.id ?? null }
    await resetCodeMail(inner, { to: email, withheld: !person }, () => issueCode(inner, subject))
  })
  return { accepted: true }
}

/** Does not consume the code, so that the reset can use it. */
export async function verifyResetCode(ctx: IdentityContext, input: ResetCodeInput): Promise<ResetCodeVerified> {
  const email = normalizeEmail(input.email)
  refuseAny([...emailProblems(email), ...codeProblems(input.code)])
  const { expiresAt } = await requireValidCode(ctx, email, input.code)
  return { valid: true, expiresAt }
}

/** Sets a new password, and ends all sessions of the person in all organizations. */
export async function resetPassword(ctx: IdentityContext, input: ResetPasswordInput): Promise<PasswordChanged> {
  const email = normalizeEmail(input.email)
  refuseAny([
    ...emailProblems(email),
    ...codeProblems(input.code),
    ...passwordProblems(input.newPassword, 'newPassword'),
  ])
  const code = await requireValidCode(ctx, email, input.code)
  const passwordHash = await inHashSlot(() => hashPassword(input.newPassword), ctx)
  await inTransaction(ctx, async (inner) => {
    if (!(await consumeFoundToken(inner, code))) throw wrongCode()
    await markVerified(inner, code.personId)
    await setPassword(inner, { id: code.personId, email, passwordHash })
    await trustPassword(inner, code.personId)
  })
  return { changedAt: ctx.clock.now().toISOString() }
}

async function requireValidCode(ctx: IdentityContext, email: string, code: string): Promise<ProvenToken> {
  await refuseThrottled(ctx, email, 'MAILED')
  const token = await checkCode(ctx, email, code)
  if (!token?.personId) throw await countFailure(ctx, email, wrongCode(), 'MAILED')
  return { ...token, personId: token.personId }
}
