import type { Reference } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'

/** The ids, among the given ones, of teams of the caller's organization. */
export const teamsOfOrganization: Reference = async (ctx, ids) => {
  const rows = await ctx.db.query<{ id: string }>(
    'select id from identity.team where organization_id = $1 and id = any($2::uuid[])',
    [ctx.caller.organizationId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The ids of the members of these teams, by the id of the team. */
export async function membersOfTeams(
  { db, caller }: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db.query<{ id: string; members: string[] }>(
    `select team_id as id, array_agg(user_id order by user_id) as members from identity.team_member
     where organization_id = $1 and team_id = any($2::uuid[]) group by team_id`,
    [caller.organizationId, ids],
  )
  return new Map(rows.map(({ id, members }) => [id, members]))
}
