import { Ctx, Mutation, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { scimTables } from './scim.migrations.ts'
import { readScimToken, revokeScimToken, rotateScimToken, ScimToken } from './scim-token.ts'

@Resolver()
export class ScimTokenResolver {
  @Query(() => ScimToken, {
    description: 'The SCIM token of the organization, without the secret. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  scimToken(@Ctx() ctx: RequestContext) {
    return readScimToken(ctx)
  }

  @Mutation(() => ScimToken, {
    description: 'Creates a SCIM token, which only this answer contains; the former token stops working.',
  })
  @RequiresScopes('SESSION')
  scimTokenRotate(@Ctx() ctx: RequestContext) {
    return rotateScimToken(ctx)
  }

  @Mutation(() => Boolean, { description: 'Revokes the SCIM token; false when there was none.' })
  @RequiresScopes('SESSION')
  scimTokenRevoke(@Ctx() ctx: RequestContext) {
    return revokeScimToken(ctx)
  }
}

export const scimTokenResource: Resource = { resolver: ScimTokenResolver, migrations: [scimTables] }
