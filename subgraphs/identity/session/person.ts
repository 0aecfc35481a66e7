import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { withdrawTokens } from '../one-time-token/one-time-token.ts'
import type { User } from '../user/user.ts'
import { passwordChangedMail } from './mails.ts'
import { actingAs, endSessions, type EndReason } from './session.actions.ts'

type Membership = Pick<User, 'id' | 'organizationId' | 'role' | 'visibility'>

export interface FoundPerson {
  readonly id: string
  readonly email: string
  readonly passwordHash: string | null
}

/** The human being behind a user. */
export async function personOf({ db, caller }: RequestContext): Promise<FoundPerson> {
  const [person] = await db.query<FoundPerson>(
    `select p.id, p.email, p.password_hash as "passwordHash" from identity.person p
     join identity.app_user u on u.person_id = p.id where u.organization_id = $1 and u.id = $2`,
    [caller.organizationId, caller.userId],
  )
  if (!person) throw new Refusal('UNAUTHENTICATED', 'The user does not exist any more.')
  return person
}

/** Every membership, also where the person is deactivated. */
const everyMembershipOf = ({ db }: RequestContext, personId: string): Promise<Membership[]> =>
  db.query<Membership>(
    `select id, organization_id as "organizationId", role, visibility from identity.app_user
     where person_id = $1 and left_at is null order by organization_id`,
    [personId],
  )

/** Ends the sessions of a person in all its organizations; says how many there were. To be called in a transaction. */
export async function endSessionsOfPerson(ctx: RequestContext, personId: string, reason: EndReason): Promise<number> {
  let ended = 0
  for (const user of await everyMembershipOf(ctx, personId)) {
    ended += await endSessions(actingAs(ctx, user), { userId: user.id }, reason)
  }
  return ended
}

/**
 * A sign-in by password holds for as long as the password does: throws when it was changed since it was checked, and makes a
 * change of it wait until the new session can be seen, and ended. To be called in the transaction that starts the session.
 * Whoever goes on to change the person takes the `update` lock: two that hold `share` would wait for each other.
 */
export async function refuseChangedPassword(
  { db }: RequestContext,
  personId: string,
  passwordHash: string | null,
  lock: 'share' | 'update' = 'share',
): Promise<void> {
  const same = await db.query(
    `select 1 from identity.person where id = $1 and password_hash is not distinct from $2 for ${lock}`,
    [personId, passwordHash],
  )
  if (same.length === 0) throw new Refusal('UNAUTHENTICATED', 'The email or the password is wrong.')
}

interface NewPassword {
  readonly id: string
  readonly email: string
  readonly passwordHash: string
}

/** Gives a person a password, ends every session and every mailed way in, and tells the person. In a transaction. */
export async function setPassword(ctx: RequestContext, person: NewPassword): Promise<void> {
  const { id, email, passwordHash } = person
  await ctx.db.query('update identity.person set password_hash = $2, updated_at = $3 where id = $1', [
    id,
    passwordHash,
    ctx.clock.now().toISOString(),
  ])
  await withdrawTokens(ctx, id)
  await endSessionsOfPerson(ctx, id, 'PASSWORD_CHANGED')
  for (const user of await everyMembershipOf(ctx, id)) {
    await appendAudit(actingAs(ctx, user), { action: 'user.password_changed', target: { type: 'user', id: user.id } })
  }
  await passwordChangedMail(ctx, email)
}

/** The password is of somebody who reads the address: it is good wherever the person belongs. In a transaction. */
export async function trustPassword({ db }: RequestContext, personId: string): Promise<void> {
  await db.query('update identity.person set is_password_proven = true where id = $1', [personId])
  await db.query(
    'update identity.app_user set distrusts_password = false where person_id = $1 and distrusts_password',
    [personId],
  )
}
