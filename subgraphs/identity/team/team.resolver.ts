import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { User } from '../user/user.ts'
import { teamTables } from './team.migrations.ts'
import { teamEvents } from './team.events.ts'
import { Team, teamsOf } from './team.ts'

@Resolver(() => User)
export class TeamResolver {
  @FieldResolver(() => [Team])
  teams(@Root() { organizationId, id }: User, @Ctx() { db }: RequestContext) {
    return teamsOf(db, organizationId, id)
  }
}

export const teamResource: Resource = { resolver: TeamResolver, announces: [teamEvents], migrations: [teamTables] }
