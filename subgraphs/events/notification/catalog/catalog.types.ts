import { Field, ObjectType } from 'type-graphql'
import { RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import { NotificationPriority, notificationScope } from '../notification.ts'
import { catalog } from './catalog.ts'

@ObjectType({ description: 'The channels on which a kind of notification is sent unless the user sets others.' })
@RequiresScopes(notificationScope)
export class NotificationDefaults {
  @Field(() => Boolean, { simple: true, description: 'The list of notifications.' })
  inApp!: boolean

  @Field(() => Boolean, { simple: true, description: 'The mail to the address of the user.' })
  email!: boolean

  @Field(() => Boolean, { simple: true, description: 'Web push.' })
  push!: boolean
}

@ObjectType({ description: 'One kind of notification.' })
@RequiresScopes(notificationScope)
export class NotificationEventKey {
  @Field(() => String, { simple: true, description: 'The key, as in notifications and preferences.' })
  key!: string

  @Field(() => String, { simple: true, description: 'Category, by which mails can be turned off together.' })
  category!: string

  @Field(() => String, { simple: true, description: 'What happened, as in the title of its notifications.' })
  title!: string

  @Field(() => String, { simple: true, description: 'When such a notification is created, and for whom.' })
  description!: string

  @Field(() => NotificationPriority, { simple: true, description: 'Priority of its notifications.' })
  priority!: keyof typeof NotificationPriority

  @Field(() => NotificationDefaults, { simple: true, description: 'Channels unless the preferences name others.' })
  defaultChannels!: NotificationDefaults

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'What mails the same already, so that this key is never mailed; null if it can be mailed.',
  })
  mailedBy!: string | null
}

export const shownCatalog: readonly NotificationEventKey[] = [...catalog.values()].map(
  ({ key, category, title, description, priority, channels, mailedBy = null }) => ({
    key,
    category,
    title,
    description,
    priority,
    defaultChannels: channels,
    mailedBy,
  }),
)
