import { Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { Account } from '../account/account.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { Contact } from '../contact/contact.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const accounts = recordsOf(account)
const contacts = recordsOf(contact)
const opportunities = recordsOf(opportunity)

/** Fields that this subgraph adds to the entity `Case`. Accounts, contacts and opportunities are read here, so their visibility rules apply. */
@ObjectType('Case')
@Directive('@key(fields: "id")')
export class CaseExtension {
  @Field(() => ID, { description: 'Id of the case.' })
  id!: string

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the account that the case is about; null if none.' })
  accountId!: string | null

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the contact that the case is about; null if none.' })
  contactId!: string | null

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the opportunity that the case is about; null if none.' })
  opportunityId!: string | null
}

@Resolver(() => CaseExtension)
export class CaseExtensionResolver {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account of the case; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "accountId")')
  account(@Root() root: CaseExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.accountId, info)
  }

  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact of the case; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "contactId")')
  contact(@Root() root: CaseExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return contacts.reference(ctx, root.contactId, info)
  }

  @FieldResolver(() => Opportunity, {
    nullable: true,
    description: 'The opportunity of the case; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "opportunityId")')
  opportunity(@Root() root: CaseExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return opportunities.reference(ctx, root.opportunityId, info)
  }
}

export const caseExtensionResource: Resource = { resolver: CaseExtensionResolver, types: [CaseExtension] }
