import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { WebhookDeliveryStatus } from '../webhook/webhook.enumerations.ts'

@ObjectType({
  description:
    'One attempt to deliver an event to a webhook. Attempts are kept for 30 days. Delivery is at least once and not in order: receivers recognize a repeated event by `eventId` and sort events by `occurredAt`.',
})
@RequiresScope('WEBHOOKS')
@Entity({ schema: 'events', tableName: 'delivery_shown' })
export class WebhookDelivery {
  @Column(() => ID, {
    description: 'Id of the attempt. The receiver gets it in the header X-Service-Delivery.',
    example: '019a0c61-3c10-7d52-b7a9-0f4e6c1d2a83',
  })
  id!: string

  @Column(() => ID, {
    description: 'Id of the organization.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  organizationId!: string

  @NamesRecord('webhook')
  @Column(() => ID, {
    indexed: true,
    description: 'Id of the webhook.',
    example: '019a0c5e-7f00-7b21-9c44-5e8d2a7f1b60',
  })
  webhookId!: string

  @Column(() => String, {
    description: 'Id of the event, `evt_...`. All attempts, replays included, have the same one.',
    example: 'evt_019a0c61-3b00-7e11-9f02-7a1b2c3d4e5f',
  })
  eventId!: string

  @Column(() => String, { description: 'Type of the event.', example: 'order.confirmed' })
  eventType!: string

  @Column(() => Int, { description: 'Version of the schema of the event.', example: 1 })
  eventVersion!: number

  @Column(() => Int, {
    description: 'Number of the attempt, from 1. The receiver gets it in the header X-Service-Attempt.',
    example: 1,
  })
  attempt!: number

  @Column(() => WebhookDeliveryStatus, {
    readAsString: true,
    description:
      'State of the attempt. RETRY_SCHEDULED: it failed, and `nextAttemptAt` is when the next one is due; once that one has ended, this one is FAILED. A delivery is FAILED, and not attempted further, when the webhook is turned off, paused or deleted before an attempt.',
    example: 'SUCCEEDED',
  })
  status!: WebhookDeliveryStatus

  @Column(() => Json, {
    nullable: true,
    description:
      'Headers of the request, signatures included; values of custom headers are `[redacted]`. Null until the request was sent, and if its outcome is not known.',
    example: {
      'Content-Type': 'application/json',
      'X-Service-Signature': 't=1793607300,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
      'X-Service-Event': 'order.confirmed',
      'X-Api-Token': '[redacted]',
    },
  })
  requestHeaders!: Readonly<Record<string, string>> | null

  @Column(() => String, {
    nullable: true,
    description:
      'Body of the request, exactly as it was sent. Null if it has more than 1,048,576 bytes also without what `data.omitted` names, because it was not sent then; of a replayed or recovered delivery, not before 34 days after the event; and for an admin who does not see all records and fields, in webhooks of others. Of the own ones, it is also null if it has what the caller may not see at this moment, or a selection that was read with other rights.',
    example: '{"id":"evt_019a0c61-3b00-7e11-9f02-7a1b2c3d4e5f","type":"order.confirmed","version":1}',
  })
  requestBody!: string | null

  @Column(() => Int, {
    nullable: true,
    description: 'HTTP status of the response; null if there was none within 10 seconds.',
    example: 204,
  })
  responseStatus!: number | null

  @Column(() => String, {
    nullable: true,
    description:
      'First 2,048 bytes of the body of the response. Null if there was no response, or a compressed one, which is not read, and wherever `requestBody` is hidden.',
    example: '',
  })
  responseBody!: string | null

  @Column(() => Int, {
    nullable: true,
    description: 'Milliseconds from the beginning of the attempt to the end of the response; null if nothing was sent.',
    example: 87,
  })
  latencyMs!: number | null

  @Column(() => String, {
    nullable: true,
    description: 'Why the attempt failed; null if it succeeded or has not ended.',
    example: null,
  })
  error!: string | null

  @Column(() => Boolean, {
    description:
      'True if a client sent the stored body again. A replay is not retried and does not count as a failure of the webhook.',
    example: false,
  })
  isReplay!: boolean

  @Column(() => Boolean, {
    description: 'True for a test event. It is not retried and does not count as a failure of the webhook.',
    example: false,
  })
  isTest!: boolean

  @Column(() => DateTime, {
    description: 'When the delivery was queued, for the first attempt; when the attempt began, for further ones.',
    example: '2026-11-02T08:15:00.000Z',
  })
  createdAt!: string

  @Column(() => DateTime, {
    nullable: true,
    description: 'When the next attempt is due; null if there is none, or none is planned yet.',
    example: null,
  })
  nextAttemptAt!: string | null

  /** The rights as which the selection in the body was read, as a digest; null without one. */
  @Column(() => String, { nullable: true, internal: true })
  bodyRights!: string | null
}

@ObjectType({ description: 'The result of sending failed deliveries, or the events of a time, again.' })
export class WebhookRecovery {
  @Field(() => Int, { simple: true, description: 'Number of deliveries that were queued again, at most 1,000.' })
  queued!: number

  @Field(() => Boolean, {
    simple: true,
    description: 'True if there are further ones: send the same request again.',
  })
  hasMore!: boolean

  @Field(() => Boolean, {
    simple: true,
    description: 'False if the events of a time (`from`) are queued in the background now; `queued` is 0 then.',
  })
  isComplete!: boolean
}
