import { Field, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { Json } from '../../kernel/record/scalars.ts'

export const WebhookListenFrameKind = enumeration('WebhookListenFrameKind', 'What a frame of a live stream says.', {
  READY:
    'The first frame: the stream receives events from now on. `data` has `events` (the requested types, null for all) and `endsAt`.',
  EVENT: 'An event. `data` is the envelope that a webhook of the caller would receive.',
  DROPPED: 'Events were skipped because the reader was too slow. `data` has their number as `count`.',
  END: 'The last frame. `data` has `message` and `reason`: `TIME_LIMIT`, `CREDENTIAL_ENDED` (with `code`), `SERVER_STOPPING` or `SLOT_LOST`.',
})

@ObjectType({ description: 'One frame of a live stream of events.' })
export class WebhookListenFrame {
  @Field(() => WebhookListenFrameKind, { description: 'What the frame says.' })
  frame!: string

  @Field(() => Json, { description: 'The content of the frame, which depends on its kind.' })
  data!: unknown
}

@ObjectType({ description: 'A sample event that was sent to the live streams of the organization.' })
export class WebhookListenTrigger {
  @Field(() => ID, { description: 'Id of the event, as in its envelope.' })
  id!: string

  @Field(() => String, { description: 'Type of the event.' })
  type!: string

  @Field(() => Int, {
    description:
      'Number of live streams that are open in the organization. A stream receives the event if it has selected its type.',
  })
  streams!: number
}
