import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import type { StreamedRecord } from '../record-change/record-change.ts'
import { notificationConsumer } from './create/create-notifications.ts'
import { dueMails } from './mail/due-mails.job.ts'
import { forgetNotifications } from './forget-notifications.job.ts'
import { NotificationEventKey, shownCatalog } from './catalog/catalog.types.ts'
import {
  deleteNotification,
  listNotifications,
  readAllNotifications,
  readNotification,
  unreadCount,
} from './notification.actions.ts'
import {
  NotificationListArgs,
  NotificationPage,
  NotificationsRead,
  UnreadNotifications,
} from './notification.inputs.ts'
import { notificationTables } from './notification.migrations.ts'
import { notification } from './notification.record.ts'
import { Notification, NotificationChannels, notificationScope } from './notification.ts'
import { notificationRecordOf, recordOfNotification } from './notification-record.ts'
import { NotificationPreferences, NotificationPreferencesInput } from './preferences/preferences.ts'
import { readPreferences, setPreferences } from './preferences/stored-preferences.ts'

/** Notifications, whose records are of these types. */
export function notificationResource(records: readonly StreamedRecord[]): Resource {
  const NotificationRecord = notificationRecordOf(records)
  const byObject = new Map(records.map((record) => [record.shape.object, record]))

  @Resolver(() => Notification)
  class NotificationResolver {
    @Query(() => NotificationPage, {
      description:
        'The notifications of the caller, newest first. Nobody sees those of another user. Up to 1,000 are kept for each user, for 90 days.',
    })
    @RequiresScopes(notificationScope)
    notificationList(
      @Args(() => NotificationListArgs) args: NotificationListArgs,
      @Ctx() ctx: RequestContext,
      @Info() info: SelectionInfo,
    ) {
      return listNotifications(ctx, args, info)
    }

    @Query(() => UnreadNotifications, { description: 'How many notifications the caller has not read.' })
    @RequiresScopes(notificationScope)
    async notificationUnreadCount(@Ctx() ctx: RequestContext) {
      return { count: await unreadCount(ctx) }
    }

    @Query(() => [NotificationEventKey], {
      description: 'The catalog: every kind of notification, with the channels on which it is sent by default.',
    })
    @RequiresScopes(notificationScope)
    notificationCatalog() {
      return shownCatalog
    }

    @Query(() => NotificationPreferences, { description: 'How the caller wants to be notified.' })
    @RequiresScopes(notificationScope)
    notificationPreferences(@Ctx() ctx: RequestContext) {
      return readPreferences(ctx)
    }

    @Mutation(() => NotificationPreferences, {
      description:
        'Sets how the caller wants to be notified. It applies to notifications from then on. Event keys and categories that the catalog does not have are refused, and all of them are listed.',
    })
    @RequiresScope('NOTIFICATIONS')
    notificationPreferencesUpdate(
      @InputArg(() => NotificationPreferencesInput) input: NotificationPreferencesInput,
      @Ctx() ctx: RequestContext,
    ) {
      return setPreferences(ctx, input)
    }

    @Mutation(() => Notification, { description: 'Marks a notification as read. A second call changes nothing.' })
    @RequiresScope('NOTIFICATIONS')
    notificationRead(
      @Arg('id', () => ID, { description: 'Id of the notification.' }) id: string,
      @Ctx() ctx: RequestContext,
    ) {
      return readNotification(ctx, id)
    }

    @Mutation(() => NotificationsRead, { description: 'Marks all notifications of the caller as read.' })
    @RequiresScope('NOTIFICATIONS')
    async notificationReadAll(@Ctx() ctx: RequestContext) {
      return { count: await readAllNotifications(ctx) }
    }

    @Mutation(() => ID, { description: 'Deletes a notification; it cannot be restored. Returns its id.' })
    @RequiresScope('NOTIFICATIONS')
    notificationDelete(
      @Arg('id', () => ID, { description: 'Id of the notification.' }) id: string,
      @Ctx() ctx: RequestContext,
    ) {
      return deleteNotification(ctx, id)
    }

    @FieldResolver(() => NotificationChannels, { description: 'What became of it on each channel.' })
    channels(@Root() { inApp, email, push }: Notification): NotificationChannels {
      return { inApp, email, push }
    }

    @FieldResolver(() => NotificationRecord, {
      nullable: true,
      description: 'The record that it is about; null if there is none, or the caller does not see it at this moment.',
    })
    record(@Root() root: Notification, @Ctx() ctx: RequestContext) {
      return recordOfNotification(ctx, byObject, root)
    }
  }

  return {
    resolver: NotificationResolver,
    announces: [notification],
    migrations: [notificationTables],
    jobs: [dueMails, forgetNotifications],
    consumers: [notificationConsumer],
  }
}
