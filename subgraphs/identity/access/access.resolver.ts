import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { AccessExplanation, AccessOperation } from './access.ts'
import { explainAccess } from './explain-access.ts'

@Resolver()
export class AccessResolver {
  @Query(() => AccessExplanation, {
    description: 'Explains why a user may or may not do something. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  explainAccess(
    @Arg('actor', () => ID, { description: 'Id of the user.' }) actor: string,
    @Arg('object', () => String, { description: 'Record type, as in events: account, case, product.' })
    object: string,
    @Arg('id', () => ID, { nullable: true, description: 'Id of one record; absent: records of this type in general.' })
    id: string | null,
    @Arg('field', () => String, { nullable: true, description: 'One field; `customFields.<name>` for a custom field.' })
    field: string | null,
    @Arg('operation', () => AccessOperation, { description: 'The operation that the user wants to do.' })
    operation: AccessOperation,
    @Ctx() ctx: RequestContext,
  ) {
    return explainAccess(ctx, { actor, object, id, field, operation })
  }
}

export const accessResource: Resource = { resolver: AccessResolver }
