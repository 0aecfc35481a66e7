import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { invalidateInvitationLinks } from '../invitation/invitation.ts'
import { endConnections } from '../meeting/disconnect-meeting.ts'
import { invalidateAllTokens } from '../one-time-token/one-time-token.ts'
import { endSignIns } from '../session/end-sign-ins.ts'
import { insertPerson, personIsWritten, updateUserRow } from '../user/user-rows.ts'
import { hasUnprovenPassword } from '../user/user.actions.ts'
import { userChanges } from '../user/user.events.ts'
import { findPerson, type StoredUser } from '../user/user.ts'

export const taken = (path: string): Refusal =>
  new Refusal('UNIQUE_VIOLATION', `${path} must be unique; another user has this value.`, {
    errors: [{ path, code: 'NOT_UNIQUE', message: `${path} must be unique; another user has this value.` }],
  })

/**
 * Assigns the user to the person with this address. An organization decides who its users are, but not with which address a person
 * signs in. Therefore the former person keeps the account and all other organizations, and the person with the new address, with or
 * without an account, is treated like a person who was just provisioned. The answer reveals nothing about either person's account.
 * All sign-ins of the former person as this user end. Must run in a transaction of `administering`.
 */
export async function renameUser(ctx: IdentityContext, previous: StoredUser, next: StoredUser): Promise<void> {
  const { id } = next
  const former = await lockPersonOf(ctx, id)
  // When a concurrent transaction inserts a person with the address, the second attempt finds that person.
  const isReplaced = (await replacePerson(ctx, previous, next)) || (await replacePerson(ctx, previous, next))
  if (!isReplaced) throw taken('userName')
  await invalidateInvitationLinks(ctx, id)
  await endSignIns(ctx, id, 'USER_RENAMED')
  await endConnections(ctx, id)
  // A former person without any organization must not use tokens that were mailed earlier.
  if (!(await isMemberOfAnyOrganization(ctx, former))) await invalidateAllTokens(ctx, former)
}

/** False when another person got the address in the meantime. */
async function replacePerson(ctx: IdentityContext, previous: StoredUser, next: StoredUser): Promise<boolean> {
  const { email, knownAs, externalId, updatedAt } = next
  const person = await findPerson(ctx.db, email)
  if (person) await refuseSecondUserOf(ctx, person.id)
  const newPerson = { ...knownAs!, id: person?.id ?? newId(), email, passwordHash: null, now: updatedAt }
  const columns = {
    person_id: newPerson.id,
    known_as: JSON.stringify(knownAs),
    external_id: externalId,
    has_joined: false,
    updated_at: updatedAt,
    distrusts_password: await hasUnprovenPassword(ctx, newPerson.id),
  }
  return writeChange(ctx, userChanges, { operation: 'UPDATE', previous, next }, (values) =>
    person
      ? updateUserRow(next, columns)(values)
      : { person: insertPerson(values, newPerson), written: updateUserRow(next, columns, personIsWritten)(values) },
  )
}

/** Locks the person of a user. Waits for transactions that are using a mailed token of the person. */
async function lockPersonOf({ db, caller }: IdentityContext, userId: string): Promise<string> {
  const [person] = await db.query<{ id: string }>(
    `select p.id from identity.app_user u join identity.person p on p.id = u.person_id
     where u.organization_id = $1 and u.id = $2 for no key update of p`,
    [caller.organizationId, userId],
  )
  return person!.id
}

/** A person is at most one user of an organization, also after leaving. A person who left must be provisioned again instead. */
async function refuseSecondUserOf({ db, caller }: IdentityContext, personId: string): Promise<void> {
  const found = await db.query('select 1 from identity.app_user where organization_id = $1 and person_id = $2', [
    caller.organizationId,
    personId,
  ])
  if (found.length > 0) throw taken('userName')
}

/** Call it after the person was locked: a new statement sees what was committed while the lock was awaited. */
async function isMemberOfAnyOrganization({ db }: IdentityContext, personId: string): Promise<boolean> {
  const found = await db.query('select 1 from identity.app_user where person_id = $1 and left_at is null limit 1', [
    personId,
  ])
  return found.length > 0
}
