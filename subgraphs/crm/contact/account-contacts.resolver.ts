import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { contactTypes } from './contact.inputs.ts'
import { contact } from './contact.record.ts'

const contacts = recordsOf(contact)

/** The edge from an account to its contacts. */
@Resolver(() => Account)
export class AccountContactsResolver {
  @FieldResolver(() => contactTypes.Connection, {
    nullable: true,
    description: 'Live contacts of the account that the caller sees; null if the caller lacks READ_CONTACTS.',
  })
  contacts(
    @Root() root: Account,
    @Args(() => contactTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return contacts.children(ctx, 'accountId', root.id, args, info)
  }
}

export const accountContactsResource: Resource = { resolver: AccountContactsResolver }
