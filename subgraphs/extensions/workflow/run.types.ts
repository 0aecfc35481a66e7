import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import {
  WorkflowDecision,
  WorkflowRunStatus,
  WorkflowStepStatus,
  WorkflowStepType,
  WorkflowTriggerType,
} from './workflow.enumerations.ts'

const anId = '019a0c61-3c10-7d52-b7a9-0f4e6c1d2b11'
const aTime = '2026-11-02T08:15:00.000Z'
/** Executions of steps that a run shows: the last ones. */
export const stepsShown = 500

@ObjectType({ description: 'Why a run or a step has not succeeded.' })
@RequiresScope('WORKFLOWS')
export class WorkflowError {
  @OutputField(() => String, {
    description:
      'The code of the refusal that a step got, such as PERMISSION_DENIED, or: INTERRUPTED (the process ended during a step that must not be repeated), APPROVAL_EXPIRED, REJECTED, STEP_DATA_TOO_LARGE, STEP_LIMIT_REACHED (10,000 steps), UNAVAILABLE, RUN_AS_USER_INACTIVE, WORKFLOW_PAUSED, WORKFLOW_DELETED, HTTP_STATUS, MODEL_NOT_CONFIGURED, OUTPUT_INVALID, NO_RECORD.',
    example: 'PERMISSION_DENIED',
  })
  code!: string

  @OutputField(() => String, {
    description: 'The reason in words.',
    example: 'Your role may read but not change records.',
  })
  message!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'Id of the step that has failed; null if none has, and of a step itself.',
    example: 'call',
  })
  stepId!: string | null
}

@ObjectType({ description: 'What started a run.' })
@RequiresScope('WORKFLOWS')
export class WorkflowRunTrigger {
  @OutputField(() => WorkflowTriggerType, {
    description: 'What started it. MANUAL: the operation that runs a workflow.',
    example: 'RECORD_CREATED',
  })
  type!: WorkflowTriggerType

  @OutputField(() => String, {
    nullable: true,
    description: 'Id of the event, `evt_...`; null without one.',
    example: 'evt_019a0c61-3b00-7e11-9f02-7a1b2c3d4e5f',
  })
  eventId!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Type of the record, such as LEAD; null for a run without a record.',
    example: 'LEAD',
  })
  recordType!: string | null

  @OutputField(() => ID, { nullable: true, description: 'Id of the record; null without one.', example: anId })
  recordId!: string | null

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user who ran it; null if nobody did.',
    example: null,
  })
  startedById!: string | null
}

@ObjectType({ description: 'One attempt of an execution of a step.' })
@RequiresScope('WORKFLOWS')
export class WorkflowRunStep {
  @OutputField(() => String, { description: 'Id of the step in the workflow.', example: 'call' })
  stepId!: string

  @OutputField(() => WorkflowStepType, { description: 'What the step does.', example: 'CREATE_TASK' })
  type!: WorkflowStepType

  @OutputField(() => WorkflowStepStatus, { description: 'What became of it.', example: 'SUCCEEDED' })
  status!: WorkflowStepStatus

  @OutputField(() => Int, { description: 'Number of the execution in the run, from 1.', example: 1 })
  position!: number

  @OutputField(() => Int, {
    nullable: true,
    description: 'Index of the item of the innermost loop, from 0; null outside of loops.',
    example: null,
  })
  iteration!: number | null

  @OutputField(() => Int, { description: 'Number of the attempt, from 1.', example: 1 })
  attempt!: number

  @OutputField(() => Json, {
    nullable: true,
    description:
      'The settings with which it was executed; null where the caller does not see all that the run-as user may see.',
    example: { subject: 'Call Halvorsen', source: 'WORKFLOW' },
  })
  input!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description: 'What it returned; null before, and where it is hidden as the input is.',
    example: { id: anId },
  })
  output!: unknown

  @OutputField(() => WorkflowError, { nullable: true, description: 'Why it has failed; null otherwise.' })
  error!: WorkflowError | null

  @OutputField(() => WorkflowDecision, {
    nullable: true,
    description: 'APPROVAL: how it was decided; null before.',
    example: null,
  })
  decision!: WorkflowDecision | null

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'APPROVAL: id of the user who decided; null before.',
    example: null,
  })
  decidedById!: string | null

  @OutputField(() => DateTime, { description: 'When it began.', example: aTime })
  startedAt!: string

  @OutputField(() => DateTime, { nullable: true, description: 'When it ended; null before.', example: aTime })
  endedAt!: string | null
}

@ObjectType({
  description:
    'A run of a workflow. Runs are kept for 30 days after their end. For owners and admins, and for the users whose approval it asks.',
})
@RequiresScope('WORKFLOWS')
export class WorkflowRun {
  @OutputField(() => ID, { description: 'Id of the run.', example: anId })
  id!: string

  @NamesRecord('workflow')
  @OutputField(() => ID, { description: 'Id of the workflow.', example: '019a0c5e-7f00-7b11-9c44-5e8d2a7f1c11' })
  workflowId!: string

  @OutputField(() => Int, { description: 'Number of the version of the steps that it executes.', example: 1 })
  workflowVersion!: number

  @OutputField(() => WorkflowRunStatus, { description: 'How far it has come.', example: 'SUCCEEDED' })
  status!: WorkflowRunStatus

  @OutputField(() => WorkflowRunTrigger, { description: 'What started it.' })
  trigger!: WorkflowRunTrigger

  @OutputField(() => Json, {
    nullable: true,
    description:
      'What the call or the request has sent; null without it, and where the caller does not see all that the run-as user may see.',
    example: null,
  })
  input!: unknown

  @OutputField(() => Int, {
    description: 'How many automations have started one another up to this run; at most 5.',
    example: 1,
  })
  depth!: number

  @OutputField(() => Int, { description: 'Number of executed steps.', example: 1 })
  executedSteps!: number

  @OutputField(() => WorkflowError, { nullable: true, description: 'Why it has not succeeded; null otherwise.' })
  error!: WorkflowError | null

  @OutputField(() => WorkflowRunStep, {
    list: true,
    nullable: true,
    maxItems: stepsShown,
    description: `The last ${stepsShown} executions of steps, in their order; null in lists.`,
  })
  steps!: WorkflowRunStep[] | null

  @OutputField(() => DateTime, { description: 'When it was queued.', example: aTime })
  createdAt!: string

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When its first step began; null before.',
    example: aTime,
  })
  startedAt!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'WAITING: the end of the delay, or the time until which the approval can be decided; otherwise null.',
    example: null,
  })
  resumeAt!: string | null

  @OutputField(() => DateTime, { nullable: true, description: 'When it ended; null before.', example: aTime })
  endedAt!: string | null
}

export const WorkflowRunPage = pageRequiring('WorkflowRunPage', WorkflowRun as never, 'READ_WORKFLOWS')

@ArgsType()
export class WorkflowRunListArgs extends NewestFirstArgs {
  @Field(() => ID, { nullable: true, description: 'Only runs of this workflow; null: all.' })
  workflowId?: string | null

  @Field(() => WorkflowRunStatus, { nullable: true, description: 'Only runs with this status; null: all.' })
  status?: WorkflowRunStatus | null

  @Field(() => ID, { nullable: true, description: 'Only runs for this record; null: all.' })
  recordId?: string | null
}

@ObjectType({ description: 'That a request to `hookUrl` was accepted.' })
export class WorkflowHookReceipt {
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the run that it started; null if the body does not meet the conditions of the workflow.',
    example: anId,
  })
  runId!: string | null
}

@InputType({ description: 'For what a workflow is run.' })
export class WorkflowRunStartInput {
  @InputField(() => String, {
    nullable: true,
    max: 64,
    filled: true,
    description: 'Type of the record; null: that of the workflow.',
    example: 'LEAD',
  })
  recordType?: string | null

  @InputField(() => ID, {
    nullable: true,
    description: 'Id of the record; required exactly if the workflow has a type of records.',
    example: '019a0c5e-7f00-7a31-8b1c-2d3e4f5a6b7c',
  })
  recordId?: string | null

  @InputField(() => Json, {
    nullable: true,
    description: 'What steps get as `{{input.<name>}}`: an object of at most 65,536 characters as JSON; null for none.',
    example: { note: 'Met at the fair' },
  })
  input?: unknown
}
