import { Args, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { smartEmailTypes } from '../smart-email/smart-email.inputs.ts'
import { smartEmailDraft } from '../smart-email/smart-email.record.ts'

const drafts = recordsOf(smartEmailDraft)

/** Fields that this subgraph adds to the entity `Opportunity`. */
@ObjectType('Opportunity')
@Directive('@key(fields: "id")')
export class OpportunityExtension {
  @Field(() => ID, { description: 'Id of the opportunity.' })
  id!: string
}

@Resolver(() => OpportunityExtension)
export class OpportunityExtensionResolver {
  // The field is nullable, so that opportunities can be read while this subgraph is unavailable.
  @FieldResolver(() => smartEmailTypes.Connection, {
    nullable: true,
    description: 'Drafts of mails for the opportunity that the caller sees; null while they cannot be read.',
  })
  smartEmailDrafts(
    @Root() root: OpportunityExtension,
    @Args(() => smartEmailTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return drafts.children(ctx, 'opportunityId', root.id, args, info)
  }
}

export const opportunityExtensionResource: Resource = {
  resolver: OpportunityExtensionResolver,
  types: [OpportunityExtension],
}
