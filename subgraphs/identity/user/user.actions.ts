import { notFound, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { revokeApiKey } from '../api-key/api-key.actions.ts'
import { appendAudit } from '../audit/audit.ts'
import { appendEvent } from '../identity-event.ts'
import { findUser, type User } from './user.ts'

export interface KnownAs extends Pick<User, 'name' | 'firstName' | 'lastName'> {}

export interface NewUser extends Pick<
  User,
  'id' | 'organizationId' | 'email' | 'name' | 'firstName' | 'lastName' | 'role' | 'visibility'
> {
  /** Null for a person who is not known yet. */
  readonly personId: string | null
  /** Of a new person; null when it cannot sign in with a password. */
  readonly passwordHash: string | null
  /** It cannot act before it accepts. */
  readonly isInvited?: boolean
  readonly externalId?: string | null
  /** As the organization calls it, whatever it calls itself. */
  readonly knownAs?: KnownAs | null
  /** A person who left may come back as the user it was; otherwise it is refused like one who is there. */
  readonly mayReturn?: boolean
  /** Who proved to read the address of an invitation becomes the user who was invited, as it is by now. */
  readonly acceptsInvite?: boolean
}

const taken = (message: string) =>
  new Refusal('UNIQUE_VIOLATION', message, { errors: [{ path: 'email', code: 'NOT_UNIQUE', message }] })

export const emailTaken = (): Refusal => taken('There is an account with this email; sign in, or use its password.')

/** Makes a person a user of the organization of the context. To be called in a transaction. */
export async function addUser(ctx: RequestContext, wanted: NewUser): Promise<User> {
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
    acceptsInvite = false,
  } = wanted
  const personId = wanted.personId ?? (await addPerson(ctx, wanted, now))
  const [added] = await ctx.db.query<{ id: string }>(
    `insert into identity.app_user (organization_id, id, person_id, role, visibility, is_active, invited_at, external_id,
       known_as, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $11, $9, $9) on conflict (organization_id, person_id) do update
     set role = case when $12 then app_user.role else $4 end,
       visibility = case when $12 then app_user.visibility else $5 end,
       external_id = case when $12 then app_user.external_id else $8 end,
       is_active = $6, invited_at = $7, known_as = $11, left_at = null, updated_at = $9
     where case when $12 then app_user.invited_at is not null and app_user.left_at is null
       else $10 and app_user.left_at is not null end returning id`,
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
      acceptsInvite,
    ],
  )
  if (!added) throw taken('This person belongs to the organization already.')
  const hasAccepted = added.id !== id && acceptsInvite
  if (added.id !== id && !hasAccepted) await forgetWhatItHad(ctx, added.id)
  const user = (await findUser(ctx.db, organizationId, added.id))!
  const told = knownAs ? { ...user, ...knownAs, emailVerified: false, timezone: 'UTC', locale: 'en' } : user
  const change = { previous: { ...told, isActive: false }, changedFields: ['isActive'] }
  if (hasAccepted) await appendEvent(ctx, { type: 'user.updated', record: told, ...change })
  else await appendEvent(ctx, { type: 'user.created', record: told })
  await appendAudit(ctx, {
    action: hasAccepted ? 'user.accepted' : 'user.created',
    target: { type: 'user', id: added.id },
    after: told,
  })
  return user
}

/** Who comes back starts anew: without the teams and the API keys of before. */
async function forgetWhatItHad(ctx: RequestContext, id: string): Promise<void> {
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

async function addPerson(ctx: RequestContext, wanted: NewUser, now: string): Promise<string> {
  const { email, passwordHash, name, firstName, lastName } = wanted
  const [person] = await ctx.db.query<{ id: string }>(
    `insert into identity.person (id, email, password_hash, name, first_name, last_name, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (email) do nothing returning id`,
    [newId(), email, passwordHash, name, firstName, lastName, now],
  )
  if (!person) throw emailTaken()
  return person.id
}

export type UserChange = Partial<Pick<User, 'role' | 'visibility' | 'isActive' | 'profileId'>>

const columnOf = { role: 'role', visibility: 'visibility', isActive: 'is_active', profileId: 'profile_id' } as const

/** Changes what a user may do. Takes effect on every credential of the user with the commit. */
export function changeUser(ctx: RequestContext, id: string, change: UserChange): Promise<User> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await findUser(inner.db, organizationId, id)
    if (!previous) throw notFound('The user')
    const changedFields = (Object.keys(columnOf) as (keyof UserChange)[]).filter(
      (name) => change[name] !== undefined && change[name] !== previous[name],
    )
    if (changedFields.length === 0) return previous
    const sets = changedFields.map((name, index) => `${columnOf[name]} = $${index + 4}`)
    await inner.db.query(
      `update identity.app_user set updated_at = $3, ${sets.join(', ')} where organization_id = $1 and id = $2`,
      [organizationId, id, inner.clock.now().toISOString(), ...changedFields.map((name) => change[name])],
    )
    const user = await findUser(inner.db, organizationId, id)
    await appendEvent(inner, { type: 'user.updated', record: user!, previous, changedFields })
    await appendAudit(inner, { action: 'user.updated', target: { type: 'user', id }, before: previous, after: user })
    return user!
  })
}

/** Takes the user out of the organization. What it owns stays; its API keys answer that it left. */
export function takeOut(ctx: RequestContext, id: string): Promise<void> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await findUser(inner.db, organizationId, id)
    if (!previous) throw notFound('The user')
    const now = inner.clock.now().toISOString()
    await inner.db.query(
      'update identity.app_user set left_at = $3, invited_at = null, updated_at = $3 where organization_id = $1 and id = $2',
      [organizationId, id, now],
    )
    await appendEvent(inner, { type: 'user.deleted', record: previous })
    await appendAudit(inner, { action: 'user.deleted', target: { type: 'user', id }, before: previous })
  })
}
