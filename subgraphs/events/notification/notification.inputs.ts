import { ArgsType, Directive, Field, Int, ObjectType } from 'type-graphql'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Notification, notificationScope } from './notification.ts'

export const NotificationPage = pageRequiring('NotificationPage', Notification, notificationScope)
Field(() => Int, { description: 'Number of unread notifications of the caller, on all pages and whatever is listed.' })(
  NotificationPage.prototype as object,
  'unreadCount',
)

@ArgsType()
export class NotificationListArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'True: only notifications that are not read.' })
  unreadOnly!: boolean

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, 1 to 100,000. Ignored with `cursor`.' })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: 'Notifications per page, 1 to 100.' })
  pageSize!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })
  cursor?: string | null
}

@ObjectType({ description: 'How many notifications became read.' })
@RequiresScopes(notificationScope)
export class NotificationsRead {
  @Field(() => Int, { simple: true, description: 'Number of notifications that were unread before.' })
  count!: number
}

@ObjectType({ description: 'The number of unread notifications of the caller.' })
@RequiresScopes(notificationScope)
@Directive('@shareable')
export class UnreadNotifications {
  @Field(() => Int, { simple: true, description: 'Number of unread notifications in the list.' })
  count!: number
}
