import { Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Contact } from '../contact/contact.ts'
import { contact } from '../contact/contact.record.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'

const contacts = recordsOf(contact)
const opportunities = recordsOf(opportunity)

/** Fields that this subgraph adds to the entity `SmartEmailDraft`. The other records are read here, so their visibility rules apply. */
@ObjectType('SmartEmailDraft')
@Directive('@key(fields: "id")')
export class SmartEmailExtension {
  @Field(() => ID, { description: 'Id of the draft.' })
  id!: string

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the contact to whom it is written; null if none.' })
  contactId!: string | null

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the opportunity that it is about; null if none.' })
  opportunityId!: string | null
}

@Resolver(() => SmartEmailExtension)
export class SmartEmailExtensionResolver {
  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact to whom it is written; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "contactId")')
  contact(@Root() root: SmartEmailExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return contacts.reference(ctx, root.contactId, info)
  }

  @FieldResolver(() => Opportunity, {
    nullable: true,
    description: 'The opportunity that it is about; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "opportunityId")')
  opportunity(@Root() root: SmartEmailExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return opportunities.reference(ctx, root.opportunityId, info)
  }
}

export const smartEmailExtensionResource: Resource = {
  resolver: SmartEmailExtensionResolver,
  types: [SmartEmailExtension],
}
