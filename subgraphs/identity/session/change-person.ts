import type { IdentityContext } from '../context.ts'
import { announceUserUpdate } from '../user/announce-user.ts'
import { membershipsSeenByOrganizations } from '../user/user.ts'
import { actingAs } from './session.actions.ts'

/** Runs a change of a person, who must be locked, and appends an event in each of the person's organizations that sees a difference. */
export async function changePerson(
  ctx: IdentityContext,
  personId: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = await membershipsSeenByOrganizations(ctx.db, personId)
  await work()
  for (const record of await membershipsSeenByOrganizations(ctx.db, personId)) {
    const previous = before.find(({ id }) => id === record.id)!
    await announceUserUpdate(actingAs(ctx, record), previous, record)
  }
}
