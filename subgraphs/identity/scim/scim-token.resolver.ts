import { Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { scimTables } from './scim.migrations.ts'
import { ListedUser } from '../user-lookup/listed-user.ts'
import { userOf } from '../user-lookup/user-of.ts'
import { readScimToken, revokeScimToken, rotateScimToken, ScimToken } from './scim-token.ts'

@Resolver(() => ScimToken)
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

  @FieldResolver(() => ListedUser, {
    nullable: true,
    description: 'The user who created the token; null if `createdById` is null.',
  })
  createdBy(@Root() { createdById }: ScimToken, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return userOf(ctx, createdById, info)
  }
}

export const scimTokenResource: Resource = { resolver: ScimTokenResolver, migrations: [scimTables] }
