import { Field, ID, InputType, ObjectType } from 'type-graphql'
import { RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import { DateTime } from '../../../kernel/record/scalars.ts'
import { notificationScope } from '../notification.ts'

@ObjectType({ description: 'A browser or device of the caller that takes push messages. Its keys are never shown.' })
@RequiresScopes(notificationScope)
export class PushSubscription {
  @Field(() => ID, { simple: true, description: 'Id of the subscription.' })
  id!: string

  @Field(() => String, { simple: true, description: 'URL of the push service for this device.' })
  endpoint!: string

  @Field(() => DateTime, { simple: true, description: 'When the device was subscribed.' })
  createdAt!: string

  @Field(() => DateTime, {
    nullable: true,
    simple: true,
    description: 'When the push service took the last message; null if it took none.',
  })
  lastSentAt!: string | null
}

@ObjectType({ description: 'The devices of the caller, and what a browser needs to subscribe.' })
@RequiresScopes(notificationScope)
export class PushSubscriptions {
  @Field(() => [PushSubscription], { simple: true, description: 'At most 20 devices, newest first.' })
  data!: PushSubscription[]

  @Field(() => String, {
    nullable: true,
    simple: true,
    description:
      'Public VAPID key of the platform in base64url, the `applicationServerKey` of a browser; null when push is not configured: then every push is SUPPRESSED.',
  })
  publicKey!: string | null
}

@InputType({ description: 'The keys of a push subscription, as a browser gives them.' })
export class PushKeysInput {
  @Field(() => String, {
    description: 'Public key of the device, an uncompressed P-256 point of 65 bytes in base64url.',
  })
  p256dh!: string

  @Field(() => String, { description: 'Authentication secret of the device, 16 bytes in base64url.' })
  auth!: string
}

@InputType({ description: 'A push subscription, as `PushSubscription.toJSON()` of a browser returns it.' })
export class PushSubscriptionInput {
  @Field(() => String, {
    description: 'URL of the push service, with https and a public address, at most 2,000 characters.',
  })
  endpoint!: string

  @Field(() => PushKeysInput, { description: 'Keys with which messages to the device are encrypted.' })
  keys!: PushKeysInput
}
