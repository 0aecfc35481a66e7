import { Refusal } from '../../kernel/errors.ts'
import type { IdentityContext } from '../context.ts'
import { appendAudit } from '../audit/audit.ts'
import { invalidateInvitationLinks } from '../invitation/invitation.ts'
import { endConnections } from '../meeting/disconnect-meeting.ts'
import { invalidateAllTokens } from '../one-time-token/one-time-token.ts'
import { endSignIns } from '../session/end-sign-ins.ts'
import { hasUnprovenPassword, findOrAddPerson, type KnownAs } from '../user/user.actions.ts'
import { findUserSeenByOrganization } from '../user/user.ts'

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
export async function renameUser(ctx: IdentityContext, id: string, email: string): Promise<void> {
  const { organizationId } = ctx.caller
  const {
    email: formerEmail,
    name,
    firstName,
    lastName,
  } = (await findUserSeenByOrganization(ctx.db, organizationId, id))!
  const names: KnownAs = { name, firstName, lastName }
  const former = await lockPersonOf(ctx, id)
  const personId = await findOrAddPerson(ctx, { email, passwordHash: null, ...names })
  await refuseSecondUserOf(ctx, personId)
  await invalidateInvitationLinks(ctx, id)
  await ctx.db.query(
    `update identity.app_user set person_id = $3, known_as = $4, has_joined = false, updated_at = $5,
       distrusts_password = ${hasUnprovenPassword('$3')}
     where organization_id = $1 and id = $2`,
    [organizationId, id, personId, JSON.stringify(names), ctx.clock.now().toISOString()],
  )
  await endSignIns(ctx, id, 'USER_RENAMED')
  await endConnections(ctx, id)
  // A former person without any organization must not use tokens that were mailed earlier.
  if (!(await isMemberOfAnyOrganization(ctx, former))) await invalidateAllTokens(ctx, former)
  const target = { type: 'user', id } as const
  await appendAudit(ctx, { action: 'user.updated', target, before: { email: formerEmail }, after: { email } })
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
