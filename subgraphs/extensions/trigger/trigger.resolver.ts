import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { typeFilter } from '../extended-type.ts'
import { afterSaveTriggerComponent } from './trigger.component.ts'
import { triggersMax } from './bounds.ts'
import { createTrigger, deleteTrigger, updateTrigger } from './trigger.actions.ts'
import { TriggerCreateInput, TriggerPage, TriggerPageArgs, TriggerUpdateInput } from './trigger.inputs.ts'
import { triggerTables } from './trigger.migrations.ts'
import { afterSaveTrigger } from './trigger.record.ts'
import { AfterSaveTrigger } from './trigger.ts'
import { triggerJobs, triggerQueue } from './trigger-queue.ts'

const triggers = recordsOf(afterSaveTrigger)

@Resolver(() => AfterSaveTrigger)
export class AfterSaveTriggerResolver {
  @Query(() => AfterSaveTrigger, {
    nullable: true,
    description: 'One after-save trigger by id. For owners and admins.',
  })
  afterSaveTrigger(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return triggers.one(ctx, id, info)
  }

  @Query(() => TriggerPage, { description: 'The after-save triggers of the organization. For owners and admins.' })
  afterSaveTriggerList(
    @Args(() => TriggerPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return triggers.page(ctx, args, info)
  }

  @Mutation(() => AfterSaveTrigger, {
    description: `Creates an after-save trigger. A record type has at most ${triggersMax}. It reacts to the changes that are committed afterwards. For owners and admins.`,
  })
  @RequiresScope('HOOKS')
  afterSaveTriggerCreate(
    @InputArg(() => TriggerCreateInput) input: RecordInput<AfterSaveTrigger>,
    @Ctx() ctx: RequestContext,
  ) {
    return createTrigger(ctx, input)
  }

  @Mutation(() => AfterSaveTrigger, {
    description: 'Changes an after-save trigger, also for what is queued. For owners and admins.',
  })
  @RequiresScope('HOOKS')
  afterSaveTriggerUpdate(
    @IdArg() id: string,
    @InputArg(() => TriggerUpdateInput) input: RecordInput<AfterSaveTrigger>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateTrigger(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Deletes an after-save trigger; it cannot be restored, and what is queued is not run. For owners and admins.',
  })
  @RequiresScope('HOOKS')
  afterSaveTriggerDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteTrigger(ctx, id, expectedVersion)
  }
}

export const afterSaveTriggerResource: Resource = {
  resolver: AfterSaveTriggerResolver,
  component: afterSaveTriggerComponent,
  announces: [afterSaveTrigger],
  migrations: [triggerTables],
  queues: [triggerQueue],
  jobs: triggerJobs,
  rest: restArea(afterSaveTrigger, {
    path: 'after-save-triggers',
    filters: [typeFilter('objectType'), 'name', 'isActive', 'function'],
  }),
}
