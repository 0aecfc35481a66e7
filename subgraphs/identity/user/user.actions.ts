import { notFound, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { announceChange, updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { IdentityContext } from '../context.ts'
import { revokeApiKey } from '../api-key/api-key.actions.ts'
import { withdrawInvitationsBy } from '../invitation/withdraw-invitations.ts'
import { endConnections } from '../meeting/disconnect-meeting.ts'
import { endOwnTokensOf } from '../oauth/end-grants.ts'
import { endScimTokenOf } from '../scim/scim-token.ts'
import { endSignIns } from '../session/end-sign-ins.ts'
import { userChanges } from './user.events.ts'
import { findPerson, findUser, findUserSeenByOrganization, type User } from './user.ts'

export interface KnownAs extends Pick<User, 'name' | 'firstName' | 'lastName'> {}

export interface NewUser extends Pick<
  User,
  'id' | 'organizationId' | 'email' | 'name' | 'firstName' | 'lastName' | 'role' | 'visibility'
> {
  /** Null: the person does not exist yet. */
  readonly personId: string | null
  /** Hash of a new person's password; null: the person cannot sign in with a password. */
  readonly passwordHash: string | null
  /** True: the user cannot act before the person accepts an invitation. */
  readonly isInvited?: boolean
  readonly externalId?: string | null
  /** Names that the organization gives the person; given when somebody else adds the person. */
  readonly knownAs?: KnownAs | null
  /** True: a person who left becomes the same user again. False: the person is refused like a current user. */
  readonly mayReturn?: boolean
}

/** SQL condition: somebody who cannot read mails to the address may have set the password. `personId` is an SQL expression. */
export const hasUnprovenPassword = (personId: string): string => `(
  not exists (select from identity.person where id = ${personId} and is_password_proven)
  or exists (select from identity.app_user other where other.person_id = ${personId} and other.distrusts_password)
)`

const taken = (message: string) =>
  new Refusal('UNIQUE_VIOLATION', message, { errors: [{ path: 'email', code: 'NOT_UNIQUE', message }] })

export const emailTaken = (): Refusal =>
  taken('An account with this email exists. Sign in, or send the password of the account.')

/** Adds a person as a user of the context's organization. Must run in a transaction. */
export async function addUser(ctx: IdentityContext, wanted: NewUser): Promise<User> {
  const now = ctx.clock.now().toISOString()
  const {
    id,
    organizationId,
    role,
    visibility,
    isInvited = false,
    externalId = null,
    mayReturn = false,
    knownAs = null,
  } = wanted
  const personId = wanted.personId ?? (await addPerson(ctx, wanted))
  const [added] = await ctx.db.query<{ id: string }>(
    `insert into identity.app_user (organization_id, id, person_id, role, visibility, is_active, invited_at, external_id,
       known_as, created_at, updated_at, must_accept, has_joined, distrusts_password)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $11, $9, $9, $12, not $13, $13 and ${hasUnprovenPassword('$3')})
     on conflict (organization_id, person_id) do update
     set role = $4, visibility = $5, is_active = $6, invited_at = $7, external_id = $8, known_as = $11, left_at = null,
       updated_at = $9, must_accept = excluded.must_accept, has_joined = excluded.has_joined,
       distrusts_password = excluded.distrusts_password
     where $10 and app_user.left_at is not null returning id`,
    [
      organizationId,
      id,
      personId,
      role,
      visibility,
      !isInvited,
      isInvited ? now : null,
      externalId,
      now,
      mayReturn,
      knownAs && JSON.stringify(knownAs),
      isInvited,
      knownAs !== null,
    ],
  )
  if (!added) throw taken('This person is already a user of the organization.')
  if (added.id !== id) await removeTeamsAndKeys(ctx, added.id)
  const user = (await findUser(ctx.db, organizationId, added.id))!
  const told = (await findUserSeenByOrganization(ctx.db, organizationId, added.id))!
  await announceChange(ctx, userChanges, { operation: 'CREATE', previous: null, next: told })
  return user
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

export interface NewPerson extends Pick<NewUser, 'email' | 'passwordHash' | 'name' | 'firstName' | 'lastName'> {}

/** Adds a new person; with `knownAs`, takes an existing person with this address. */
async function addPerson(ctx: IdentityContext, wanted: NewPerson & Pick<NewUser, 'knownAs'>): Promise<string> {
  if (wanted.knownAs) return findOrAddPerson(ctx, wanted)
  const id = await insertPerson(ctx, wanted)
  if (id === null) throw emailTaken()
  return id
}

/** Finds or adds the person with this address. The organization must not learn whether the person existed. Must run in a transaction. */
export async function findOrAddPerson(ctx: IdentityContext, wanted: NewPerson): Promise<string> {
  const find = async () => (await findPerson(ctx.db, wanted.email))?.id ?? null
  return (await find()) ?? (await insertPerson(ctx, wanted)) ?? (await find())!
}

async function insertPerson({ db, clock }: IdentityContext, wanted: NewPerson): Promise<string | null> {
  const { email, passwordHash, name, firstName, lastName } = wanted
  const [person] = await db.query<{ id: string }>(
    `insert into identity.person (id, email, password_hash, name, first_name, last_name, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (email) do nothing returning id`,
    [newId(), email, passwordHash, name, firstName, lastName, clock.now().toISOString()],
  )
  return person?.id ?? null
}

export type UserChange = Partial<Pick<User, 'role' | 'visibility' | 'isActive' | 'profileId'>>

const columnOf = { role: 'role', visibility: 'visibility', isActive: 'is_active', profileId: 'profile_id' } as const

/** Changes the rights of a user. Takes effect for every credential of the user with the commit. Deactivating ends all sign-ins. */
export function changeUser(ctx: IdentityContext, id: string, change: UserChange): Promise<User> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const user = await findUser(inner.db, organizationId, id)
    if (!user) throw notFound('The user')
    const changedFields = (Object.keys(columnOf) as (keyof UserChange)[]).filter(
      (name) => change[name] !== undefined && change[name] !== user[name],
    )
    if (changedFields.length === 0) return user
    if (change.isActive === false && user.isActive) await endSignIns(inner, id, 'USER_DEACTIVATED')
    const updatedAt = inner.clock.now().toISOString()
    const previous = { ...(await findUserSeenByOrganization(inner.db, organizationId, id))!, updatedAt: user.updatedAt }
    const changed = Object.fromEntries(changedFields.map((name) => [name, change[name]])) as UserChange
    const row = Object.fromEntries(changedFields.map((name) => [columnOf[name], change[name]]))
    const next = { ...previous, ...changed, updatedAt }
    await writeChange(inner, userChanges, { operation: 'UPDATE', previous, next, changedFields }, (values) =>
      updateRow(
        values,
        'identity.app_user',
        { ...row, updated_at: updatedAt },
        { organization_id: organizationId, id },
      ),
    )
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
    const previous = await findUserSeenByOrganization(inner.db, organizationId, id)
    if (!previous) throw notFound('The user')
    await endSignIns(inner, id, 'USER_REMOVED')
    await endOwnTokensOf(inner, id)
    await endConnections(inner, id)
    await endScimTokenOf(inner, id)
    await withdrawInvitationsBy(inner, id)
    const now = inner.clock.now().toISOString()
    await writeChange(inner, userChanges, { operation: 'DELETE', previous, next: previous }, (values) =>
      updateRow(
        values,
        'identity.app_user',
        { left_at: now, invited_at: null, updated_at: now },
        { organization_id: organizationId, id },
      ),
    )
  })
}
