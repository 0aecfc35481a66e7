import type { ChartUser } from '../../identity/public.ts'

/**
 * Under whom each of the shown users hangs: the next active and shown user above, by `managerId`. A user without a manager hangs under the manager of the
 * team, unless that manager hangs under the user. Null: under the root.
 */
export function parentsOf(
  users: readonly ChartUser[],
  isShown: (user: ChartUser) => boolean,
): ReadonlyMap<string, string | null> {
  const byId = new Map(users.map((user) => [user.id, user]))
  const canLead = (id: string): boolean => {
    const user = byId.get(id)
    return user !== undefined && user.isActive && isShown(user)
  }
  const parents = new Map<string, string | null>()
  for (const user of users) if (isShown(user)) parents.set(user.id, aboveOf(user, byId, canLead))
  for (const { id, managerId, teamManagerId } of users) {
    if (managerId !== null || teamManagerId === null || !parents.has(id) || !canLead(teamManagerId)) continue
    if (!isBelow(teamManagerId, id, parents)) parents.set(id, teamManagerId)
  }
  return parents
}

function aboveOf(
  user: ChartUser,
  byId: ReadonlyMap<string, ChartUser>,
  canLead: (id: string) => boolean,
): string | null {
  // A cycle is refused when a manager is set; the set ends the walk all the same.
  const passed = new Set([user.id])
  for (let next = user.managerId; next !== null && !passed.has(next); next = byId.get(next)?.managerId ?? null) {
    if (canLead(next)) return next
    passed.add(next)
  }
  return null
}

/** Whether the user is the other one, or hangs under it. */
function isBelow(id: string, other: string, parents: ReadonlyMap<string, string | null>): boolean {
  for (let at: string | null = id; at !== null; at = parents.get(at) ?? null) if (at === other) return true
  return false
}
