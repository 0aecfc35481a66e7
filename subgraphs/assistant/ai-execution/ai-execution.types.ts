import { ArgsType, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { AiActionType } from '../ai-trigger/ai-trigger.enumerations.ts'

const anId = '019a0c61-3c10-7d52-b7a9-0f4e6c1d2a91'
const aTime = '2026-11-02T08:15:00.000Z'

export const AiExecutionStatus = enumeration('AiExecutionStatus', 'How far an execution of an AI workflow has come.', {
  PENDING: 'It waits for a worker.',
  RUNNING: 'The model is asked, or the actions are taken.',
  AWAITING_APPROVAL: 'The answer is there; the actions wait for somebody who approves or rejects them.',
  SUCCEEDED: 'All actions were taken, or the answer was stored if there are none.',
  FAILED: 'It has ended without all of its actions; `error` says why.',
  SKIPPED: 'It was not begun, or its actions were rejected; `error` says why.',
})
export type AiExecutionStatus = keyof typeof AiExecutionStatus

export const AiActionStatus = enumeration('AiActionStatus', 'What became of an action of an execution.', {
  PLANNED: 'It is not taken yet; of a test, it never is.',
  EXECUTED: 'It was taken.',
  FAILED: 'It was refused.',
  SKIPPED: 'It was left out, because an earlier one failed or the actions were rejected.',
})
export type AiActionStatus = keyof typeof AiActionStatus

@ObjectType({ description: 'An action of an execution, with the values that follow from the answer of the model.' })
@RequiresScope('AI_WORKFLOWS')
export class AiActionTaken {
  @OutputField(() => AiActionType, { description: 'What it does.', example: 'CREATE_TASK' })
  type!: AiActionType

  @OutputField(() => AiActionStatus, { description: 'What became of it.', example: 'EXECUTED' })
  status!: AiActionStatus

  @OutputField(() => Json, {
    nullable: true,
    description:
      'The values that it writes; null if the caller does not see what the owner of the trigger saw when it began.',
    example: { subject: 'Call Halvorsen', description: 'Asks for a quote for two cranes.' },
  })
  values!: unknown

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of what it created, changed or published; null before, and of notifications.',
    example: anId,
  })
  resultId!: string | null

  @OutputField(() => String, { nullable: true, description: 'Why it was refused; null if it was not.', example: null })
  error!: string | null
}

@ObjectType({ description: 'Why an execution has not succeeded.' })
@RequiresScope('AI_WORKFLOWS')
export class AiExecutionError {
  @OutputField(() => String, {
    description:
      'OUTPUT_INVALID: the answer did not fit `outputSchema`, also when asked again. MODEL_NOT_CONFIGURED: the installation has no model or the organization has switched it off, and the properties of the answer are not `summary` or fields of the record. MODEL_UNAVAILABLE, MODEL_FAILED, TOKEN_LIMIT_REACHED: the model gave no answer. ACTION_FAILED: an action was refused. OWNER_INACTIVE: the owner of the trigger is no active owner or admin. TRIGGER_DELETED. APPROVAL_EXPIRED: nobody decided within 7 days. INTERRUPTED: processes that executed it ended repeatedly. SKIPPED: RATE_LIMITED, DEPTH_EXCEEDED (automations that started one another five times), CONDITIONS_NOT_MET (of an inbound request), REJECTED.',
    example: 'OUTPUT_INVALID',
  })
  code!: string

  @OutputField(() => String, { description: 'The reason in words.', example: 'urgency is required by the schema.' })
  message!: string
}

@ObjectType({ description: 'The tokens that an execution used.' })
@RequiresScope('AI_WORKFLOWS')
export class AiExecutionUsage {
  @OutputField(() => String, { description: 'The model that answered.', example: 'writer-1' })
  model!: string

  @OutputField(() => Int, { description: 'Tokens of what was sent, of all calls together.', example: 412 })
  inputTokens!: number

  @OutputField(() => Int, { description: 'Tokens of the answers.', example: 38 })
  outputTokens!: number
}

@ObjectType({
  description:
    'One run of an AI workflow. Executions are kept for 30 days. What the model got and answered is shown to those who see all records and fields, and to those who see what the owner of the trigger saw when it began. For owners and admins.',
})
@RequiresScope('AI_WORKFLOWS')
export class AiExecution {
  @OutputField(() => ID, { description: 'Id of the execution.', example: anId })
  id!: string

  @NamesRecord('ai_trigger')
  @OutputField(() => ID, { description: 'Id of the trigger.', example: '019a0c5e-7f00-7b21-9c44-5e8d2a7f1c71' })
  triggerId!: string

  @OutputField(() => AiExecutionStatus, { description: 'How far it has come.', example: 'SUCCEEDED' })
  status!: AiExecutionStatus

  @OutputField(() => Boolean, {
    description: 'True for a test: the model was asked, no action was taken, and it is not counted.',
    example: false,
  })
  isTest!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: 'Type of the event; null for an inbound request of a trigger without one.',
    example: 'lead.created',
  })
  eventType!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Id of the event, `evt_...`; null for a test and an inbound request.',
    example: 'evt_019a0c61-3b00-7e11-9f02-7a1b2c3d4e5f',
  })
  eventId!: string | null

  @OutputField(() => Json, {
    nullable: true,
    description:
      'What the model got besides the prompt: the event as the owner of the trigger sees it, at most 65,536 characters as JSON; longer texts are cut. Null where it is hidden.',
    example: { type: 'lead.created', occurredAt: aTime, data: { record: { lastName: 'Halvorsen' } } },
  })
  input!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description: 'The answer of the model; null before and where it is hidden. If it was not valid: its text.',
    example: { summary: 'Asks for a quote for two cranes.' },
  })
  output!: unknown

  @OutputField(() => AiActionTaken, { list: true, description: 'The actions in their order; empty before the answer.' })
  actionsTaken!: AiActionTaken[]

  @OutputField(() => AiExecutionError, { nullable: true, description: 'Why it has not succeeded; null otherwise.' })
  error!: AiExecutionError | null

  @OutputField(() => AiExecutionUsage, { nullable: true, description: 'The use of the model; null before.' })
  usage!: AiExecutionUsage | null

  @OutputField(() => DateTime, { description: 'When the event or request was received.', example: aTime })
  createdAt!: string

  @OutputField(() => DateTime, { nullable: true, description: 'When it began; null before.', example: aTime })
  startedAt!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When it ended; null before.',
    example: '2026-11-02T08:15:03.000Z',
  })
  completedAt!: string | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Milliseconds from `startedAt` to `completedAt`; null before.',
    example: 3000,
  })
  durationMs!: number | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'Until when it can be approved; null if it needs no approval.',
    example: null,
  })
  expiresAt!: string | null

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user who approved or rejected its actions; null before.',
    example: null,
  })
  decidedById!: string | null
}

@ObjectType({ description: 'A page of executions.' })
@RequiresScope('AI_WORKFLOWS')
export class AiExecutionPage {
  @OutputField(() => AiExecution, { list: true, description: 'The executions of this page, newest first.' })
  data!: AiExecution[]

  @OutputField(() => Int, { description: 'Number of this page, from 1.', example: 1 })
  page!: number

  @OutputField(() => Int, { description: 'Maximum number of executions on a page, as requested.', example: 20 })
  limit!: number

  @OutputField(() => Int, {
    nullable: true,
    description: 'Number of executions; null if there are more than 10,000.',
    example: 1,
  })
  total!: number | null

  @OutputField(() => Int, { nullable: true, description: 'Number of pages; null where `total` is.', example: 1 })
  totalPages!: number | null

  @OutputField(() => Boolean, { description: 'True if older executions follow.', example: false })
  hasMore!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: 'Cursor of the next page, for the argument `cursor`; null on the last page.',
    example: null,
  })
  nextCursor!: string | null
}

@ArgsType()
export class AiExecutionListArgs {
  @InputField(() => AiExecutionStatus, {
    nullable: true,
    description: 'Only executions in this state; null: all.',
    example: 'AWAITING_APPROVAL',
  })
  status!: AiExecutionStatus | null

  @InputField(() => Int, {
    default: 1,
    minimum: 1,
    maximum: 1000,
    description: 'Number of the page, from 1.',
    example: 1,
  })
  page!: number

  @InputField(() => Int, {
    default: 100,
    minimum: 1,
    maximum: 100,
    description: 'Maximum number of executions.',
    example: 100,
  })
  limit!: number
}

@ObjectType({ description: 'Figures of the AI workflows of the organization.' })
@RequiresScope('AI_WORKFLOWS')
export class AiWorkflowStats {
  @OutputField(() => Int, { description: 'Number of triggers.', example: 3 })
  total!: number

  @OutputField(() => Json, { description: 'Number of triggers by status.', example: { ACTIVE: 2, PAUSED: 1 } })
  byStatus!: Readonly<Record<string, number>>

  @OutputField(() => Int, {
    description: 'Executions that have succeeded or failed in the last 24 hours, without tests.',
    example: 41,
  })
  runs24h!: number

  @OutputField(() => Int, {
    nullable: true,
    description:
      'Milliseconds within which 95 % of those that succeeded without an approval ended; null if there were none.',
    example: 2900,
  })
  p95Ms!: number | null
}

@ObjectType({ description: 'What became of an inbound request.' })
export class AiInboundReceipt {
  @OutputField(() => ID, { description: 'Id of the execution that the request has started.', example: anId })
  executionId!: string

  @OutputField(() => AiExecutionStatus, { description: 'How far it has come.', example: 'PENDING' })
  status!: AiExecutionStatus
}
