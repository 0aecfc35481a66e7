import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { AccessExplanation, AccessOperation } from './access.ts'
import { explainAccess } from './explain-access.ts'

@Resolver()
export class AccessResolver {
  @Query(() => AccessExplanation, { description: 'Why a user may or may not do something. For owners and admins.' })
  @RequiresScopes('SESSION')
  explainAccess(
    @Arg('actor', () => ID, { description: 'Id of the user.' }) actor: string,
    @Arg('object', () => String, { description: 'Kind of record, as in events: account, case, product.' })
    object: string,
    @Arg('id', () => ID, { nullable: true, description: 'Of one record.' }) id: string | null,
    @Arg('field', () => String, { nullable: true, description: '`customFields.<name>` for one of them.' })
    field: string | null,
    @Arg('operation', () => AccessOperation) operation: AccessOperation,
    @Ctx() ctx: RequestContext,
  ) {
    return explainAccess(ctx, { actor, object, id, field, operation })
  }
}

export const accessResource: Resource = { resolver: AccessResolver }
