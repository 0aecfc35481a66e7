import { Refusal } from '../../kernel/errors.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { findOrganization } from '../organization/organization.ts'
import { inHashSlot } from '../password/hash-slots.ts'
import { isPassword, passwordLengthMax } from '../password/password.ts'
import { emailLengthMax, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { findPerson, membershipsOf, type User } from '../user/user.ts'
import { actingAs, signedIn, startSession } from './session.actions.ts'
import type { LoginInput, SignedIn } from './session.ts'
import { failed, refuseThrottled } from './throttle.ts'

const wrong = () => new Refusal('UNAUTHENTICATED', 'The email or the password is wrong.')

/** Answers, and takes as long, as if every account existed: only the right password tells anything. */
export async function login(ctx: RequestContext, input: LoginInput): Promise<SignedIn> {
  const [user] = await recognize(ctx, input)
  const organization = await findOrganization(ctx.db, user.organizationId)
  if (organization?.status === 'SUSPENDED') {
    throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
  }
  return inTransaction(actingAs(ctx, user), async (inner) => signedIn(inner, user, await startSession(inner)))
}

/** The users who the person with this email and password is, that of the latest sign-in first; no session starts. */
export async function recognize(ctx: RequestContext, input: LoginInput): Promise<readonly [User, ...User[]]> {
  const email = normalizeEmail(input.email)
  refuseAny([
    ...textProblems('email', email, { min: 1, max: emailLengthMax }),
    ...textProblems('password', input.password, { min: 1, max: passwordLengthMax }),
  ])
  return recognized(ctx, email, input)
}

/** The throttle is asked inside the slot, so that guesses that wait in line see the failures of those before them. */
function recognized(
  ctx: RequestContext,
  email: string,
  { password, organizationId }: LoginInput,
): Promise<readonly [User, ...User[]]> {
  return inHashSlot(async () => {
    await refuseThrottled(ctx, email)
    const person = await findPerson(ctx.db, email)
    const isRight = await isPassword(password, person?.passwordHash ?? null)
    const memberships = person && isRight ? await membershipsOf(ctx.db, person.id) : []
    const [user, ...others] = organizationId
      ? memberships.filter((found) => found.organizationId === organizationId.toLowerCase())
      : memberships
    if (!user) throw await failed(ctx, email, wrong())
    return [user, ...others]
  })
}
