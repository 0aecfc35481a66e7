import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { conditionsMax } from '../../kernel/condition/parse-conditions.ts'
import { Column } from '../../kernel/record/column.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { AiAction } from './ai-action.ts'
import { AiTriggerRow } from './ai-trigger-row.ts'
import { AiTriggerStatus } from './ai-trigger.enumerations.ts'

export const actionsMax = 10
export const promptMax = 10_000
export const rateLimitDefault = 100

@ObjectType({
  description:
    'An AI workflow: an event or a signed inbound request, a prompt by which a language model answers it, and actions that use the answer. It acts as its owner. For owners and admins.',
})
@Directive('@key(fields: "id")')
@RequiresScope('AI_WORKFLOWS')
@Entity({ schema: 'assistant', tableName: 'ai_trigger_with_state' })
export class AiTrigger extends AiTriggerRow {
  @Column(() => ID, {
    derivedDefault: 'the caller',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    description:
      'Id of the user as whom the trigger acts, an active owner or admin of the organization: the model gets what this user sees of the event, and actions have the rights of this user. Only owners may name another owner. If the user is no active owner or admin when an execution begins, it is FAILED with OWNER_INACTIVE.',
    user: { field: 'owner', description: 'The user as whom the trigger acts.' },
  })
  ownerId!: string

  @Column(() => String, { max: 100, filled: true, description: 'Name of the trigger.', example: 'Qualify new leads' })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: 2000,
    description: 'What the trigger is for; null without a description.',
    example: 'Reads the message of a web form and creates a call.',
  })
  description!: string | null

  @Column(() => AiTriggerStatus, {
    default: 'ACTIVE',
    description: 'Whether it starts executions.',
    example: 'ACTIVE',
  })
  status!: AiTriggerStatus

  @Column(() => String, {
    nullable: true,
    max: 100,
    filled: true,
    description:
      'Type of the events that start an execution: a type of the event catalog such as `lead.created`, or `custom.<apiName>`. Null: only inbound requests do.',
    example: 'lead.created',
  })
  eventType!: string | null

  @StructureColumn(() => Condition, {
    list: true,
    maxItems: conditionsMax,
    description:
      'Conditions on the record of the event, or on the payload of a custom event or an inbound request: only what meets them is executed. They are compared with what the owner of the trigger sees. Empty: every event.',
    example: [],
  })
  conditions!: Condition[]

  @Column(() => ConditionLogic, { default: 'AND', description: 'How `conditions` are combined.', example: 'AND' })
  logic!: ConditionLogic

  @Column(() => String, {
    max: promptMax,
    filled: true,
    description: 'What the model is to find out. It also gets the event, as data.',
    example: 'Summarize what the person wants, and say how urgent it is.',
  })
  prompt!: string

  @Column(() => Json, {
    default: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
    description:
      'JSON Schema (draft-07) of the answer, with at most 16384 characters: `type` "object" and `properties` of the types string, integer, number and boolean, each possibly null, with `enum`, `const`, `format`, bounds of lengths and numbers, and `pattern` in RE2 syntax. No other keywords, so no `$ref`. By default an object with the text `summary`.',
    example: { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
  })
  outputSchema!: unknown

  @StructureColumn(() => AiAction, {
    list: true,
    maxItems: actionsMax,
    description: `What is done with the answer, in this order, at most ${actionsMax}. After an action that fails, the others are left out. Empty: the answer is stored only.`,
    example: [
      { type: 'CREATE_TASK', config: { subject: 'Call {{record.lastName}}', description: '{{output.summary}}' } },
    ],
  })
  actions!: AiAction[]

  @Column(() => Boolean, {
    default: false,
    description:
      'Whether the actions of each execution wait until somebody approves them, for at most 7 days. The owner is notified.',
    example: false,
  })
  requireApproval!: boolean

  @Column(() => Int, {
    default: rateLimitDefault,
    minimum: 1,
    maximum: 1000,
    description:
      'Executions that begin in one hour of the clock (UTC). Further ones are SKIPPED with RATE_LIMITED; at most 100 of these are recorded in the hour.',
    example: rateLimitDefault,
  })
  rateLimitPerHour!: number

  @Column(() => Int, {
    computed: true,
    isUnversioned: true,
    default: 0,
    writable: 'NEVER',
    description: 'Number of executions that were started; tests and skipped ones do not count.',
    example: 0,
  })
  executionCount!: number

  @Column(() => DateTime, {
    computed: true,
    isUnversioned: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the last execution was started; null before the first one.',
    example: null,
  })
  lastExecutedAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'Until when the secret before the last regeneration is accepted; null if there was none.',
    example: null,
  })
  previousSecretExpiresAt!: string | null

  /** The part of `inboundUrl` that names the trigger. */
  @Column(() => String, { nullable: true, internal: true, decidesEdges: true })
  inboundToken!: string | null

  /** Null after the trigger was deleted. */
  @Column(() => String, { nullable: true, internal: true })
  sealedSecret!: string | null

  @Column(() => String, { nullable: true, internal: true })
  sealedPreviousSecret!: string | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description:
      'The secret that signs inbound requests, `whsec_` and base64; only in the answer that creates the trigger or regenerates its secret, otherwise null.',
  })
  secret?: string | null
}
