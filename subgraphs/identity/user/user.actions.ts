import { notFound, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendEvent } from '../identity-event.ts'
import { findUser, type User } from './user.ts'

export interface NewUser extends Pick<
  User,
  'id' | 'organizationId' | 'email' | 'name' | 'firstName' | 'lastName' | 'role' | 'visibility'
> {
  /** Null for a person who is not known yet. */
  readonly personId: string | null
  /** Of a new person; null when it cannot sign in with a password. */
  readonly passwordHash: string | null
}

const taken = (message: string) =>
  new Refusal('UNIQUE_VIOLATION', message, { errors: [{ path: 'email', code: 'NOT_UNIQUE', message }] })

export const emailTaken = (): Refusal => taken('There is an account with this email; sign in, or use its password.')

/** Makes a person a user of the organization of the context. To be called in a transaction. */
export async function addUser(ctx: RequestContext, wanted: NewUser): Promise<User> {
  const now = ctx.clock.now().toISOString()
  const { id, organizationId, role, visibility } = wanted
  const personId = wanted.personId ?? (await addPerson(ctx, wanted, now))
  const [added] = await ctx.db.query(
    `insert into identity.app_user (organization_id, id, person_id, role, visibility, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6) on conflict (organization_id, person_id) do nothing returning id`,
    [organizationId, id, personId, role, visibility, now],
  )
  if (!added) throw taken('This person belongs to the organization already.')
  const user = await findUser(ctx.db, organizationId, id)
  await appendEvent(ctx, { type: 'user.created', record: user! })
  return user!
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
      'update identity.app_user set left_at = $3, updated_at = $3 where organization_id = $1 and id = $2',
      [organizationId, id, now],
    )
    await appendEvent(inner, { type: 'user.deleted', record: previous })
  })
}
