import { userTimezone } from '../../identity/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { organizationZone } from '../../kernel/time/days.ts'

/** The time zone in which a task recurs: that of its assignee, or of the organization without one. UTC is what a user has who set none. */
export async function recurrenceZone(ctx: RequestContext, assignedToId: string | null): Promise<string> {
  const zone = assignedToId === null ? null : await userTimezone(ctx, assignedToId)
  return zone === null || zone === 'UTC' ? organizationZone(ctx) : zone
}
