import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { InputArg } from '../../../kernel/record/args.ts'
import { RequiresScope, RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { Resource } from '../../../kernel/subgraph/subgraph.ts'
import { pushTables } from '../notification.migrations.ts'
import { notificationScope } from '../notification.ts'
import { listDevices, sealedPushKeys, subscribeDevice, unsubscribeDevice } from './push-subscription.actions.ts'
import { PushSubscription, PushSubscriptionInput, PushSubscriptions } from './push-subscription.ts'
import { forgetPushes, pushQueue } from './push-queue.ts'

@Resolver()
export class PushResolver {
  @Query(() => PushSubscriptions, { description: 'The devices of the caller that take push messages.' })
  @RequiresScopes(notificationScope)
  pushSubscriptionList(@Ctx() ctx: RequestContext) {
    return listDevices(ctx)
  }

  @Mutation(() => PushSubscription, {
    description:
      'Subscribes a device of the caller to push messages (RFC 8030), at most 20. An endpoint that is subscribed already gets the new keys. A device whose push service answers 404 or 410 is removed.',
  })
  @RequiresScope('NOTIFICATIONS')
  pushSubscriptionCreate(
    @InputArg(() => PushSubscriptionInput) input: PushSubscriptionInput,
    @Ctx() ctx: RequestContext<'vault' | 'outbound'>,
  ) {
    return subscribeDevice(ctx, input)
  }

  @Mutation(() => ID, { description: 'Removes a device: it gets no further message. Returns its id.' })
  @RequiresScope('NOTIFICATIONS')
  pushSubscriptionDelete(
    @Arg('id', () => ID, { description: 'Id of the subscription.' }) id: string,
    @Ctx() ctx: RequestContext,
  ) {
    return unsubscribeDevice(ctx, id)
  }
}

export const pushResource: Resource = {
  resolver: PushResolver,
  migrations: [pushTables],
  jobs: [forgetPushes],
  queues: [pushQueue],
  sealed: [sealedPushKeys],
}
