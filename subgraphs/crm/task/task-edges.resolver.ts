import { Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { Account } from '../account/account.ts'
import { CaseExtension } from '../case-extension/case-extension.resolver.ts'
import { visibleStub } from '../related-record/visible-stub.ts'
import { taskTypes } from './task.inputs.ts'
import { task } from './task.record.ts'
import { Task } from './task.ts'

const accounts = recordsOf(account)
const tasks = recordsOf(task)

@Resolver(() => Task)
export class TaskEdgesResolver {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account that the task concerns; null if there is none or the caller does not see it.',
  })
  account(@Root() root: Task, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.accountId, info)
  }

  @FieldResolver(() => CaseExtension, {
    nullable: true,
    description: 'The case that the task concerns; null if there is none or the caller does not see it.',
  })
  case(@Root() root: Task, @Ctx() ctx: RequestContext) {
    return visibleStub(ctx, 'case', root.caseId)
  }
}

@Resolver(() => Account)
export class AccountTasksResolver {
  @FieldResolver(() => taskTypes.Connection, {
    nullable: true,
    description: 'Live tasks of the account that the caller sees, newest first by default.',
  })
  tasks(
    @Root() root: Account,
    @Args(() => taskTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return tasks.children(ctx, 'accountId', root.id, args, info)
  }
}

@Resolver(() => CaseExtension)
export class CaseTasksResolver {
  @FieldResolver(() => taskTypes.Connection, {
    nullable: true,
    description:
      'Live tasks of the case that the caller sees, newest first by default; null while they cannot be read.',
  })
  tasks(
    @Root() root: CaseExtension,
    @Args(() => taskTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return tasks.children(ctx, 'caseId', root.id, args, info)
  }
}

export const taskEdgeResources: readonly Resource[] = [
  { resolver: TaskEdgesResolver },
  { resolver: AccountTasksResolver },
  { resolver: CaseTasksResolver },
]
