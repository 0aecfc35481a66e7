import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { findOrganization, Organization, hideCodeUnlessAdministrator } from '../organization/organization.ts'
import { tenantPolicies, userTables } from './user.migrations.ts'
import { userChanges } from './user.events.ts'
import { findUser, User } from './user.ts'

async function signedInUser({ db, caller }: RequestContext): Promise<User> {
  const user = await findUser(db, caller.organizationId, caller.userId)
  if (!user) throw notFound('The user')
  return user
}

@Resolver(() => User)
export class UserResolver {
  @Query(() => User, { description: 'The signed-in user, with organization and teams.' })
  @RequiresScopes('SESSION')
  me(@Ctx() ctx: RequestContext) {
    return signedInUser(ctx)
  }

  @Query(() => User, { description: 'The profile of the signed-in user.' })
  @RequiresScopes('SESSION')
  profile(@Ctx() ctx: RequestContext) {
    return signedInUser(ctx)
  }

  @FieldResolver(() => Organization, { description: 'Organization of the user.' })
  async organization(@Root() { organizationId, role }: User, @Ctx() { db }: RequestContext) {
    const organization = await findOrganization(db, organizationId)
    return organization && hideCodeUnlessAdministrator(role, organization)
  }
}

export const userResource: Resource = {
  resolver: UserResolver,
  announces: [userChanges],
  migrations: [userTables, tenantPolicies],
}
