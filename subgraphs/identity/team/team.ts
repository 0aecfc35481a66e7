import { Field, ID, ObjectType } from 'type-graphql'
import type { Sql } from '../../kernel/database/database.ts'
import { newId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { appendEvent } from '../identity-event.ts'

@ObjectType({ description: 'Users who see the records of each other, as far as their visibility is TEAM.' })
export class Team {
  @Field(() => ID, { simple: true })
  id!: string

  @Field(() => String, { simple: true })
  name!: string
}

export function teamsOf(sql: Sql, organizationId: string, userId: string): Promise<Team[]> {
  return sql.query<Team>(
    `select t.id, t.name from identity.team t
     join identity.team_member m on m.organization_id = t.organization_id and m.team_id = t.id
     where m.organization_id = $1 and m.user_id = $2 order by t.name, t.id`,
    [organizationId, userId],
  )
}

export interface NewTeam {
  readonly id?: string
  readonly name: string
  readonly memberIds: readonly string[]
}

export async function addTeam(ctx: RequestContext, { id = newId(), name, memberIds }: NewTeam): Promise<Team> {
  const { organizationId } = ctx.caller
  await ctx.db.query('insert into identity.team (organization_id, id, name, created_at) values ($1, $2, $3, $4)', [
    organizationId,
    id,
    name,
    ctx.clock.now().toISOString(),
  ])
  await ctx.db.query(
    'insert into identity.team_member (organization_id, team_id, user_id) select $1, $2, unnest($3::uuid[])',
    [organizationId, id, memberIds],
  )
  const record = { id, organizationId, name, memberIds }
  await appendEvent(ctx, { type: 'team.created', record })
  return { id, name }
}
