import { Ctx, Query, Resolver } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { organizationTable } from './organization.migrations.ts'
import { organizationChanges } from './organization.events.ts'
import { findOrganization, Organization, hideCodeUnlessAdministrator } from './organization.ts'

@Resolver(() => Organization)
export class OrganizationResolver {
  @Query(() => Organization, { description: 'The organization of the signed-in user.' })
  @RequiresScopes('SESSION')
  async organization(@Ctx() { db, caller }: RequestContext) {
    const organization = await findOrganization(db, caller.organizationId)
    if (!organization) throw notFound('The organization')
    return hideCodeUnlessAdministrator(caller.role, organization)
  }
}

export const organizationResource: Resource = {
  resolver: OrganizationResolver,
  announces: [organizationChanges],
  migrations: [organizationTable],
}
