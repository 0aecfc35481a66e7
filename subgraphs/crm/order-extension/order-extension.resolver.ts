import { Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { Account } from '../account/account.ts'
import { account } from '../account/account.record.ts'
import { Contact } from '../contact/contact.ts'
import { contact } from '../contact/contact.record.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const accounts = recordsOf(account)
const contacts = recordsOf(contact)
const opportunities = recordsOf(opportunity)

/** Fields that this subgraph adds to the entity `Order`. The other records are read here, so their visibility rules apply. */
@ObjectType('Order')
@Directive('@key(fields: "id")')
export class OrderExtension {
  @Field(() => ID, { description: 'Id of the order.' })
  id!: string

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the account that ordered; null if none.' })
  accountId!: string | null

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the opportunity to which the order belongs; null if none.' })
  opportunityId!: string | null

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the contact who ordered; null if none.' })
  contactId!: string | null
}

@Resolver(() => OrderExtension)
export class OrderExtensionResolver {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account of the order; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "accountId")')
  account(@Root() root: OrderExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.accountId, info)
  }

  @FieldResolver(() => Opportunity, {
    nullable: true,
    description: 'The opportunity of the order; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "opportunityId")')
  opportunity(@Root() root: OrderExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return opportunities.reference(ctx, root.opportunityId, info)
  }

  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact of the order; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "contactId")')
  contact(@Root() root: OrderExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return contacts.reference(ctx, root.contactId, info)
  }
}

export const orderExtensionResource: Resource = { resolver: OrderExtensionResolver, types: [OrderExtension] }
