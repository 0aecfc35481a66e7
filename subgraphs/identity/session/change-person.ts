import type { Values } from '../../kernel/record/predicate.ts'
import { writeChanges, type ChangeInOrganization } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { shownUpdate } from '../user/shown-update.ts'
import { userChanges } from '../user/user.events.ts'
import { findMemberships, type PersonProfile, type StoredUser } from '../user/user.ts'
import { actingAs } from './session.actions.ts'

type PersonChange = Partial<PersonProfile>

/** The updates of the users that a person is, one for each organization that sees a difference. The person must be locked. */
export async function shownUpdates(
  ctx: IdentityContext,
  personId: string,
  change: PersonChange,
): Promise<ChangeInOrganization<StoredUser>[]> {
  const memberships = await findMemberships(ctx.db, personId)
  return memberships.flatMap((user) => shownUpdate(actingAs(ctx, user), user, { ...user, ...change }))
}

/** Changes a person, who must be locked, and announces it in all organizations that see a difference. `row` writes the person. */
export async function changePerson(
  ctx: IdentityContext,
  personId: string,
  change: PersonChange,
  row: (values: Values) => string,
): Promise<void> {
  await writeChanges(ctx, userChanges, await shownUpdates(ctx, personId, change), row)
}
