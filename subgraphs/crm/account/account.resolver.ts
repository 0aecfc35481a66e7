import { Arg, Args, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import { connectionArgs, pageArgs, PartArgs } from '../../kernel/record/list-args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { Asked } from '../../kernel/record/selection.ts'
import { Scope } from '../../kernel/record/scope.ts'
import { updateAccount } from './account.actions.ts'
import { account, Account } from './account.ts'
import {
  AccountConnection,
  AccountCreateInput,
  AccountFilter,
  AccountOrder,
  AccountPage,
  AccountUpdateInput,
} from './account.inputs.ts'
import { AccountStats, accountStats } from './account.stats.ts'
import { accountTable } from './account.migrations.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'

const accounts = recordsOf(account)
const AccountPageArgs = pageArgs(AccountFilter, AccountOrder)
const AccountConnectionArgs = connectionArgs(AccountFilter, AccountOrder)
type AccountPageArgs = InstanceType<typeof AccountPageArgs>
type AccountConnectionArgs = InstanceType<typeof AccountConnectionArgs>

@Resolver(() => Account)
export class AccountResolver {
  @Query(() => Account, { nullable: true })
  account(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return accounts.one(ctx, id, info)
  }

  @Query(() => AccountPage)
  accountList(@Args(() => AccountPageArgs) args: AccountPageArgs, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return accounts.page(ctx, args, info)
  }

  @Query(() => AccountConnection)
  accountConnection(
    @Args(() => AccountConnectionArgs) args: AccountConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: Asked,
  ) {
    return accounts.connection(ctx, args, info)
  }

  @Query(() => [Account], { description: 'Deleted accounts, most recently deleted first.' })
  accountListDeleted(@Args(() => PartArgs) args: PartArgs, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return accounts.deleted(ctx, args, info)
  }

  @Query(() => AccountStats)
  accountStats(@Ctx() ctx: RequestContext) {
    return accountStats(ctx)
  }

  @Mutation(() => Account)
  @Scope('ACCOUNTS')
  accountCreate(@Arg('input', () => AccountCreateInput) input: AccountCreateInput, @Ctx() ctx: RequestContext) {
    return accounts.create(ctx, input)
  }

  @Mutation(() => Account)
  @Scope('ACCOUNTS')
  accountUpdate(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => AccountUpdateInput) input: AccountUpdateInput,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateAccount(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes an account. It can be restored; until then only `accountListDeleted` returns it.',
  })
  @Scope('ACCOUNTS')
  accountDelete(
    @Arg('id', () => ID) id: string,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return accounts.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => Account)
  @Scope('ACCOUNTS')
  accountRestore(
    @Arg('id', () => ID) id: string,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return accounts.restore(ctx, id, expectedVersion)
  }

  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The parent account; null if there is none or the caller does not see it.',
  })
  parent(@Root() root: Account, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return accounts.reference(ctx, root.parentAccountId, info)
  }

  @FieldResolver(() => AccountConnection)
  children(
    @Root() root: Account,
    @Args(() => AccountConnectionArgs) args: AccountConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: Asked,
  ) {
    return accounts.children(ctx, 'parentAccountId', root.id, args, info)
  }
}

export const accountResource: Resource = {
  resolver: AccountResolver,
  entities: { Account: account },
  migrations: [accountTable],
}
