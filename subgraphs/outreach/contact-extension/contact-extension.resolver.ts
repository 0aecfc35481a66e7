import { Args, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { smartEmailTypes } from '../smart-email/smart-email.inputs.ts'
import { smartEmailDraft } from '../smart-email/smart-email.record.ts'

const drafts = recordsOf(smartEmailDraft)

/** Fields that this subgraph adds to the entity `Contact`. */
@ObjectType('Contact')
@Directive('@key(fields: "id")')
export class ContactExtension {
  @Field(() => ID, { description: 'Id of the contact.' })
  id!: string
}

@Resolver(() => ContactExtension)
export class ContactExtensionResolver {
  // The field is nullable, so that contacts can be read while this subgraph is unavailable.
  @FieldResolver(() => smartEmailTypes.Connection, {
    nullable: true,
    description: 'Drafts of mails for the contact that the caller sees; null while they cannot be read.',
  })
  smartEmailDrafts(
    @Root() root: ContactExtension,
    @Args(() => smartEmailTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return drafts.children(ctx, 'contactId', root.id, args, info)
  }
}

export const contactExtensionResource: Resource = { resolver: ContactExtensionResolver, types: [ContactExtension] }
