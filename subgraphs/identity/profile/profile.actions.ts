import { invalid, notFound, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { appendEvent } from '../identity-event.ts'
import { refuseAny, textProblems } from '../text.ts'
import { changeUser } from '../user/user.actions.ts'
import type { User } from '../user/user.ts'
import { restrictionProblems, restrictionsIn, restrictionsInWords } from './profile.rules.ts'
import { findProfile, profilesOf, type Profile } from './profile.ts'

export const profilesMax = 100

export interface ProfileChange {
  readonly name?: string | null
  readonly isDefault?: boolean | null
  /** HIDDEN, READ or WRITE by object and field; stands in place of all that was said before. */
  readonly fields?: unknown
}

function problemsOf({ name, fields }: ProfileChange): FieldProblem[] {
  return [
    ...(name == null ? [] : textProblems('name', name, { max: 100 })),
    ...(name != null && name.trim() === '' ? [{ path: 'name', code: 'TOO_SHORT', message: 'name is not blank.' }] : []),
    ...(fields == null ? [] : restrictionProblems(fields)),
  ]
}

/** With the profiles of the organization locked, so that names and the default stay one of a kind. */
function changingProfiles<T>(
  ctx: RequestContext,
  work: (ctx: RequestContext, known: Profile[]) => Promise<T>,
): Promise<T> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    await inner.db.query('select 1 from identity.organization where id = $1 for no key update', [organizationId])
    return work(inner, await profilesOf(inner.db, organizationId))
  })
}

function refuseTaken(known: readonly Profile[], { id, name }: Profile): void {
  const other = known.find((profile) => profile.id !== id && profile.name.toLowerCase() === name.toLowerCase())
  if (!other) return
  const message = 'Another profile has this name.'
  throw new Refusal('UNIQUE_VIOLATION', message, {
    errors: [{ path: 'name', code: 'NOT_UNIQUE', message, conflictingId: other.id }],
  })
}

/** There is one default: a new one takes the place of the other. */
async function write(ctx: RequestContext, profile: Profile): Promise<void> {
  const { organizationId, id, name, isDefault, fields, createdAt, updatedAt } = profile
  if (isDefault) {
    await ctx.db.query(
      'update identity.profile set is_default = false, updated_at = $3 where organization_id = $1 and id <> $2 and is_default',
      [organizationId, id, updatedAt],
    )
  }
  await ctx.db.query(
    `insert into identity.profile (organization_id, id, name, is_default, fields, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (organization_id, id) do update
     set name = $3, is_default = $4, fields = $5, updated_at = $7`,
    [organizationId, id, name, isDefault, JSON.stringify(fields), createdAt, updatedAt],
  )
}

const told = ({ fields, ...profile }: Profile) => ({ ...profile, restrictions: restrictionsInWords(fields) })

async function announce(
  ctx: RequestContext,
  what: 'created' | 'updated' | 'deleted',
  profile: Profile,
  before?: Profile,
) {
  const { id } = profile
  const [record, previous] = [told(profile), before && told(before)]
  const changedFields = previous
    ? (['name', 'isDefault', 'restrictions'] as const).filter(
        (name) => JSON.stringify(record[name]) !== JSON.stringify(previous[name]),
      )
    : null
  await appendEvent(ctx, {
    type: `profile.${what}`,
    record,
    ...(previous && { previous, changedFields: changedFields! }),
  })
  const gone = what === 'deleted'
  const entry = { before: gone ? profile : (before ?? null), after: gone ? null : profile }
  await appendAudit(ctx, { action: `profile.${what}`, target: { type: 'profile', id }, ...entry })
}

/** Who may do this is for the caller to decide. */
export async function createProfile(
  ctx: RequestContext,
  wanted: ProfileChange & { readonly name: string },
): Promise<Profile> {
  refuseAny(problemsOf(wanted))
  return changingProfiles(ctx, async (inner, known) => {
    if (known.length >= profilesMax)
      throw new Refusal('INVALID_STATE', `An organization has at most ${profilesMax} profiles.`, { allowed: [] })
    const now = inner.clock.now().toISOString()
    const profile: Profile = {
      id: newId(),
      organizationId: inner.caller.organizationId,
      name: wanted.name,
      isDefault: wanted.isDefault ?? false,
      fields: restrictionsIn((wanted.fields ?? {}) as never),
      createdAt: now,
      updatedAt: now,
    }
    refuseTaken(known, profile)
    await write(inner, profile)
    await announce(inner, 'created', profile)
    return profile
  })
}

/** In effect with the next request of every credential of its users. */
export async function updateProfile(ctx: RequestContext, id: string, change: ProfileChange): Promise<Profile> {
  refuseAny(problemsOf(change))
  return changingProfiles(ctx, async (inner, known) => {
    const previous = known.find((profile) => profile.id === id.toLowerCase())
    if (!previous) throw notFound('The profile')
    const profile: Profile = {
      ...previous,
      name: change.name ?? previous.name,
      isDefault: change.isDefault ?? previous.isDefault,
      fields: change.fields == null ? previous.fields : restrictionsIn(change.fields as never),
      updatedAt: inner.clock.now().toISOString(),
    }
    const isSame =
      JSON.stringify({ ...told(profile), updatedAt: '' }) === JSON.stringify({ ...told(previous), updatedAt: '' })
    if (isSame) return previous
    refuseTaken(known, profile)
    await write(inner, profile)
    await announce(inner, 'updated', profile, previous)
    return profile
  })
}

/** A profile that users have is kept. */
export function deleteProfile(ctx: RequestContext, id: string): Promise<string> {
  return changingProfiles(ctx, async (inner, known) => {
    const profile = known.find((candidate) => candidate.id === id.toLowerCase())
    if (!profile) throw notFound('The profile')
    const { organizationId } = inner.caller
    const [users] = await inner.db.query<{ count: number }>(
      'select count(*)::int as count from identity.app_user where organization_id = $1 and profile_id = $2',
      [organizationId, profile.id],
    )
    if (users!.count > 0) {
      throw new Refusal('HAS_DEPENDENTS', 'Users have this profile; give them another one first.', {
        dependents: { users: users!.count },
      })
    }
    await inner.db.query('delete from identity.profile where organization_id = $1 and id = $2', [
      organizationId,
      profile.id,
    ])
    await announce(inner, 'deleted', profile)
    return profile.id
  })
}

/** Null: the default of the organization. In effect with the user's next request. */
export function assignProfile(ctx: RequestContext, userId: string, profileId: string | null): Promise<User> {
  return inTransaction(ctx, async (inner) => {
    if (profileId !== null && !(await findProfile(inner.db, inner.caller.organizationId, profileId))) {
      const message = 'profileId names no profile of the organization.'
      throw invalid({ path: 'profileId', code: 'UNKNOWN_REFERENCE', message })
    }
    return changeUser(inner, userId, { profileId: profileId?.toLowerCase() ?? null })
  })
}
