import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { Account } from '../account/account.ts'
import { contactTypes } from './contact.inputs.ts'
import { contactAddresses, contactFurtherAddresses, contactOptOuts, contactTable } from './contact.migrations.ts'
import { contact } from './contact.record.ts'
import { ContactStats, contactStats } from './contact.stats.ts'
import { Contact } from './contact.ts'

const contacts = recordsOf(contact)
const accounts = recordsOf(account)

@Resolver(() => Contact)
export class ContactResolver extends standardResolver(contact, {
  scope: 'CONTACTS',
  types: contactTypes,
  stats: { type: ContactStats, read: contactStats },
  restoreDescription: 'Restores a deleted contact. It is not the primary contact of its account.',
}) {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account of the contact; null if there is none or the caller does not see it.',
  })
  account(@Root() root: Contact, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.accountId, info)
  }

  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The contact to whom the person reports; null if there is none or the caller does not see it.',
  })
  reportsTo(@Root() root: Contact, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return contacts.reference(ctx, root.reportsToId, info)
  }

  @FieldResolver(() => contactTypes.Connection, {
    description: 'Live contacts that report to the person, newest first by default.',
  })
  directReports(
    @Root() root: Contact,
    @Args(() => contactTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return contacts.children(ctx, 'reportsToId', root.id, args, info)
  }
}

export const contactResource: Resource = {
  resolver: ContactResolver,
  entities: { Contact: contact },
  migrations: [contactTable, contactOptOuts, contactAddresses, contactFurtherAddresses],
  rest: restArea(contact, {
    path: 'contacts',
    filters: [
      'accountId',
      'reportsToId',
      'email',
      'status',
      'emailStatus',
      'lifecycleStage',
      'leadSource',
      'seniority',
      'buyingRole',
      'isPrimary',
      { name: 'owner', column: 'ownerId', operator: 'eq' },
      'externalId',
      createdAfter,
      updatedAfter,
      ids,
    ],
  }),
}
