import { Refusal } from '../../kernel/errors.ts'
import { writeChanges } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { invalidateTokens } from '../one-time-token/one-time-token.ts'
import { userAudit } from '../user/user.events.ts'
import { updatePersonRow } from '../user/user-rows.ts'
import type { Person, User } from '../user/user.ts'
import { passwordChangedMail } from './mails.ts'
import { endSignIns } from './end-sign-ins.ts'
import { actingAs, type EndReason } from './session.actions.ts'

interface Membership extends Pick<User, 'id' | 'organizationId' | 'role' | 'visibility'> {
  readonly hasJoined: boolean
}

/** The person of the calling user. */
export async function personOf({ db, caller }: IdentityContext, lock: '' | 'for share of u' = ''): Promise<Person> {
  const [person] = await db.query<Person>(
    `select p.id, p.email, p.password_hash as "passwordHash" from identity.person p
     join identity.app_user u on u.person_id = p.id
     where u.organization_id = $1 and u.id = $2 and u.left_at is null and u.is_active ${lock}`,
    [caller.organizationId, caller.userId],
  )
  if (!person) throw new Refusal('UNAUTHENTICATED', 'The session has ended; sign in again.')
  return person
}

/** All memberships of a person, also deactivated ones. */
const everyMembershipOf = ({ db }: IdentityContext, personId: string): Promise<Membership[]> =>
  db.query<Membership>(
    `select id, organization_id as "organizationId", role, visibility, has_joined as "hasJoined" from identity.app_user
     where person_id = $1 and left_at is null order by organization_id`,
    [personId],
  )

/**
 * Ends everything that began with a sign-in of a person, in all organizations, and returns the number of sessions. The person must be
 * locked for a change in the same transaction, so that no concurrent sign-in remains.
 */
export async function endSignInsOfPerson(ctx: IdentityContext, personId: string, reason: EndReason): Promise<number> {
  let ended = 0
  for (const user of await everyMembershipOf(ctx, personId)) {
    ended += await endSignIns(actingAs(ctx, user), user.id, reason)
  }
  return ended
}

/**
 * Checks again, under lock, what was read before a password was hashed: throws when the person's address or password has changed. Call it
 * in the transaction that uses the result, before anything else of the person is read. A concurrent change of the person waits, and then
 * sees the result. A transaction that also changes the person must use the lock for a change: two transactions that hold `share` would
 * wait for each other. The lock does not block foreign keys to the person, because a transaction that writes a user has locked that user.
 */
export async function lockUnchangedPerson(
  { db }: IdentityContext,
  { id, email, passwordHash }: Person,
  lock: 'share' | 'no key update' = 'share',
): Promise<void> {
  const same = await db.query(
    `select 1 from identity.person where id = $1 and email = $2 and password_hash is not distinct from $3 for ${lock}`,
    [id, email, passwordHash],
  )
  if (same.length === 0) throw new Refusal('UNAUTHENTICATED', 'The email or the password is wrong.')
}

/**
 * Locks the person of the caller for a change; with `known`, only if the person has not changed since it was read. Until the
 * transaction ends, nobody else changes the person or its membership. Throws when the caller was signed out, has left, or has become
 * the user of another person.
 */
export async function lockOwnPerson(ctx: IdentityContext, known?: Person): Promise<Person> {
  const person = known ?? (await personOf(ctx))
  await lockUnchangedPerson(ctx, person, 'no key update')
  const current = await personOf(ctx, 'for share of u')
  if (current.id !== person.id) throw new Refusal('UNAUTHENTICATED', 'The session has ended; sign in again.')
  return current
}

interface NewPassword {
  readonly id: string
  readonly email: string
  readonly passwordHash: string
}

/**
 * Sets the password of a person, ends everything that began with a sign-in, invalidates mailed tokens for signing in, and notifies the
 * person by mail. The person must be locked for a change in the same transaction.
 */
export async function setPassword(ctx: IdentityContext, person: NewPassword): Promise<void> {
  const { id, email, passwordHash } = person
  const row = updatePersonRow(id, { password_hash: passwordHash, updated_at: ctx.clock.now().toISOString() })
  // An organization that the person has not joined must not learn about the person's account.
  const memberships = (await everyMembershipOf(ctx, id)).filter(({ hasJoined }) => hasJoined)
  const action = 'user.password_changed'
  const changes = memberships.map((user) => ({
    ctx: actingAs(ctx, user),
    change: { operation: 'UPDATE', previous: { id: user.id }, next: { id: user.id }, action } as const,
  }))
  await writeChanges(ctx, userAudit, changes, row)
  await invalidateTokens(ctx, id)
  await endSignInsOfPerson(ctx, id, 'PASSWORD_CHANGED')
  await passwordChangedMail(ctx, email)
}

/** Marks the password as set by somebody who can read mails to the address. It then works in all organizations of the person. */
export async function trustPassword({ db }: IdentityContext, personId: string): Promise<void> {
  await db.query('update identity.person set is_password_proven = true where id = $1', [personId])
  await db.query(
    'update identity.app_user set distrusts_password = false where person_id = $1 and distrusts_password',
    [personId],
  )
}
