import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { InputArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import type { IdentityContext } from '../context.ts'
import { createDeveloperOrg, deleteDeveloperOrg } from './developer-org.actions.ts'
import { developerOrgChanges } from './developer-org.events.ts'
import { developerOrgColumns } from './developer-org.migrations.ts'
import {
  createdPerDay,
  DeveloperOrg,
  DeveloperOrgCreateInput,
  developerOrgsMax,
  developerOrgsOf,
  findDeveloperOrg,
} from './developer-org.ts'

const who = 'For owners and admins with a session.'
const DeveloperOrgId = () => Arg('id', () => ID, { description: 'Id of the developer organization.' })

@Resolver(() => DeveloperOrg)
export class DeveloperOrgResolver {
  @Query(() => DeveloperOrg, {
    nullable: true,
    description: `One developer organization of the organization. ${who}`,
  })
  @RequiresScopes('SESSION')
  async developerOrg(@DeveloperOrgId() id: string, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    const found = await findDeveloperOrg(ctx.db, ctx.caller.organizationId, id)
    if (!found) throw notFound('The developer organization')
    return found
  }

  @Query(() => [DeveloperOrg], {
    description: `The developer organizations of the organization, oldest first, at most ${developerOrgsMax}. Deleted ones are not listed. ${who}`,
  })
  @RequiresScopes('SESSION')
  developerOrgList(@Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return developerOrgsOf(ctx.db, ctx.caller.organizationId)
  }

  @Mutation(() => DeveloperOrg, {
    description: `Creates an empty organization that belongs to the organization of the caller, has the same plan, and whose owner is the person of the caller. The person signs in to it with the same email and password, and its id as \`organizationId\`. An organization has at most ${developerOrgsMax} developer organizations, and creates at most ${createdPerDay} in 24 hours: then LIMIT_REACHED. A developer organization has none itself: INVALID_STATE. PERMISSION_DENIED where nobody can register (\`REGISTRATION=off\`). ${who}`,
  })
  @RequiresScopes('SESSION')
  developerOrgCreate(
    @InputArg(() => DeveloperOrgCreateInput) input: DeveloperOrgCreateInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return createDeveloperOrg(ctx, input)
  }

  @Mutation(() => ID, {
    description: `Deletes a developer organization for ever: its credentials answer 401 ORGANIZATION_SUSPENDED, its automations stop, and it is no longer listed or counted. Only the organization that it belongs to can. ${who}`,
  })
  @RequiresScopes('SESSION')
  developerOrgDelete(@DeveloperOrgId() id: string, @Ctx() ctx: IdentityContext) {
    return deleteDeveloperOrg(ctx, id)
  }
}

const roles = ['OWNER', 'ADMIN']

export const developerOrgResource: Resource = {
  resolver: DeveloperOrgResolver,
  // They write rows of two organizations in one transaction.
  crossTenantFields: ['developerOrgCreate', 'developerOrgDelete'],
  crossTenantDryRuns: ['developerOrgCreate', 'developerOrgDelete'],
  announces: [developerOrgChanges],
  migrations: [developerOrgColumns],
  operations: [
    operation('GET /v1/developer-orgs', 'developerOrgList', {
      summary: 'List developer organizations',
      answers: 'The developer organizations, oldest first.',
      roles,
    }),
    operation('POST /v1/developer-orgs', 'developerOrgCreate', {
      summary: 'Create a developer organization',
      answers: 'The developer organization.',
      status: 201,
      hasLocation: true,
      roles,
    }),
    operation('GET /v1/developer-orgs/{id}', 'developerOrg', {
      summary: 'Read a developer organization',
      answers: 'The developer organization.',
      roles,
    }),
    operation('DELETE /v1/developer-orgs/{id}', 'developerOrgDelete', {
      summary: 'Delete a developer organization',
      status: 204,
      answers: 'The developer organization is deleted.',
      roles,
    }),
  ],
}
