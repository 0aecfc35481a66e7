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
import { activityTypes } from './activity.inputs.ts'
import { activity } from './activity.record.ts'
import { Activity } from './activity.ts'

const accounts = recordsOf(account)
const activities = recordsOf(activity)

@Resolver(() => Activity)
export class ActivityEdgesResolver {
  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account that the activity concerns; null if there is none or the caller does not see it.',
  })
  account(@Root() root: Activity, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.accountId, info)
  }

  @FieldResolver(() => CaseExtension, {
    nullable: true,
    description: 'The case that the activity concerns; null if there is none or the caller does not see it.',
  })
  case(@Root() root: Activity, @Ctx() ctx: RequestContext) {
    return visibleStub(ctx, 'case', root.caseId)
  }
}

@Resolver(() => Account)
export class AccountActivitiesResolver {
  @FieldResolver(() => activityTypes.Connection, {
    nullable: true,
    description: 'Live activities of the account that the caller sees, newest first by default.',
  })
  activities(
    @Root() root: Account,
    @Args(() => activityTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return activities.children(ctx, 'accountId', root.id, args, info)
  }
}

@Resolver(() => CaseExtension)
export class CaseActivitiesResolver {
  @FieldResolver(() => activityTypes.Connection, {
    nullable: true,
    description:
      'Live activities of the case that the caller sees, newest first by default; null while they cannot be read.',
  })
  activities(
    @Root() root: CaseExtension,
    @Args(() => activityTypes.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return activities.children(ctx, 'caseId', root.id, args, info)
  }
}

export const activityEdgeResources: readonly Resource[] = [
  { resolver: ActivityEdgesResolver },
  { resolver: AccountActivitiesResolver },
  { resolver: CaseActivitiesResolver },
]
