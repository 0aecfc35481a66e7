import { Field, InputType, ObjectType } from 'type-graphql'
import { enumeration } from '../../../kernel/record/column.ts'
import { RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import { Json } from '../../../kernel/record/scalars.ts'
import { notificationScope } from '../notification.ts'

export const NotificationEmailObstacle = enumeration(
  'NotificationEmailObstacle',
  'Why no notification is mailed, whatever the preferences say.',
  {
    ADDRESS_NOT_VERIFIED:
      'The user has not verified the email address. Follow the link in the mail of the registration, or sign in with a mailed link.',
  },
)
export type NotificationEmailObstacle = keyof typeof NotificationEmailObstacle

const enabledText = 'Whether it applies. Default: false.'
const timezoneText = 'IANA name of the time zone, required unless `followProfile`; null if none was set.'
const followText = 'True uses the time zone of the profile of the user, and ignores `timezone`. Default: true.'
const startText = 'Local time at which they begin, as HH:MM. Default: 22:00.'
const endText = 'Local time at which they end, as HH:MM; before `start` it is on the next day. Default: 07:00.'
const timeText = 'Local time at which the mail is sent every day, as HH:MM. Default: 08:00.'

@ObjectType({
  description:
    'Hours in which no mail and no push message is sent, except for HIGH notifications. They are sent afterwards.',
})
@RequiresScopes(notificationScope)
export class QuietHours {
  @Field(() => Boolean, { simple: true, description: enabledText })
  enabled!: boolean

  @Field(() => String, { simple: true, description: startText })
  start!: string

  @Field(() => String, { simple: true, description: endText })
  end!: string

  @Field(() => String, { nullable: true, simple: true, description: timezoneText })
  timezone!: string | null

  @Field(() => Boolean, { simple: true, description: followText })
  followProfile!: boolean
}

@ObjectType({ description: 'One mail a day with all that is not HIGH, instead of a mail for each notification.' })
@RequiresScopes(notificationScope)
export class NotificationDigest {
  @Field(() => Boolean, { simple: true, description: enabledText })
  enabled!: boolean

  @Field(() => String, { simple: true, description: timeText })
  time!: string

  @Field(() => String, { nullable: true, simple: true, description: timezoneText })
  timezone!: string | null

  @Field(() => Boolean, { simple: true, description: followText })
  followProfile!: boolean
}

@ObjectType({ description: 'How the caller wants to be notified. Everything that was never set has its default.' })
@RequiresScopes(notificationScope)
export class NotificationPreferences {
  @Field(() => Json, {
    simple: true,
    description:
      'The channels of each event key of the catalog: an object with inApp, email and push. What was never set has the default of the catalog.',
  })
  events!: Record<string, { inApp: boolean; email: boolean; push: boolean }>

  @Field(() => QuietHours, { simple: true, description: 'Hours in which nothing is mailed or pushed.' })
  quietHours!: QuietHours

  @Field(() => NotificationDigest, { simple: true, description: 'A daily mail instead of single ones.' })
  digest!: NotificationDigest

  @Field(() => Json, {
    simple: true,
    description: 'Whether anything of a category is mailed, by the name of the category. Default: true.',
  })
  emailCategories!: Record<string, boolean>

  @Field(() => NotificationEmailObstacle, {
    simple: true,
    nullable: true,
    description: 'Why every mail is SUPPRESSED, whatever the preferences say; null if mails are sent.',
  })
  emailSuppressedBy!: NotificationEmailObstacle | null
}

@InputType({ description: 'Quiet hours to set; what is absent gets its default.' })
export class QuietHoursInput {
  @Field(() => Boolean, { nullable: true, description: enabledText })
  enabled?: boolean | null

  @Field(() => String, { nullable: true, description: startText })
  start?: string | null

  @Field(() => String, { nullable: true, description: endText })
  end?: string | null

  @Field(() => String, { nullable: true, description: timezoneText })
  timezone?: string | null

  @Field(() => Boolean, { nullable: true, description: followText })
  followProfile?: boolean | null
}

@InputType({ description: 'The digest to set; what is absent gets its default.' })
export class NotificationDigestInput {
  @Field(() => Boolean, { nullable: true, description: enabledText })
  enabled?: boolean | null

  @Field(() => String, { nullable: true, description: timeText })
  time?: string | null

  @Field(() => String, { nullable: true, description: timezoneText })
  timezone?: string | null

  @Field(() => Boolean, { nullable: true, description: followText })
  followProfile?: boolean | null
}

@InputType({ description: 'Preferences to set. Each member that is given replaces the stored one; the others stay.' })
export class NotificationPreferencesInput {
  @Field(() => Json, {
    nullable: true,
    description:
      'Channels by event key of the catalog: objects with optional inApp, email and push. It replaces everything that was set for events: keys that are absent have the defaults of the catalog.',
  })
  events?: unknown

  @Field(() => QuietHoursInput, { nullable: true, description: 'Hours in which nothing is mailed or pushed.' })
  quietHours?: QuietHoursInput | null

  @Field(() => NotificationDigestInput, { nullable: true, description: 'A daily mail instead of single ones.' })
  digest?: NotificationDigestInput | null

  @Field(() => Json, {
    nullable: true,
    description: 'Whether anything of a category is mailed, by category of the catalog. Absent categories are mailed.',
  })
  emailCategories?: unknown

  @Field(() => NotificationEmailObstacle, {
    nullable: true,
    description: 'Ignored, so that preferences can be sent back as they were read.',
  })
  emailSuppressedBy?: NotificationEmailObstacle | null
}
