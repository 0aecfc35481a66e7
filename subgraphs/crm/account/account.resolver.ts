import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { registerLoadable } from '../../kernel/record/loadable-records.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { accountTypes } from './account.inputs.ts'
import { accountMatch, accountMatchFunctions } from './account-match.migrations.ts'
import { accountIndexes, accountTable, accountTotals } from './account.migrations.ts'
import { AccountStats, accountStats } from './account.stats.ts'
import { Account } from './account.ts'
import { account } from './account.record.ts'

const accounts = recordsOf(account)

@Resolver(() => Account)
export class AccountResolver extends standardResolver(account, {
  scope: 'ACCOUNTS',
  types: accountTypes,
  stats: { type: AccountStats, read: accountStats },
}) {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The parent account; null if there is none or the caller does not see it.',
  })
  parent(@Root() root: Account, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.parentAccountId, info)
  }

  @FieldResolver(() => accountTypes.Connection, {
    description: 'Live accounts whose parent is this account, newest first by default.',
  })
  children(
    @Root() root: Account,
    @Args(() => accountTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return accounts.children(ctx, 'parentAccountId', root.id, args, info)
  }
}

registerLoadable(account, 'ACCOUNTS')

export const accountResource: Resource = {
  resolver: AccountResolver,
  entities: { Account: account },
  migrations: [accountTable, accountIndexes, accountTotals, accountMatch, accountMatchFunctions],
  rest: restArea(account, {
    path: 'accounts',
    filters: [
      'type',
      'industry',
      'domain',
      'parentAccountId',
      { name: 'owner', column: 'ownerId', operator: 'eq' },
      'accountStatus',
      'rating',
      'churnRisk',
      'externalId',
      createdAfter,
      updatedAfter,
      ids,
    ],
  }),
}
