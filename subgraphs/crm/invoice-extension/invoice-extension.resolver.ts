import { Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { Account } from '../account/account.ts'
import { contact } from '../contact/contact.record.ts'
import { Contact } from '../contact/contact.ts'

const accounts = recordsOf(account)
const contacts = recordsOf(contact)

/** Fields that this subgraph adds to the entity `Invoice`. The other records are read here, so their visibility rules apply. */
@ObjectType('Invoice')
@Directive('@key(fields: "id")')
export class InvoiceExtension {
  @Field(() => ID, { description: 'Id of the invoice.' })
  id!: string

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the account that must pay; null if none.' })
  customerId!: string | null

  @Directive('@external')
  @Field(() => ID, { nullable: true, description: 'Id of the contact who gets the invoice; null if none.' })
  contactId!: string | null
}

@Resolver(() => InvoiceExtension)
export class InvoiceExtensionResolver {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account that must pay; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "customerId")')
  customer(@Root() root: InvoiceExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.customerId, info)
  }

  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact who gets the invoice; null if there is none or the caller does not see it.',
  })
  @Directive('@requires(fields: "contactId")')
  contact(@Root() root: InvoiceExtension, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return contacts.reference(ctx, root.contactId, info)
  }
}

export const invoiceExtensionResource: Resource = { resolver: InvoiceExtensionResolver, types: [InvoiceExtension] }
