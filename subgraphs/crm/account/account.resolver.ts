import { Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import { UnfilteredPageArgs } from '../../kernel/record/list-args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  AccountConnection,
  AccountConnectionArgs,
  AccountCreateInput,
  AccountPage,
  AccountPageArgs,
  AccountUpdateInput,
} from './account.inputs.ts'
import { accountIndexes, accountTable, accountTotals } from './account.migrations.ts'
import { AccountStats, accountStats } from './account.stats.ts'
import { Account } from './account.ts'
import { account } from './account.record.ts'

const accounts = recordsOf(account)

@Resolver(() => Account)
export class AccountResolver {
  @Query(() => Account, { nullable: true })
  account(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.one(ctx, id, info)
  }

  @Query(() => AccountPage)
  accountList(@Args(() => AccountPageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.page(ctx, args, info)
  }

  @Query(() => AccountConnection)
  accountConnection(
    @Args(() => AccountConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return accounts.connection(ctx, args, info)
  }

  @Query(() => [Account], { description: 'Deleted accounts, most recently deleted first.' })
  accountListDeleted(
    @Args(() => UnfilteredPageArgs) args: UnfilteredPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return accounts.deleted(ctx, args, info)
  }

  @Query(() => AccountStats)
  accountStats(@Ctx() ctx: RequestContext) {
    return accountStats(ctx)
  }

  @Mutation(() => Account)
  @RequiresScope('ACCOUNTS')
  accountCreate(@InputArg(() => AccountCreateInput) input: RecordInput<Account>, @Ctx() ctx: RequestContext) {
    return accounts.create(ctx, input)
  }

  @Mutation(() => Account)
  @RequiresScope('ACCOUNTS')
  accountUpdate(
    @IdArg() id: string,
    @InputArg(() => AccountUpdateInput) input: RecordInput<Account>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return accounts.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes an account. It can be restored; until then only `accountListDeleted` returns it.',
  })
  @RequiresScope('ACCOUNTS')
  accountDelete(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return accounts.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => Account)
  @RequiresScope('ACCOUNTS')
  accountRestore(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return accounts.restore(ctx, id, expectedVersion)
  }

  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The parent account; null if there is none or the caller does not see it.',
  })
  parent(@Root() root: Account, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.parentAccountId, info)
  }

  @FieldResolver(() => AccountConnection, {
    description: 'Live accounts whose parent is this account, newest first by default.',
  })
  children(
    @Root() root: Account,
    @Args(() => AccountConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return accounts.children(ctx, 'parentAccountId', root.id, args, info)
  }
}

export const accountResource: Resource = {
  resolver: AccountResolver,
  entities: { Account: account },
  migrations: [accountTable, accountIndexes, accountTotals],
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
