import { invalid, notFound, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { save } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { refuseAny, textProblems } from '../text.ts'
import { changeUser } from '../user/user.actions.ts'
import type { User } from '../user/user.ts'
import { restrictionProblems, restrictionsIn } from './profile.rules.ts'
import { findProfile, profilesOf, type Profile } from './profile.ts'
import { profile } from './profile.record.ts'

export const profilesMax = 100

export interface ProfileChange {
  readonly name?: string | null
  readonly isDefault?: boolean | null
  /** HIDDEN, READ or WRITE by object and field; replaces all former restrictions. */
  readonly fields?: unknown
}

function problemsOf({ shapes }: IdentityContext, { name, fields }: ProfileChange): FieldProblem[] {
  return [
    ...(name == null ? [] : textProblems('name', name, { max: 100 })),
    ...(name != null && name.trim() === ''
      ? [{ path: 'name', code: 'TOO_SHORT', message: 'name must not be empty.' }]
      : []),
    ...(fields == null ? [] : restrictionProblems(fields, shapes)),
  ]
}

/** Runs a change with the profiles of the organization locked, so that names stay unique and there is at most one default profile. */
function changingProfiles<T>(
  ctx: IdentityContext,
  work: (ctx: IdentityContext, known: Profile[]) => Promise<T>,
): Promise<T> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    await inner.db.query('select 1 from identity.organization where id = $1 for no key update', [organizationId])
    return work(inner, await profilesOf(inner.db, organizationId))
  })
}

function refuseTaken(known: readonly Profile[], name: string, ownId: string | null): void {
  const other = known.find((candidate) => candidate.id !== ownId && candidate.name.toLowerCase() === name.toLowerCase())
  if (!other) return
  const message = 'name must be unique; another profile has this name.'
  throw new Refusal('UNIQUE_VIOLATION', message, {
    errors: [{ path: 'name', code: 'NOT_UNIQUE', message, conflictingId: other.id }],
  })
}

/** Ends the current default profile, because an organization has at most one. */
async function endDefault({ db, caller, clock }: IdentityContext): Promise<void> {
  await db.query(
    'update identity.profile set is_default = false, updated_at = $2 where organization_id = $1 and is_default',
    [caller.organizationId, clock.now().toISOString()],
  )
}

/** Does not check the rights of the caller. */
export async function createProfile(
  ctx: IdentityContext,
  wanted: ProfileChange & { readonly name: string },
): Promise<Profile> {
  refuseAny(problemsOf(ctx, wanted))
  return changingProfiles(ctx, async (inner, known) => {
    if (known.length >= profilesMax)
      throw refusalInSituation(`Limit of ${profilesMax} profiles in an organization reached; delete a profile first.`)
    const { name } = wanted
    const isDefault = wanted.isDefault ?? false
    const values = { name, isDefault, fields: restrictionsIn((wanted.fields ?? {}) as never) }
    refuseTaken(known, name, null)
    if (isDefault) await endDefault(inner)
    return save(inner, profile, { operation: 'CREATE', previous: null, values })
  })
}

/** Takes effect with the next request of every credential of the users with this profile. */
export async function updateProfile(ctx: IdentityContext, id: string, change: ProfileChange): Promise<Profile> {
  refuseAny(problemsOf(ctx, change))
  return changingProfiles(ctx, async (inner, known) => {
    const previous = known.find((candidate) => candidate.id === id.toLowerCase())
    if (!previous) throw notFound('The profile')
    const values = {
      name: change.name ?? previous.name,
      isDefault: change.isDefault ?? previous.isDefault,
      fields: change.fields == null ? previous.fields : restrictionsIn(change.fields as never),
    }
    refuseTaken(known, values.name, previous.id)
    if (values.isDefault && !previous.isDefault) await endDefault(inner)
    return save(inner, profile, { operation: 'UPDATE', previous, values })
  })
}

/** Refused while users have the profile. */
export function deleteProfile(ctx: IdentityContext, id: string): Promise<string> {
  return changingProfiles(ctx, async (inner, known) => {
    const previous = known.find((candidate) => candidate.id === id.toLowerCase())
    if (!previous) throw notFound('The profile')
    const [users] = await inner.db.query<{ count: number }>(
      'select count(*)::int as count from identity.app_user where organization_id = $1 and profile_id = $2',
      [inner.caller.organizationId, previous.id],
    )
    if (users!.count > 0) {
      throw new Refusal('HAS_DEPENDENTS', 'Users have this profile; assign another profile to them first.', {
        dependents: { users: users!.count },
      })
    }
    const { id: deleted } = await save(inner, profile, { operation: 'DELETE', previous, values: {} })
    return deleted
  })
}

/** Null: the default profile of the organization. Takes effect with the user's next request. */
export function assignProfile(ctx: IdentityContext, userId: string, profileId: string | null): Promise<User> {
  return inTransaction(ctx, async (inner) => {
    if (profileId !== null && !(await findProfile(inner.db, inner.caller.organizationId, profileId))) {
      const message = 'profileId must be the id of a profile of the organization.'
      throw invalid({ path: 'profileId', code: 'UNKNOWN_REFERENCE', message })
    }
    return changeUser(inner, userId, { profileId: profileId?.toLowerCase() ?? null })
  })
}
