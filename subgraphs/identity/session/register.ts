import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { lockOrganization } from '../admin/administer.ts'
import { addOrganization, normalizeCode } from '../organization/organization.actions.ts'
import { findOrganizationByCode } from '../organization/organization.ts'
import { inHashSlot } from '../password/hash-slots.ts'
import { hashPassword, isPassword, passwordProblems } from '../password/password.ts'
import { emailProblems, nameLengthMax, normalizeEmail, refuseAny, textProblems } from '../text.ts'
import { addUser, emailTaken, type NewUser } from '../user/user.actions.ts'
import { findNewcomer } from '../user/user-rows.ts'
import { findPerson, lockPerson, type Person } from '../user/user.ts'
import { registrationRefusedMail } from './mails.ts'
import { lockUnchangedPerson } from './person.ts'
import { actingAs, signedIn, startSession } from './session.actions.ts'
import type { RegisterInput, SignedIn } from './session.ts'
import { countRegistration, countFailure, refuseThrottled, countRefusedRegistration } from './throttle.ts'
import { sendVerificationMail } from './verify-email.ts'

/**
 * Joins the organization with the given code as a member, or creates an organization and becomes its owner. A person with an existing
 * account proves it with the password, and gets another membership.
 */
export async function register(ctx: IdentityContext, input: RegisterInput): Promise<SignedIn> {
  refuseClosed(ctx, input)
  const email = normalizeEmail(input.email)
  refuseAny(problemsOf(input, email))
  await countRegistration(ctx)
  const organizationId = input.organizationCode ? await requireOrganizationByCode(ctx, input.organizationCode) : null
  const person = await provenPerson(ctx, email, input.password)
  const membership = organizationId
    ? ({ organizationId, role: 'MEMBER', visibility: 'OWN' } as const)
    : ({ organizationId: newId(), role: 'OWNER', visibility: 'ALL' } as const)
  const { proven, ...known } = person
  const newcomer: NewUser = { id: newId(), email, ...namesOf(input, email), ...known, ...membership }
  return inTransaction(actingAs(ctx, newcomer), async (inner) => {
    if (input.organizationCode) {
      await lockOrganization(inner)
      await requireOrganizationByCode(inner, input.organizationCode)
    }
    if (proven) await lockUnchangedPerson(inner, proven)
    else if (person.personId) await lockNewcomer(inner, { id: person.personId, email })
    if (!organizationId) {
      const name = input.company?.trim() || `${newcomer.name}'s organization`
      await addOrganization(inner, { id: membership.organizationId, name })
    }
    const user = await addUser(inner, newcomer)
    await sendVerificationMail(inner, { email, origin: input.origin })
    return signedIn(inner, user, await startSession(inner))
  })
}

/** The operator decides by `REGISTRATION` who may register. */
function refuseClosed({ settings: { registration } }: IdentityContext, { organizationCode }: RegisterInput): void {
  if (registration === 'OPEN' || (registration === 'CODE' && organizationCode)) return
  const advice =
    registration === 'CODE'
      ? 'New organizations cannot be registered here: send organizationCode to join an existing one.'
      : 'Registration is off: ask an administrator of your organization for an invitation.'
  throw new Refusal('PERMISSION_DENIED', advice)
}

function problemsOf(input: RegisterInput, email: string): FieldProblem[] {
  const texts = ['name', 'firstName', 'lastName', 'company', 'organizationCode', 'origin'] as const
  return [
    ...emailProblems(email),
    ...passwordProblems(input.password),
    ...texts.flatMap((path) => textProblems(path, input[path] ?? '', { max: nameLengthMax })),
    ...originProblems(input.origin),
  ]
}

function originProblems(origin: string | null | undefined): FieldProblem[] {
  if (!origin) return []
  const url = URL.parse(origin)
  if (url && /^https?:$/.test(url.protocol) && url.origin === origin.replace(/\/$/, '')) return []
  return [
    {
      path: 'origin',
      code: 'NOT_AN_ORIGIN',
      message: 'origin must be a scheme and a host, for example https://app.example.com.',
    },
  ]
}

/** A suspended organization answers like an unknown one: nobody can join it. */
async function requireOrganizationByCode(ctx: IdentityContext, code: string): Promise<string> {
  const organization = await findOrganizationByCode(ctx.db, normalizeCode(code))
  if (organization?.status === 'ACTIVE') return organization.id
  throw invalid({
    path: 'organizationCode',
    code: 'UNKNOWN_REFERENCE',
    message: 'organizationCode must be the code of an organization. Ask its administrator for the current code.',
  })
}

interface ProvenPerson extends Pick<NewUser, 'personId' | 'passwordHash'> {
  /** The person at the time when the password was verified. */
  readonly proven: Person | null
  /** True for an invited person who registers instead of accepting the invitation. */
  readonly isNewcomer: boolean
}

/** The person for an email address: the existing one if the password is right, or a new one. Computes one hash in both cases. */
function provenPerson(ctx: IdentityContext, email: string, password: string): Promise<ProvenPerson> {
  return inHashSlot(async () => {
    await refuseThrottled(ctx, email)
    const person = await findPerson(ctx.db, email)
    const newcomerId = person && (await findNewcomer(ctx, email))
    if (!person || newcomerId) {
      const passwordHash = await hashPassword(password)
      return { personId: newcomerId, passwordHash, proven: null, isNewcomer: newcomerId !== null }
    }
    if (await isPassword(password, person.passwordHash)) {
      return { personId: person.id, passwordHash: null, proven: person, isNewcomer: false }
    }
    const refused = await countFailure(ctx, email, await countRefusedRegistration(ctx, emailTaken()))
    await inTransaction(ctx, (inner) => registrationRefusedMail(inner, email))
    throw refused
  }, ctx)
}

/** A newcomer who has accepted an invitation in the meantime, or has another address, is refused. */
async function lockNewcomer(ctx: IdentityContext, person: Pick<Person, 'id' | 'email'>): Promise<void> {
  if (!(await lockPerson(ctx.db, person)) || !(await findNewcomer(ctx, person.email))) throw emailTaken()
}

function namesOf({ name, firstName, lastName }: RegisterInput, email: string) {
  const given = [firstName, lastName].map((part) => part?.trim()).filter(Boolean)
  return {
    name: given.join(' ') || name?.trim() || email.slice(0, email.indexOf('@')),
    firstName: firstName?.trim() || null,
    lastName: lastName?.trim() || null,
  }
}
