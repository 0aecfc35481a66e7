import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Int, Mutation, Query, Resolver } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import type { WebhookContext } from '../webhook/webhook.context.ts'
import { WebhookDeliveryStatus } from '../webhook/webhook.enumerations.ts'
import { readDeliveries, readDelivery, replayDelivery, type DeliveryListArgs } from './delivery.actions.ts'
import { eventRecoveryTable } from './event-recovery.migrations.ts'
import { eventRecoveryQueue, forgetEventRecoveries } from './event-recovery.queue.ts'
import { recoverDeliveries } from './recover.ts'
import { recoverEvents } from './recover-events.ts'
import { testWebhook } from './send-test-event.ts'
import { deliveryJobs } from './delivery.jobs.ts'
import { deliveryBodies } from './delivery-body.migrations.ts'
import { depthOfDeliveries } from './delivery-depth.migrations.ts'
import { shownHeaders } from './delivery-headers.migrations.ts'
import { partsOfBodies } from './delivery-parts.migrations.ts'
import { failedAttempts, pendingDeliveries } from './pending-deliveries.migrations.ts'
import { deliveryQueue } from './delivery-queue.ts'
import { deliveryTables, earlierEvents, queueIndexesOfDeliveries } from './delivery.migrations.ts'
import { WebhookDeliveryPage } from './delivery.record.ts'
import { WebhookDelivery, WebhookRecovery } from './delivery.ts'
import { webhookConsumer } from './webhook-consumer.ts'

@ArgsType()
class DeliveryArgs implements DeliveryListArgs {
  @Field(() => [WebhookDeliveryStatus], {
    nullable: true,
    description: 'Only attempts in one of these states; null: all.',
  })
  status!: WebhookDeliveryStatus[] | null

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1. Ignored when `cursor` is given.' })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: 'Attempts per page, 1 to 100.' })
  limit!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })
  cursor!: string | null
}

interface RecoveredTimes {
  readonly since: string | null
  readonly from: string | null
  readonly to: string | null
}

/** Failed deliveries since a time, or all events of a time. */
async function recover(ctx: WebhookContext, id: string, { since, from, to }: RecoveredTimes): Promise<WebhookRecovery> {
  if (since !== null) {
    const [other] = [...(from === null ? [] : ['from']), ...(to === null ? [] : ['to'])]
    if (other) throw invalid({ path: other, code: 'NOT_ALLOWED', message: `${other} cannot be given with since.` })
    return recoverDeliveries(ctx, id, since)
  }
  if (from === null) throw invalid({ path: 'since', code: 'REQUIRED', message: 'since or from must be given.' })
  await recoverEvents(ctx, id, { from, to })
  return { queued: 0, hasMore: false, isComplete: false }
}

const WebhookIdArg = () => Arg('webhookId', () => ID, { description: 'Id of the webhook.' })
const IdOfAttempt = () => Arg('id', () => ID, { description: 'Id of the attempt.' })

@Resolver(() => WebhookDelivery)
export class WebhookDeliveryResolver {
  @Query(() => WebhookDeliveryPage, {
    description:
      'The attempts to deliver events to a webhook in the last 30 days, newest first. `total` and `totalPages` are null if there are more than 10,000. For owners and admins.',
  })
  webhookDeliveryList(
    @WebhookIdArg() webhookId: string,
    @Args(() => DeliveryArgs) args: DeliveryArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readDeliveries(ctx, webhookId, args, info)
  }

  @Query(() => WebhookDelivery, {
    nullable: true,
    description: 'One attempt to deliver an event, for 30 days. For owners and admins.',
  })
  webhookDelivery(
    @WebhookIdArg() webhookId: string,
    @IdOfAttempt() id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readDelivery(ctx, webhookId, id, info)
  }

  @Mutation(() => WebhookDelivery, {
    description:
      'Sends the stored body of a delivery again, unchanged, with the same event id and a new signature, to the current address of the webhook. Returns the new delivery, which is sent at once, is not retried, and does not count as a failure. Also for a webhook that is turned off. For owners and admins.',
  })
  @RequiresScope('WEBHOOKS')
  webhookDeliveryReplay(
    @WebhookIdArg() webhookId: string,
    @IdOfAttempt() id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return replayDelivery(ctx, webhookId, id, info)
  }

  @Mutation(() => WebhookDelivery, {
    description:
      'Sends the catalog sample of an event type to the webhook, with `test` true, whether or not the webhook subscribes to the type. Returns the new delivery, which is sent at once, is not retried, and does not count as a failure. Also for a webhook that is turned off. For owners and admins.',
  })
  @RequiresScope('WEBHOOKS')
  webhookTest(
    @Arg('id', () => ID, { description: 'Id of the webhook.' }) id: string,
    @Arg('type', () => String, { description: 'Type of the event catalog, or of a custom event of the organization.' })
    type: string,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return testWebhook(ctx, id, type, info)
  }

  @Mutation(() => WebhookRecovery, {
    description: [
      'With `since`, sends the deliveries again that have failed since a time, oldest first, at most 1,000: the stored body with the same event id, retried and counted like a new event. A failed delivery is queued once: a repeated request continues with those that are left.',
      'With `from`, sends the events of a time again that the webhook wants, such as those that occurred while it was turned off: each as a new delivery with the same event id, in the order of the log, by what the owner may see now, whether or not it was delivered before, and without debouncing. They are queued in the background, each once, at most 1,000 ahead of the receiver; the list of deliveries shows them. A webhook has one such recovery at a time.',
      'The webhook must be turned on. For owners and admins.',
    ].join(' '),
  })
  @RequiresScope('WEBHOOKS')
  webhookRecover(
    @Arg('id', () => ID, { description: 'Id of the webhook.' }) id: string,
    @Arg('since', () => DateTime, {
      nullable: true,
      description: 'Attempts that failed at or after this time; at most 30 days ago. Either `since` or `from`.',
    })
    since: string | null,
    @Arg('from', () => DateTime, {
      nullable: true,
      description:
        'Events that occurred at or after this time. A time before the oldest event that is kept is refused.',
    })
    from: string | null,
    @Arg('to', () => DateTime, {
      nullable: true,
      description: 'With `from`: events up to this time; null, or a time in the future: up to now.',
    })
    to: string | null,
    @Ctx() ctx: WebhookContext,
  ) {
    return recover(ctx, id, { since: since ?? null, from: from ?? null, to: to ?? null })
  }
}

export const deliveryResource: Resource = {
  resolver: WebhookDeliveryResolver,
  migrations: [
    deliveryTables,
    earlierEvents,
    queueIndexesOfDeliveries,
    deliveryBodies,
    shownHeaders,
    pendingDeliveries,
    failedAttempts,
    partsOfBodies,
    depthOfDeliveries,
    eventRecoveryTable,
  ],
  jobs: [...deliveryJobs, forgetEventRecoveries],
  queues: [deliveryQueue, eventRecoveryQueue],
  consumers: [webhookConsumer],
}
