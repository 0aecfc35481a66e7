import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { conditionsMax } from '../../kernel/condition/parse-conditions.ts'
import { Column } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { WebhookRow } from './webhook-row.ts'
import { selectionMax } from './selection.ts'
import { WebhookDeliveryStatus, WebhookDisabledReason } from './webhook.enumerations.ts'

/** As many as a live stream takes. */
export const eventsMax = 64
export const fieldsMax = 100
export const urlMax = 2000

@ObjectType({
  description:
    'An HTTPS endpoint that receives signed POST requests with events of the organization. It acts as its owner: it receives what the owner may read. For owners and admins.',
})
@Directive('@key(fields: "id")')
@RequiresScope('WEBHOOKS')
@Entity({ schema: 'events', tableName: 'webhook_with_state' })
export class Webhook extends WebhookRow {
  @Column(() => ID, {
    derivedDefault: 'the caller',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    description:
      'Id of the user as whom the webhook acts, an active owner or admin of the organization. An event reaches the webhook only if this user may see its record, and without `previous`, `changedFields` and members such as `previousStage` if the user could not see the record before the change. What was stored for another owner is neither shown nor sent again if this user may not see it. Only owners may name another owner.',
    user: { field: 'owner', description: 'The user as whom the webhook acts.' },
  })
  ownerId!: string

  @Column(() => String, { max: 100, filled: true, description: 'Name of the webhook.', example: 'ERP orders' })
  name!: string

  @Column(() => String, {
    max: urlMax,
    filled: true,
    description:
      'Address of the receiver. It must start with https:// (http:// only for addresses that OUTBOUND_ALLOW of the deployment names), name no user, password or fragment, and have the port 80, 443 or 1024 to 65535. Deliveries connect to public addresses only.',
    example: 'https://erp.example.com/hooks/crm',
  })
  url!: string

  @Column(() => [String], {
    max: 100,
    maxItems: eventsMax,
    filled: true,
    required: true,
    description: `Event types that are delivered, 1 to ${eventsMax}: names of the event catalog such as \`order.created\`, all of an object such as \`order.*\`, and custom events as \`custom.<apiName>\` or \`custom.*\`.`,
    example: ['order.confirmed', 'quote.*'],
  })
  events!: string[]

  @Column(() => Boolean, {
    default: true,
    description:
      'False if the webhook is turned off: events are not delivered, also not later; replays and test events still work. Turning it on sets `consecutiveFailures` to 0.',
    example: true,
  })
  isEnabled!: boolean

  @Column(() => Int, {
    default: 2,
    minimum: 1,
    maximum: 2,
    description:
      'Format of the body. 2: the event envelope. 1: the format before it, `event`, `eventId`, `timestamp`, and `data` with `id`, `entityType`, `record`, `previous`, `changedFields`, `userId` and, if fields were removed, `redactedFields`; of a custom event `record` is the payload and `id` the event id. If a body would have more than 1,048,576 bytes, `previous` is left out and, if that is not enough, all of `record` except its `id`; `omitted` in `data` names them, in both formats. `test` is true in a test event, in both formats. What `selection` selects is part of `data` in both.',
    example: 2,
  })
  payloadVersion!: number

  @Column(() => Int, {
    default: 3,
    minimum: 0,
    maximum: 10,
    description: 'Number of retries after a failed first attempt.',
    example: 3,
  })
  retryAttempts!: number

  @Column(() => Int, {
    default: 60,
    minimum: 1,
    maximum: 21_600,
    description: 'Seconds before the first retry; doubled for each further one, up to 6 hours.',
    example: 60,
  })
  retryDelaySeconds!: number

  @Column(() => Json, {
    default: {},
    description:
      'Additional headers of every delivery, at most 20 with 8192 characters together: an object of names and values. Values are encrypted and never returned: each name has null. A change replaces all headers; null as a value keeps the stored value of that name. When `url` gets another host, all values must be given again: a stored one is never sent to another host. Headers of the connection, of the body, of the signature (X-Service-*, X-Webhook-*, Webhook-*) and cookies are refused.',
    example: { 'X-Api-Token': null },
  })
  headers!: Record<string, string | null>

  /** The values, as sealed JSON; null without headers. */
  @Column(() => String, { nullable: true, internal: true })
  sealedHeaders!: string | null

  @Column(() => ID, {
    nullable: true,
    description:
      'Id of the named credential with which deliveries authenticate in addition to the signature; null if none. `url` must lie under its base URL. A delivery whose credential is turned off, has no secret or gets no token is not sent: the attempt fails with that reason and is retried like any other. Its headers replace those of `headers` with the same name.',
    example: null,
  })
  namedCredentialId!: string | null

  @Column(() => [String], {
    max: 120,
    maxItems: fieldsMax,
    filled: true,
    description:
      'Names of columns of the subscribed objects, such as `status` or `customFields.region`: an event of an update is delivered only if one of them changed, or if the owner could not see the record before. Empty: every update. Other events are always delivered.',
    example: ['status', 'ownerId'],
  })
  fields!: string[]

  @StructureColumn(() => Condition, {
    list: true,
    maxItems: conditionsMax,
    description:
      'Conditions on the record of an event, or on the payload of a custom event: an event is delivered only if it meets them. They must fit each of `events`; where `case.*` names events of several objects, they must fit one of these, and events of the others are not delivered. They are compared with what the owner of the webhook sees: no event meets conditions with a field that is hidden from the owner. Empty: every event.',
    example: [],
  })
  conditions!: Condition[]

  @Column(() => ConditionLogic, {
    default: 'AND',
    description: 'How `conditions` are combined.',
    example: 'AND',
  })
  logic!: ConditionLogic

  @Column(() => Int, {
    default: 0,
    minimum: 0,
    maximum: 300,
    description:
      'Seconds for which updates of the same record are collected: only the last one is delivered. 0: each one is delivered at once.',
    example: 0,
  })
  debounceSeconds!: number

  @Column(() => Boolean, {
    default: false,
    description:
      'True if events that the owner of the webhook caused are not delivered. Those of automations that act as the owner are delivered.',
    example: false,
  })
  skipOwn!: boolean

  /** Null after the webhook was deleted. */
  @Column(() => String, { nullable: true, internal: true })
  sealedSecret!: string | null

  @Column(() => String, {
    nullable: true,
    max: selectionMax,
    description:
      'GraphQL fragments on the records of the events, such as `fragment Webhook on Order { orderNumber account { name } }`: what they select is delivered as `data.selection`. It is read as the owner of the webhook when the delivery is prepared, and null if it cannot be read then, with the reasons in `data.selectionErrors`; for what is temporarily not available, the delivery waits up to five minutes. One fragment for each type, and fragments that these use; the cost is at most 1000. Null: nothing is selected.',
    example: 'fragment Webhook on Order { orderNumber account { name } }',
  })
  selection!: string | null

  @Column(() => String, { nullable: true, internal: true })
  sealedPreviousSecret!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description:
      'When the secret before the last rotation stops or stopped to sign deliveries; null if it was never rotated.',
    example: null,
  })
  previousSecretExpiresAt!: string | null

  @Column(() => Int, {
    computed: true,
    writable: 'NEVER',
    default: 0,
    description:
      'Number of events in a row that failed every attempt. At 10 the webhook is turned off. A delivery that succeeds or turning the webhook on sets it to 0.',
    example: 0,
  })
  consecutiveFailures!: number

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When the webhook was turned off; null while it is on.',
    example: null,
  })
  disabledAt!: string | null

  @Column(() => WebhookDisabledReason, {
    nullable: true,
    writable: 'NEVER',
    readAsString: true,
    description: 'Why the webhook was turned off; null while it is on.',
    example: null,
  })
  disabledReason!: WebhookDisabledReason | null

  @Column(() => Boolean, {
    computed: true,
    writable: 'NEVER',
    description:
      'True while the owner of the webhook is no active owner or admin of the organization: nothing is delivered, and events of that time are not delivered later. Ends when the user is one again, or when `ownerId` is changed.',
    example: false,
  })
  isPaused!: boolean

  @Column(() => DateTime, {
    computed: true,
    isUnversioned: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the last attempt to deliver an event ended; null before the first one.',
    example: null,
  })
  lastDeliveryAt!: string | null

  @Column(() => WebhookDeliveryStatus, {
    computed: true,
    isUnversioned: true,
    nullable: true,
    writable: 'NEVER',
    readAsString: true,
    description: 'State of the delivery with the last attempt; null before the first one.',
    example: null,
  })
  lastStatus!: WebhookDeliveryStatus | null

  @Column(() => Int, {
    computed: true,
    nullable: true,
    writable: 'NEVER',
    description:
      'HTTP status of the last answer of the receiver; null before the first attempt and if it did not answer.',
    example: null,
  })
  lastResponseStatus!: number | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description:
      'The secret that signs deliveries, `whsec_` and base64; only in the answer that creates the webhook or rotates its secret, otherwise null.',
  })
  secret?: string | null
}
