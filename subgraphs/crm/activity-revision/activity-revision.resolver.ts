import { Args, Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs } from '../../kernel/record/list.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { activity } from '../activity/activity.record.ts'
import { Activity } from '../activity/activity.ts'
import { ActivityCorrectInput } from './activity-correct-input.ts'
import { activityRevisionTable } from './activity-revision.migrations.ts'
import {
  activityRevision,
  ActivityRevisionConnection,
  ActivityRevisionConnectionArgs,
  ActivityRevisionPage,
} from './activity-revision.record.ts'
import { correctActivity } from './correct-activity.ts'

const revisions = recordsOf(activityRevision)

@Resolver(() => Activity)
export class ActivityRevisionResolver {
  @Query(() => ActivityRevisionPage, { description: 'The earlier wordings of an activity, the latest first.' })
  async activityRevisionList(
    @IdArg() id: string,
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    const { id: activityId } = await requireRecord(ctx, activity, id)
    return revisions.page(ctx, { ...args, filter: { activityId: { eq: activityId } } }, info)
  }

  @Mutation(() => Activity, {
    description:
      'Corrects the wording of an activity. The former wording stays readable in `revisions`; nothing else of what happened changes. The same wording changes nothing.',
  })
  @RequiresScope('ACTIVITIES')
  activityCorrect(
    @IdArg() id: string,
    @InputArg(() => ActivityCorrectInput) input: ActivityCorrectInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return correctActivity(ctx, id, input, expectedVersion)
  }

  @FieldResolver(() => ActivityRevisionConnection, {
    description: 'The earlier wordings of the activity, the latest first by default.',
  })
  revisions(
    @Root() root: Activity,
    @Args(() => ActivityRevisionConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return revisions.children(ctx, 'activityId', root.id, args, info)
  }
}

export const activityRevisionResource: Resource = {
  resolver: ActivityRevisionResolver,
  announces: [activityRevision],
  migrations: [activityRevisionTable],
  operations: [
    operation('POST /v1/activities/{id}/correct', 'activityCorrect', {
      summary: 'Correct the wording of an activity',
      answers: 'The activity as changed.',
    }),
    operation('GET /v1/activities/{id}/revisions', 'activityRevisionList', {
      summary: 'List the earlier wordings of an activity',
      answers: 'A page of revisions.',
    }),
  ],
}
