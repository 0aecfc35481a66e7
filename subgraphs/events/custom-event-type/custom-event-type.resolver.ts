import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { customEventTypeComponent } from './custom-event-type.component.ts'
import {
  CustomEventTypeCreateInput,
  CustomEventTypePage,
  CustomEventTypePageArgs,
  CustomEventTypeUpdateInput,
} from './custom-event-type.inputs.ts'
import { customEventTypeManagedBy, customEventTypeTable } from './custom-event-type.migrations.ts'
import { customEventType, customEventTypesMax } from './custom-event-type.record.ts'
import { CustomEventType } from './custom-event-type.ts'
import { payloadCharactersMax, publishCustomEvent } from './publish.ts'
import { PublishedEvent } from './published-event.ts'

const types = recordsOf(customEventType)

@Resolver(() => CustomEventType)
export class CustomEventTypeResolver {
  @Query(() => CustomEventType, { nullable: true, description: 'One custom event type by id.' })
  customEventType(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return types.one(ctx, id, info)
  }

  @Query(() => CustomEventTypePage, { description: 'The custom event types of the organization.' })
  customEventTypeList(
    @Args(() => CustomEventTypePageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return types.page(ctx, args, info)
  }

  @Mutation(() => CustomEventType, {
    description: `Creates a custom event type. An organization has at most ${customEventTypesMax}. For owners and admins.`,
  })
  @RequiresScope('CUSTOM_EVENT_TYPES')
  customEventTypeCreate(
    @InputArg(() => CustomEventTypeCreateInput) input: RecordInput<CustomEventType>,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return types.create(ctx, input)
  }

  @Mutation(() => CustomEventType, {
    description:
      'Changes a custom event type. A changed schema is the next version: events published from then on are checked by it and carry its number. For owners and admins.',
  })
  @RequiresScope('CUSTOM_EVENT_TYPES')
  customEventTypeUpdate(
    @IdArg() id: string,
    @InputArg(() => CustomEventTypeUpdateInput) input: RecordInput<CustomEventType>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return types.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a custom event type: its events can no longer be published. Published events stay, and so do the versions of its schema. For owners and admins.',
  })
  @RequiresScope('CUSTOM_EVENT_TYPES')
  customEventTypeDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return types.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => PublishedEvent, {
    description:
      'Publishes an event of a custom event type: webhooks and streams that subscribe to it receive the payload as `data`. The payload must fit the current schema of the type. Which users may publish is `publishAccess` of the type.',
  })
  @RequiresScopes('PUBLISH_EVENTS')
  customEventPublish(
    @Arg('apiName', () => String, { description: '`apiName` of the custom event type.' }) apiName: string,
    @Arg('data', () => Json, {
      description: `The payload: an object that fits the schema of the type, with at most ${payloadCharactersMax} characters as JSON.`,
    })
    data: unknown,
    @Ctx() ctx: RequestContext,
  ) {
    return publishCustomEvent(ctx, apiName, data)
  }
}

export const customEventTypeResource: Resource = {
  resolver: CustomEventTypeResolver,
  component: customEventTypeComponent,
  announces: [customEventType],
  migrations: [customEventTypeTable, customEventTypeManagedBy],
  rest: restArea(customEventType, { path: 'custom-event-types', filters: ['apiName', 'publishAccess'] }),
}
