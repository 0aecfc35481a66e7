import { Refusal } from '../../kernel/errors.ts'
import { writeChanges } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { withdrawTokens } from '../one-time-token/one-time-token.ts'
import { userAudit } from '../user/user.events.ts'
import { updatePersonRow } from '../user/user-rows.ts'
import type { Person, User } from '../user/user.ts'
import { passwordChangedMail } from './mails.ts'
import { endSignIns } from './end-sign-ins.ts'
import { actingAs, type EndReason } from './session.actions.ts'

interface Membership extends Pick<User, 'id' | 'organizationId' | 'role' | 'visibility'> {
  readonly hasJoined: boolean
}

/** The human being behind the caller. */
export async function personOf({ db, caller }: IdentityContext, lock: '' | 'for share of u' = ''): Promise<Person> {
  const [person] = await db.query<Person>(
    `select p.id, p.email, p.password_hash as "passwordHash" from identity.person p
     join identity.app_user u on u.person_id = p.id
     where u.organization_id = $1 and u.id = $2 and u.left_at is null and u.is_active ${lock}`,
    [caller.organizationId, caller.userId],
  )
  if (!person) throw new Refusal('UNAUTHENTICATED', 'The session is over; sign in again.')
  return person
}

/** Every membership, also where the person is deactivated. */
const everyMembershipOf = ({ db }: IdentityContext, personId: string): Promise<Membership[]> =>
  db.query<Membership>(
    `select id, organization_id as "organizationId", role, visibility, has_joined as "hasJoined" from identity.app_user
     where person_id = $1 and left_at is null order by organization_id`,
    [personId],
  )

/**
 * Ends everything that began with a sign-in of a person, in all its organizations; says how many sessions there were. In a
 * transaction in which the person is locked for a change, so that no sign-in slips through.
 */
export async function endSignInsOfPerson(ctx: IdentityContext, personId: string, reason: EndReason): Promise<number> {
  let ended = 0
  for (const user of await everyMembershipOf(ctx, personId)) {
    ended += await endSignIns(actingAs(ctx, user), user.id, reason)
  }
  return ended
}

/**
 * What was decided on before a password was hashed is asked again under lock: throws when the person has another address or
 * another password by then. To be called in the transaction that acts on it, before anything else of the person is read: a
 * change of the person waits, and then finds what was done. Whoever goes on to change the person takes the lock for
 * that: two that hold `share` would wait for each other. It leaves references to the person free, as whoever writes a user
 * holds that user already.
 */
export async function lockProven(
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
 * The person behind the caller, as it was known before, if it was. It changes by nobody else until the transaction ends, and
 * the caller stays its user as long: throws for who was signed out, has left, or is another person's user by then.
 */
export async function lockOwnPerson(ctx: IdentityContext, known?: Person): Promise<Person> {
  const person = known ?? (await personOf(ctx))
  await lockProven(ctx, person, 'no key update')
  const current = await personOf(ctx, 'for share of u')
  if (current.id !== person.id) throw new Refusal('UNAUTHENTICATED', 'The session is over; sign in again.')
  return current
}

interface NewPassword {
  readonly id: string
  readonly email: string
  readonly passwordHash: string
}

/**
 * Gives a person, who is locked for a change, a password, ends everything that began with a sign-in and every mailed way in,
 * and tells the person. In a transaction.
 */
export async function setPassword(ctx: IdentityContext, person: NewPassword): Promise<void> {
  const { id, email, passwordHash } = person
  const row = updatePersonRow(id, { password_hash: passwordHash, updated_at: ctx.clock.now().toISOString() })
  // What a person does elsewhere is no concern of an organization that it never came to.
  const joined = (await everyMembershipOf(ctx, id)).filter(({ hasJoined }) => hasJoined)
  const action = 'user.password_changed'
  const changes = joined.map((user) => ({
    ctx: actingAs(ctx, user),
    change: { operation: 'UPDATE', previous: { id: user.id }, next: { id: user.id }, action } as const,
  }))
  await writeChanges(ctx, userAudit, changes, row)
  await withdrawTokens(ctx, id)
  await endSignInsOfPerson(ctx, id, 'PASSWORD_CHANGED')
  await passwordChangedMail(ctx, email)
}

/** The password is of somebody who reads the address: it is good wherever the person belongs. In a transaction. */
export async function trustPassword({ db }: IdentityContext, personId: string): Promise<void> {
  await db.query('update identity.person set is_password_proven = true where id = $1', [personId])
  await db.query(
    'update identity.app_user set distrusts_password = false where person_id = $1 and distrusts_password',
    [personId],
  )
}
