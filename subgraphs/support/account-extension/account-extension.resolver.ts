import { Args, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { Asked } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { CaseConnection, CaseConnectionArgs } from '../case/case.inputs.ts'
import { supportCase } from '../case/case.record.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const cases = recordsOf(supportCase)

/** Fields that this subgraph adds to an account. */
@ObjectType('Account')
@Directive('@key(fields: "id")')
export class AccountEdge {
  @Field(() => ID)
  id!: string
}

@Resolver(() => AccountEdge)
export class AccountEdgeResolver {
  // Nullable, so that accounts can be read while this subgraph is down.
  @FieldResolver(() => CaseConnection, {
    nullable: true,
    description: 'Live cases of the account that the caller sees; null while they cannot be read.',
  })
  cases(
    @Root() root: AccountEdge,
    @Args(() => CaseConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: Asked,
  ) {
    return cases.children(ctx, 'accountId', root.id, args, info)
  }
}

export const accountEdgeResource: Resource = { resolver: AccountEdgeResolver, types: [AccountEdge] }
