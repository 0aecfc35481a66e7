import type { Values } from '../../kernel/record/predicate.ts'
import { writeChanges, type ChangeInOrganization } from '../../kernel/record/write-change.ts'
import type { IdentityContext } from '../context.ts'
import { visibleUpdate } from '../user/visible-update.ts'
import { userChanges } from '../user/user.events.ts'
import { findMemberships, type PersonProfile, type StoredUser } from '../user/user.ts'
import { actingAs } from './session.actions.ts'

type PersonChange = Partial<PersonProfile>

/** The updates of a person's users, one for each organization that sees a difference. The person must be locked. */
export async function visibleUpdates(
  ctx: IdentityContext,
  personId: string,
  change: PersonChange,
): Promise<ChangeInOrganization<StoredUser>[]> {
  const memberships = await findMemberships(ctx.db, personId)
  return memberships.flatMap((user) => visibleUpdate(actingAs(ctx, user), user, { ...user, ...change }))
}

/**
 * Changes a person, who must be locked, with an event in each of the person's organizations that sees a difference. `row` is the
 * statement that writes the person.
 */
export async function changePerson(
  ctx: IdentityContext,
  personId: string,
  change: PersonChange,
  row: (values: Values) => string,
): Promise<void> {
  await writeChanges(ctx, userChanges, await visibleUpdates(ctx, personId, change), row)
}
