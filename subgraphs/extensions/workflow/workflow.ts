import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { conditionsMax } from '../../kernel/condition/parse-conditions.ts'
import { Column } from '../../kernel/record/column.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { extendedTypeMax } from '../extended-type.ts'
import { delayMinutesMax, descriptionMax, nameMax, stepsMax } from './bounds.ts'
import { WorkflowStep } from './workflow-step.ts'
import { WorkflowStatus, WorkflowTriggerType } from './workflow.enumerations.ts'

const user = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const time = '2026-11-02T08:15:00.000Z'

@ObjectType({
  description:
    'A workflow of the organization: a trigger, conditions and steps. A change of its steps makes a new version of them; runs keep the version with which they began. For owners and admins.',
})
@Directive('@key(fields: "id")')
@RequiresScope('WORKFLOWS')
@Entity({ schema: 'extensions', tableName: 'workflow' })
export class Workflow {
  @Column(() => ID, {
    writable: 'ON_CREATE',
    example: '019a0c5e-7f00-7b11-9c44-5e8d2a7f1c11',
    description:
      'Id of the workflow, a UUIDv7 unless a client chose it. A client may set it on create, so that an import can be retried. It never changes.',
  })
  id!: string

  @Column(() => ID, {
    writable: 'NEVER',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
    description: 'Id of the organization to which the workflow belongs. It never changes.',
  })
  organizationId!: string

  @Column(() => String, {
    max: nameMax,
    filled: true,
    description: 'Name of the workflow, unique among those of the organization.',
    example: 'Call new leads',
  })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: descriptionMax,
    description: 'What the workflow is for; null without a description.',
    example: 'Creates a call for each lead of a trade fair.',
  })
  description!: string | null

  @Column(() => ID, {
    derivedDefault: 'the caller',
    description:
      'Id of the user as whom the steps act, an active user: they see and may change what this user may at that moment. Only owners may name an owner.',
    example: user,
    user: { field: 'runAsUser', description: 'The user as whom the steps act.' },
  })
  runAsUserId!: string

  @Column(() => WorkflowStatus, {
    default: 'PAUSED',
    writable: 'NEVER',
    description: 'Whether it starts runs. The operations activate and pause change it.',
    example: 'PAUSED',
  })
  status!: WorkflowStatus

  @Column(() => String, {
    nullable: true,
    writable: 'NEVER',
    description:
      'Why the platform has paused it: TOO_MANY_STARTS, after 500 starts in a minute. Null if a user has, or while it is ACTIVE.',
    example: null,
  })
  pausedReason!: string | null

  @Column(() => WorkflowTriggerType, { description: 'What starts runs.', example: 'RECORD_CREATED' })
  triggerType!: WorkflowTriggerType

  @Column(() => String, {
    nullable: true,
    max: extendedTypeMax,
    description:
      'Type of the record of a run: LEAD, CONTACT, ACCOUNT, OPPORTUNITY, PRODUCT, QUOTE, ORDER, INVOICE, TASK, ACTIVITY, CASE, or `custom:` and the name of a custom object, such as `custom:site_visit`. Null: runs have no record, as with WEBHOOK, a `cron` and some MANUAL ones.',
    example: 'LEAD',
  })
  triggerEntity!: string | null

  @Column(() => Json, {
    default: {},
    description:
      'Settings of the trigger: FIELD_CHANGED `{fields}`, 1 to 20 names; STAGE_CHANGED `{from?, to?}`; TIME_BASED `{cron}`, five cron fields in UTC, at most every 5 minutes, or `{field, offsetMinutes}`, minutes after (negative: before) the time in an indexed field. Others: an empty object.',
    example: {},
  })
  triggerConfig!: unknown

  @StructureColumn(() => Condition, {
    list: true,
    maxItems: conditionsMax,
    description:
      'Conditions on the record, or on the body of a request to `hookUrl`: only what meets them starts a run. They are compared with what the run-as user sees. Empty: always.',
    example: [],
  })
  conditions!: Condition[]

  @Column(() => ConditionLogic, { default: 'AND', description: 'How `conditions` are combined.', example: 'AND' })
  logic!: ConditionLogic

  @StructureColumn(() => WorkflowStep, {
    list: true,
    maxItems: stepsMax,
    description: `The steps, at most ${stepsMax}; the first one begins. A workflow without steps cannot be activated or run.`,
    example: [
      {
        id: 'call',
        type: 'CREATE_TASK',
        name: 'Call the lead',
        config: { subject: 'Call {{record.lastName}}', priority: 'HIGH' },
        next: null,
        branches: null,
        onError: 'FAIL',
      },
    ],
  })
  steps!: WorkflowStep[]

  @Column(() => Int, {
    writable: 'NEVER',
    default: 1,
    description:
      'Number of the version of the steps and the run-as user, from 1: `workflowVersion` of the runs that begin.',
    example: 1,
  })
  stepsVersion!: number

  @Column(() => Boolean, {
    default: false,
    description: 'True if the workflow runs at most once for each record.',
    example: false,
  })
  runOnce!: boolean

  @Column(() => Int, {
    default: 0,
    minimum: 0,
    maximum: delayMinutesMax,
    description: 'Minutes before the first step.',
    example: 0,
  })
  delayMinutes!: number

  @Column(() => Boolean, {
    default: true,
    description: 'False if the operation that runs it refuses.',
    example: true,
  })
  allowManual!: boolean

  @Column(() => Int, {
    writable: 'NEVER',
    example: 1,
    description:
      'Version of the workflow: 1 on create, increased by 1 with each change of its settings. REST sends it as `ETag` too.',
  })
  version!: number

  @Column(() => DateTime, { writable: 'NEVER', example: time, description: 'When the workflow was created.' })
  createdAt!: string

  @Column(() => DateTime, { writable: 'NEVER', example: time, description: 'When its settings were last changed.' })
  updatedAt!: string

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: user,
    description: 'Id of the user who created it; null if the platform did.',
    user: { field: 'createdBy', description: 'The user who created it; null if `createdById` is null.' },
  })
  createdById!: string | null

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: user,
    description: 'Id of the user who last changed its settings; null if the platform did.',
    user: { field: 'updatedBy', description: 'The user who last changed it; null if `updatedById` is null.' },
  })
  updatedById!: string | null

  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null

  /** The types of events that may start it. */
  @Column(() => [String], { internal: true })
  eventTypes!: string[]

  /** The part of `hookUrl` that names the workflow; null after the deletion, as the secret is. */
  @Column(() => String, { nullable: true, internal: true, decidesEdges: true })
  hookToken!: string | null

  @Column(() => String, { nullable: true, internal: true })
  sealedSecret!: string | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description:
      'The secret that signs requests to `hookUrl`, `whsec_` and base64; only in the answer that creates the workflow or regenerates its secret, otherwise null.',
  })
  secret?: string | null

  @ManagedBy()
  managedBy!: string | null
}
