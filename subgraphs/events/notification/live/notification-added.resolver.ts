import { Arg, Ctx, Query, Resolver, Root, Subscription } from 'type-graphql'
import { RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { Resource } from '../../../kernel/subgraph/subgraph.ts'
import { notificationSequence } from '../notification.migrations.ts'
import { notificationScope } from '../notification.ts'
import { notificationAt, notificationCursors, NotificationAdded } from './notification-added.ts'

@Resolver()
export class NotificationAddedResolver {
  @Query(() => [String], {
    description:
      'Cursors of the notifications of the caller that were added after a cursor, oldest first, at most 20. Without `after`: the cursor of the latest one.',
  })
  @RequiresScopes(notificationScope)
  notificationCursors(
    @Arg('after', () => String, { nullable: true, description: '`cursor` of a NotificationAdded.' })
    after: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    return notificationCursors(ctx, after)
  }

  @Query(() => NotificationAdded, {
    nullable: true,
    description: 'The notification at a cursor; null if the caller has none there, for example after it was deleted.',
  })
  @RequiresScopes(notificationScope)
  notificationAt(
    @Arg('cursor', () => String, { description: '`cursor` of the notification.' }) cursor: string,
    @Ctx() ctx: RequestContext,
  ) {
    return notificationAt(ctx, cursor)
  }

  /** The gateway runs this subscription: it queries `notificationAt` for each new cursor, as the subscriber. */
  @Subscription(() => NotificationAdded, {
    description: [
      'The notifications of the caller that are added from the time of the subscription on, or after the cursor `after`, in order.',
      'The credential is checked for each of them, and the subscription ends when the credential does.',
      'A notification that grows because more of its kind happened is not sent again.',
    ].join(' '),
    topics: 'notificationAdded',
  })
  @RequiresScopes(notificationScope)
  notificationAdded(
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `cursor` of the last received notification. Without it, only new ones are sent.',
    })
    _after: string | null,
    @Root() added: NotificationAdded,
  ): NotificationAdded {
    return added
  }
}

export const notificationAddedResource: Resource = {
  resolver: NotificationAddedResolver,
  migrations: [notificationSequence],
}
