import { Refusal } from '../../kernel/errors.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { findOrganization } from '../organization/organization.ts'
import { inHashSlot } from '../password/hash-slots.ts'
import { isPassword, passwordLengthMax } from '../password/password.ts'
import { emailLengthMax, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { findPerson, lockMemberships, type Membership, type Person } from '../user/user.ts'
import { isKnownDevice } from './device-token.ts'
import { lockUnchangedPerson } from './person.ts'
import { actingAs, signedIn, startSession } from './session.actions.ts'
import type { LoginInput, SignedIn } from './session.ts'
import { countFailure, refuseThrottled } from './throttle.ts'

const wrong = () => new Refusal('UNAUTHENTICATED', 'The email or the password is wrong.')

/** Unknown accounts get the same answer after the same time as a wrong password, so that only the right password reveals an account. */
export async function login(ctx: IdentityContext, input: LoginInput): Promise<SignedIn> {
  const { person, users, attempt } = await verifiedPassword(ctx, input)
  const isKnownDevice = attempt === 'KNOWN_DEVICE'
  const [{ id, organizationId }] = users
  return inTransaction(ctx, async (inner) => {
    const user = (await lockVerifiedMemberships(inner, person)).find(
      (found) => found.organizationId === organizationId && found.id === id,
    )
    if (!user) throw wrong()
    const organization = await findOrganization(inner.db, organizationId)
    if (organization?.status === 'SUSPENDED') {
      throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
    }
    const acting = actingAs(inner, user)
    return signedIn(acting, user, await startSession(acting, { isKnownDevice }))
  })
}

interface VerifiedPassword {
  readonly person: Person
  readonly users: readonly [Membership, ...Membership[]]
  readonly attempt: 'KNOWN_DEVICE' | 'UNKNOWN_DEVICE'
}

/** The users of the person with this email and password, the latest sign-in first. Starts no session. */
export async function authenticate(
  ctx: IdentityContext,
  input: LoginInput,
): Promise<readonly [Membership, ...Membership[]]> {
  return (await verifiedPassword(ctx, input)).users
}

/** The throttle is checked inside the hash slot, so that waiting guesses count the failures of earlier ones. */
async function verifiedPassword(ctx: IdentityContext, input: LoginInput): Promise<VerifiedPassword> {
  const { password, organizationId } = input
  const email = normalizeEmail(input.email)
  refuseAny([
    ...textProblems('email', email, { min: 1, max: emailLengthMax }),
    ...textProblems('password', password, { min: 1, max: passwordLengthMax }),
  ])
  const attempt = isKnownDevice(ctx, email, input.deviceToken) ? 'KNOWN_DEVICE' : 'UNKNOWN_DEVICE'
  return inHashSlot(async () => {
    await refuseThrottled(ctx, email, attempt)
    const person = await findPerson(ctx.db, email)
    const isRight = await isPassword(password, person?.passwordHash ?? null)
    const memberships =
      person && isRight ? await inTransaction(ctx, (inner) => lockVerifiedMemberships(inner, person)) : []
    const [user, ...others] = organizationId
      ? memberships.filter((found) => found.organizationId === organizationId.toLowerCase())
      : memberships
    if (!person || !user) throw await countFailure(ctx, email, wrong(), attempt)
    return { person, users: [user, ...others], attempt }
  }, ctx)
}

/** The memberships that this password gives access to, locked until the transaction ends. */
async function lockVerifiedMemberships(ctx: IdentityContext, person: Person): Promise<Membership[]> {
  await lockUnchangedPerson(ctx, person)
  return lockMemberships(ctx.db, person.id, 'password')
}
