import { notFound, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { Values } from '../../kernel/record/predicate.ts'
import { insertRow, writeChange, type RowStatements } from '../../kernel/record/write-change.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { revokeApiKey } from '../api-key/api-key.actions.ts'
import { withdrawInvitationsBy } from '../invitation/withdraw-invitations.ts'
import { endConnections } from '../meeting/disconnect-meeting.ts'
import { endOwnTokensOf } from '../oauth/end-grants.ts'
import { endScimTokenOf } from '../scim/scim-token.ts'
import { endSignIns } from '../session/end-sign-ins.ts'
import { claimNewcomer, insertPerson, personIsWritten, updateUserRow } from './user-rows.ts'
import { userChanges } from './user.events.ts'
import {
  findPerson,
  findStoredUser,
  findUser,
  type KnownAs,
  type PersonProfile,
  type StoredUser,
  type User,
} from './user.ts'

export interface NewUser extends Pick<
  User,
  'id' | 'organizationId' | 'email' | 'name' | 'firstName' | 'lastName' | 'role' | 'visibility'
> {
  /** The person who must have the address; null: the person must not exist yet. Ignored with `knownAs`: then any person with the address is taken. */
  readonly personId?: string | null
  /** Hash of a new person's password; null: the person cannot sign in with a password. */
  readonly passwordHash: string | null
  /** True: the person was only invited before and registers now, with this password and these names. The person must be locked. */
  readonly isNewcomer?: boolean
  /** True: the user cannot act before the person accepts an invitation. */
  readonly isInvited?: boolean
  /** Time zone of a new person; UTC by default. */
  readonly timezone?: string
  /** True: a new person has proved to read the address. */
  readonly isEmailVerified?: boolean
  readonly externalId?: string | null
  /** Names that the organization gives the person; given when somebody else adds the person. */
  readonly knownAs?: KnownAs | null
  /** Whether the password gives no access to the organization until it is set with a mailed code. Absent: if somebody else adds the person and the password was never proven. */
  readonly distrustsPassword?: boolean
  /** True: a person who left becomes the same user again. False: the person is refused like a current user. */
  readonly mayReturn?: boolean
}

/** Whether somebody who cannot read mails to the address may have set the password. True for a person who is not stored yet. */
export async function hasUnprovenPassword({ db }: IdentityContext, personId: string): Promise<boolean> {
  const proven = await db.query(
    `select 1 from identity.person p where p.id = $1 and p.is_password_proven
       and not exists (select from identity.app_user u where u.person_id = $1 and u.distrusts_password)`,
    [personId],
  )
  return proven.length === 0
}

const taken = (message: string) =>
  new Refusal('UNIQUE_VIOLATION', message, { errors: [{ path: 'email', code: 'NOT_UNIQUE', message }] })

export const emailTaken = (): Refusal =>
  taken('An account with this email exists. Sign in, or send the password of the account.')

/** Adds a person as a user of the context's organization. Must run in a transaction. */
export async function addUser(ctx: IdentityContext, wanted: NewUser): Promise<User> {
  // When a concurrent transaction inserts a person with the address, the second attempt finds that person.
  const id = (await tryToAdd(ctx, wanted)) ?? (await tryToAdd(ctx, wanted))
  if (id === null) throw emailTaken()
  return (await findUser(ctx.db, wanted.organizationId, id))!
}

/** The id of the user; null when another person has the address. */
async function tryToAdd(ctx: IdentityContext, wanted: NewUser): Promise<string | null> {
  const person = await findPerson(ctx.db, wanted.email)
  if (!wanted.knownAs && person?.id !== (wanted.personId ?? undefined)) return null
  const former = person && wanted.mayReturn ? await findFormerUser(ctx, person.id) : null
  if (former) await removeTeamsAndKeys(ctx, former.id)
  const next = newUser(wanted, person, former, ctx.clock.now().toISOString())
  const rows = await userRows(ctx, wanted, person, next)
  const isAdded = await writeChange(ctx, userChanges, { operation: 'CREATE', previous: null, next }, rows)
  if (isAdded) return next.id
  if (person) throw taken('This person is already a user of the organization.')
  return null
}

interface FormerUser extends Pick<User, 'id' | 'profileId' | 'createdAt'> {}

async function findFormerUser({ db, caller }: IdentityContext, personId: string): Promise<FormerUser | null> {
  const [former] = await db.query<FormerUser>(
    `select id, profile_id as "profileId", created_at as "createdAt" from identity.app_user
     where organization_id = $1 and person_id = $2 and left_at is not null`,
    [caller.organizationId, personId],
  )
  return former ?? null
}

function newUser(wanted: NewUser, person: PersonProfile | null, former: FormerUser | null, now: string): StoredUser {
  const { id, organizationId, email, role, visibility, knownAs = null, externalId = null } = wanted
  const { isEmailVerified = false } = wanted
  const { name, firstName, lastName } = person && !wanted.isNewcomer ? person : wanted
  const {
    emailVerified = isEmailVerified,
    timezone = wanted.timezone ?? 'UTC',
    locale = 'en',
    avatar = null,
  } = person ?? {}
  return {
    id,
    organizationId,
    email,
    emailVerified,
    name,
    firstName,
    lastName,
    role,
    visibility,
    profileId: null,
    managerId: null,
    isActive: !wanted.isInvited,
    timezone,
    locale,
    avatar,
    createdAt: now,
    ...former,
    updatedAt: now,
    externalId,
    knownAs,
    hasJoined: knownAs === null,
  }
}

/** The statements that write the user, unless the person is a current user, and the person, if it is new. */
async function userRows(
  ctx: IdentityContext,
  wanted: NewUser,
  person: PersonProfile | null,
  user: StoredUser,
): Promise<(values: Values) => RowStatements> {
  const { passwordHash, name, firstName, lastName, isInvited = false, isNewcomer = false } = wanted
  const { isEmailVerified = false, distrustsPassword } = wanted
  const { email, createdAt, updatedAt: now } = user
  const { timezone } = user
  const newPerson = {
    id: person?.id ?? newId(),
    email,
    passwordHash,
    name,
    firstName,
    lastName,
    isEmailVerified,
    timezone,
    now,
  }
  const key = { organization_id: user.organizationId, id: user.id, person_id: newPerson.id }
  const columns = {
    role: user.role,
    visibility: user.visibility,
    is_active: user.isActive,
    invited_at: isInvited ? now : null,
    external_id: user.externalId,
    known_as: user.knownAs && JSON.stringify(user.knownAs),
    created_at: createdAt,
    updated_at: now,
    must_accept: isInvited,
    has_joined: user.hasJoined,
    // True: somebody who cannot read mails to the address may have set the password, so it does not open this organization.
    distrusts_password: distrustsPassword ?? (!user.hasJoined && (await hasUnprovenPassword(ctx, newPerson.id))),
  }
  const onConflict = `on conflict (organization_id, person_id) do update
    set ${Object.keys(columns)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}, left_at = null
    where app_user.id = excluded.id and app_user.left_at is not null`
  const insert = (values: Values, condition = '') =>
    insertRow(values, 'identity.app_user', { ...key, ...columns }, `${condition} ${onConflict}`)
  if (person && !isNewcomer) return insert
  const write = person ? claimNewcomer : insertPerson
  return (values) => ({ person: write(values, newPerson), written: insert(values, `where ${personIsWritten}`) })
}

/** A user who returns starts without the former teams and API keys. */
async function removeTeamsAndKeys(ctx: IdentityContext, id: string): Promise<void> {
  const { organizationId } = ctx.caller
  await ctx.db.query('delete from identity.team_member where organization_id = $1 and user_id = $2', [
    organizationId,
    id,
  ])
  const keys = await ctx.db.query<{ id: string }>(
    'select id from identity.api_key where organization_id = $1 and owner_id = $2 and revoked_at is null and deleted_at is null',
    [organizationId, id],
  )
  for (const key of keys) await revokeApiKey(ctx, key.id)
}

export type UserChange = Partial<Pick<User, 'role' | 'visibility' | 'isActive' | 'profileId' | 'managerId'>>

const columnOf = {
  role: 'role',
  visibility: 'visibility',
  isActive: 'is_active',
  profileId: 'profile_id',
  managerId: 'manager_id',
} as const

/** Changes the rights or the manager of a user; see `checkedManager`. Takes effect for every credential of the user with the commit. Deactivating ends all sign-ins. */
export function changeUser(ctx: IdentityContext, id: string, change: UserChange): Promise<User> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await findStoredUser(inner.db, organizationId, id)
    if (!previous) throw notFound('The user')
    const changed = (Object.keys(columnOf) as (keyof UserChange)[]).filter(
      (name) => change[name] !== undefined && change[name] !== previous[name],
    )
    if (changed.length > 0) {
      if (change.isActive === false && previous.isActive) await endSignIns(inner, id, 'USER_DEACTIVATED')
      const updatedAt = inner.clock.now().toISOString()
      const values = Object.fromEntries(changed.map((name) => [name, change[name]])) as UserChange
      const row = Object.fromEntries(changed.map((name) => [columnOf[name], change[name]]))
      const next = { ...previous, ...values, updatedAt }
      const update = updateUserRow(next, { ...row, updated_at: updatedAt })
      await writeChange(inner, userChanges, { operation: 'UPDATE', previous, next }, update)
    }
    return (await findUser(inner.db, organizationId, id))!
  })
}

/**
 * Removes the user from the organization. Records that the user owns are kept, and the user's API keys answer API_KEY_OWNER_NOT_IN_ORG.
 * The user's sign-ins, consents, meeting connections, SCIM token and sent invitations end permanently.
 */
export function removeUserFromOrganization(ctx: IdentityContext, id: string): Promise<void> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await findStoredUser(inner.db, organizationId, id)
    if (!previous) throw notFound('The user')
    await endSignIns(inner, id, 'USER_REMOVED')
    await endOwnTokensOf(inner, id)
    await endConnections(inner, id)
    await endScimTokenOf(inner, id)
    await withdrawInvitationsBy(inner, id)
    const now = inner.clock.now().toISOString()
    const row = updateUserRow(previous, { left_at: now, invited_at: null, manager_id: null, updated_at: now })
    await writeChange(inner, userChanges, { operation: 'DELETE', previous, next: previous }, row)
  })
}
