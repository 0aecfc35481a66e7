import type { FieldProblem } from '../../kernel/errors.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { httpsUrlProblems, nameLengthMax, refuseAny, textProblems } from '../text.ts'
import { timezoneProblems } from '../../kernel/values/time-zone.ts'
import { updatePersonRow } from '../user/user-rows.ts'
import { findUser, type User } from '../user/user.ts'
import type { UpdateProfileInput } from './account.ts'
import { changePerson } from './change-person.ts'
import { lockOwnPerson } from './person.ts'

const columnOf = {
  name: 'name',
  firstName: 'first_name',
  lastName: 'last_name',
  timezone: 'timezone',
  locale: 'locale',
  avatar: 'avatar',
} as const
type Profile = Pick<User, keyof typeof columnOf>
const fields = Object.keys(columnOf) as (keyof Profile)[]

/** Changes the profile of the person in all organizations. */
export function updateProfile(ctx: IdentityContext, input: UpdateProfileInput): Promise<User> {
  refuseAny(problemsOf(input))
  return inTransaction(ctx, async (inner) => {
    const { organizationId, userId } = inner.caller
    const person = await lockOwnPerson(inner)
    const own = (await findUser(inner.db, organizationId, userId))!
    const wanted = profileOf(own, input)
    if (fields.every((name) => wanted[name] === own[name])) return own
    const columns = Object.fromEntries(fields.map((name) => [columnOf[name], wanted[name]]))
    const row = { ...columns, updated_at: inner.clock.now().toISOString() }
    await changePerson(inner, person.id, wanted, updatePersonRow(person.id, row))
    return (await findUser(inner.db, organizationId, userId))!
  })
}

/** A new first or last name also changes the full name, unless that is given too. */
function profileOf(own: User, input: UpdateProfileInput): Profile {
  const part = (name: 'firstName' | 'lastName') => (input[name] === undefined ? own[name] : input[name]?.trim() || null)
  const [firstName, lastName] = [part('firstName'), part('lastName')]
  const isRenamed = firstName !== own.firstName || lastName !== own.lastName
  const joined = [firstName, lastName].filter(Boolean).join(' ')
  return {
    name: input.name?.trim() ?? (isRenamed && joined ? joined : own.name),
    firstName,
    lastName,
    timezone: input.timezone ?? own.timezone,
    avatar: input.avatar === undefined ? own.avatar : input.avatar && new URL(input.avatar).href,
    locale: input.locale ? Intl.getCanonicalLocales(input.locale)[0]! : own.locale,
  }
}

function problemsOf(input: UpdateProfileInput): FieldProblem[] {
  const { name, firstName, lastName, timezone, locale, avatar } = input
  const problems = [
    ...(name === undefined ? [] : textProblems('name', name?.trim() ?? '', { min: 1, max: nameLengthMax })),
    ...textProblems('firstName', firstName ?? '', { max: nameLengthMax }),
    ...textProblems('lastName', lastName ?? '', { max: nameLengthMax }),
    ...(timezone === undefined ? [] : timezoneProblems('timezone', timezone)),
    ...(avatar == null ? [] : httpsUrlProblems('avatar', avatar)),
  ]
  if (locale === null || (locale !== undefined && !isLocale(locale))) {
    problems.push({
      path: 'locale',
      code: 'NOT_A_LOCALE',
      message: 'locale must be a BCP 47 language tag, for example en or de-CH.',
    })
  }
  return problems
}

function isLocale(text: string): boolean {
  try {
    return text.length <= 35 && new Intl.Locale(text).language !== ''
  } catch {
    return false
  }
}
