import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

/** What API keys and apps need to read notifications. */
export const notificationScope = 'READ_NOTIFICATIONS'

export const NotificationPriority = enumeration('NotificationPriority', 'How urgent a notification is.', {
  LOW: 'For information.',
  NORMAL: 'Something to do or to know.',
  HIGH: 'Needs attention at once: it is sent during quiet hours too, and is not put off to the digest.',
})

export const NotificationChannelState = enumeration(
  'NotificationChannelState',
  'What became of a notification on one channel.',
  {
    PENDING: 'It will be sent: after the quiet hours, or as soon as the receiver takes it.',
    SENT: 'It was sent. In-app: it is in the list. Email: it was handed to the mail queue.',
    SUPPRESSED:
      'It is not sent: the preferences exclude it, the user has not verified the email address (`emailSuppressedBy` of the preferences says so) or has no device for the channel, the channel is not configured, the receiver refused it, or all attempts failed.',
    DIGESTED: 'It is part of a mail that gathers several notifications.',
  },
)

export type ChannelState = keyof typeof NotificationChannelState

@ObjectType({ description: 'What became of a notification on each channel.' })
@RequiresScopes(notificationScope)
export class NotificationChannels {
  @Field(() => NotificationChannelState, { simple: true, description: 'The list of notifications.' })
  inApp!: ChannelState

  @Field(() => NotificationChannelState, {
    simple: true,
    description: 'The mail to the address of the user; SUPPRESSED until the user has verified the address.',
  })
  email!: ChannelState

  @Field(() => NotificationChannelState, { simple: true, description: 'Web push, to the devices of the user.' })
  push!: ChannelState
}

@ObjectType({
  description: 'A notice to one user about something that happened. Only this user sees it, whatever the role.',
})
@RequiresScopes(notificationScope)
@Entity({ schema: 'events', tableName: 'notification' })
export class Notification {
  @Column(() => ID, { description: 'Id of the notification.' })
  id!: string

  @Column(() => ID, { internal: true })
  organizationId!: string

  @Column(() => ID, { internal: true })
  userId!: string

  @Column(() => String, {
    description: 'What happened, as a key of the catalog of notifications.',
    example: 'task.assigned',
  })
  eventKey!: string

  @Column(() => String, { description: 'Category of the event key, as in the catalog.', example: 'TASKS' })
  category!: string

  @Column(() => String, {
    description: 'What happened, in one line of at most 255 characters.',
    example: 'A task was assigned to you: Call the yard',
  })
  title!: string

  @Column(() => String, {
    description: 'More about it, at most 1,000 characters; empty if the title says everything.',
    example: 'Assigned by Elin Wester. Due 2026-11-05.',
  })
  body!: string

  @Column(() => NotificationPriority, { description: 'How urgent it is.', example: 'NORMAL' })
  priority!: keyof typeof NotificationPriority

  @Column(() => String, {
    nullable: true,
    decidesEdges: true,
    description:
      'Type of the record that the notification is about, as in events; null if it is about none, or about several.',
    example: 'task',
  })
  entityType!: string | null

  @Column(() => ID, { nullable: true, description: 'Id of that record; null if there is none.' })
  entityId!: string | null

  @Column(() => String, {
    nullable: true,
    description: 'Path of that record in this API; null if there is none.',
    example: '/v1/tasks/019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  actionUrl!: string | null

  @Column(() => ID, {
    nullable: true,
    description: 'Id of the user who caused it; null if nobody or the platform did.',
    user: { field: 'actor', description: 'The user who caused it; null if nobody or the platform did.' },
  })
  actorId!: string | null

  @Column(() => String, {
    description: 'Notifications with the same value belong together: a digest has one line for them.',
    example: 'task.assigned',
  })
  groupKey!: string

  @Column(() => Int, {
    description:
      'Number of events that the notification stands for: 1, or more when too many of one kind happened within an hour.',
    example: 1,
  })
  count!: number

  @Column(() => String, { internal: true, decidesEdges: true })
  inApp!: ChannelState

  @Column(() => String, { internal: true, decidesEdges: true })
  email!: ChannelState

  @Column(() => String, { internal: true, decidesEdges: true })
  push!: ChannelState

  @Column(() => Boolean, { computed: true, description: 'True after the user has read it.', example: false })
  isRead!: boolean

  @Column(() => DateTime, { nullable: true, description: 'When the user read it; null while unread.', example: null })
  readAt!: string | null

  @Column(() => DateTime, { description: 'When it was created.' })
  createdAt!: string
}
