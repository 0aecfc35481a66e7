import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { writeChange } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { useUpLinks } from '../invitation/invitation.ts'
import { endConnections } from '../meeting/disconnect-meeting.ts'
import { withdrawAllTokens } from '../one-time-token/one-time-token.ts'
import { endSignIns } from '../session/end-sign-ins.ts'
import { insertPerson, isWritten, updateUserRow } from '../user/user-rows.ts'
import { hasUnprovenPassword } from '../user/user.actions.ts'
import { userChanges } from '../user/user.events.ts'
import { findPerson, type StoredUser } from '../user/user.ts'

export const taken = (path: string): Refusal =>
  new Refusal('UNIQUE_VIOLATION', `This ${path} is taken.`, {
    errors: [{ path, code: 'NOT_UNIQUE', message: `This ${path} is taken.` }],
  })

/**
 * From now on the user is whoever reads this address. An organization decides who its users are, and never what address a
 * person signs in with: the person of before keeps its account with all that it is elsewhere, and the person with the new
 * address, who may be known elsewhere or nowhere, comes as one who has just been provisioned. So the answer is the same
 * whatever either of them is elsewhere. What the person of before was signed in with here ends. In a transaction of
 * `administering`.
 */
export async function renameUser(ctx: IdentityContext, previous: StoredUser, next: StoredUser): Promise<void> {
  const { id } = next
  const former = await lockPersonOf(ctx, id)
  // When a concurrent transaction inserts a person with the address, the second attempt finds that person.
  const isReplaced = (await replacePerson(ctx, previous, next)) || (await replacePerson(ctx, previous, next))
  if (!isReplaced) throw taken('userName')
  await useUpLinks(ctx, id)
  await endSignIns(ctx, id, 'USER_RENAMED')
  await endConnections(ctx, id)
  // Whoever reads an address that belongs nowhere any more has no business with what was mailed to it.
  if (!(await belongsAnywhere(ctx, former))) await withdrawAllTokens(ctx, former)
}

/** False when another person got the address in the meantime. */
async function replacePerson(ctx: IdentityContext, previous: StoredUser, next: StoredUser): Promise<boolean> {
  const { email, knownAs, externalId, updatedAt } = next
  const person = await findPerson(ctx.db, email)
  if (person) await refuseUserOf(ctx, person.id)
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
      : { person: insertPerson(values, newPerson), written: updateUserRow(next, columns, isWritten)(values) },
  )
}

/** The person behind a user, which waits for links of its mails that are being used. */
async function lockPersonOf({ db, caller }: IdentityContext, userId: string): Promise<string> {
  const [person] = await db.query<{ id: string }>(
    `select p.id from identity.app_user u join identity.person p on p.id = u.person_id
     where u.organization_id = $1 and u.id = $2 for no key update of p`,
    [caller.organizationId, userId],
  )
  return person!.id
}

/** One person is one user of an organization, also after it has left: who left is provisioned again instead. */
async function refuseUserOf({ db, caller }: IdentityContext, personId: string): Promise<void> {
  const found = await db.query('select 1 from identity.app_user where organization_id = $1 and person_id = $2', [
    caller.organizationId,
    personId,
  ])
  if (found.length > 0) throw taken('userName')
}

/** Asked after the person was locked, in a statement of its own, which sees what the lock waited for. */
async function belongsAnywhere({ db }: IdentityContext, personId: string): Promise<boolean> {
  const found = await db.query('select 1 from identity.app_user where person_id = $1 and left_at is null limit 1', [
    personId,
  ])
  return found.length > 0
}
