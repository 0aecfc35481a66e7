import { Arg, Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { receiveHook } from './receive-hook.ts'
import { cancelRun, decideStep, retryRun, runWorkflow } from './run.actions.ts'
import { runChanges } from './run.events.ts'
import { pageOfRuns, readWorkflowRun } from './run.reads.ts'
import { forgetRuns, runQueue } from './run-queue.ts'
import {
  WorkflowHookReceipt,
  WorkflowRun,
  WorkflowRunListArgs,
  WorkflowRunPage,
  WorkflowRunStartInput,
} from './run.types.ts'
import { startByTime } from './start-by-time.ts'
import type { WorkflowContext } from './workflow.context.ts'

const StepArg = () =>
  ValueArg('stepId', () => String, {
    max: 48,
    filled: true,
    description: 'Id of the step in the workflow.',
    example: 'ask',
  })

const CommentArg = () =>
  ValueArg('comment', () => String, {
    nullable: true,
    max: 500,
    description: 'Why; null without a comment.',
    example: 'The customer has paid before.',
  })

@Resolver(() => WorkflowRun)
export class WorkflowRunResolver {
  @Query(() => WorkflowRun, {
    nullable: true,
    description: 'One run of a workflow with its steps, until 30 days after its end. For owners and admins.',
  })
  @RequiresScopes('READ_WORKFLOWS')
  workflowRun(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return readWorkflowRun(ctx, id)
  }

  @Query(() => WorkflowRunPage, {
    description:
      'The runs of workflows, newest first, without their steps. `total` and `totalPages` are null if there are more than 10,000. For owners and admins.',
  })
  @RequiresScopes('READ_WORKFLOWS')
  workflowRunList(
    @Args(() => WorkflowRunListArgs) args: WorkflowRunListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return pageOfRuns(ctx, args, info)
  }

  @Mutation(() => WorkflowRun, {
    description:
      'Runs a workflow, whatever its trigger and its conditions; the answer is the queued run. INVALID_STATE while it is PAUSED, if `allowManual` is false, for a record of another type, and for a second run of a record with `runOnce`; DEPTH_EXCEEDED beyond a depth of 5. For owners and admins.',
  })
  @RequiresScope('WORKFLOWS')
  workflowRunStart(
    @IdArg() id: string,
    @Arg('input', () => WorkflowRunStartInput, {
      nullable: true,
      description: 'What it runs for; null only for a workflow without a type of records.',
    })
    input: WorkflowRunStartInput | null,
    @Ctx() ctx: RequestContext,
  ) {
    return runWorkflow(ctx, id, input ?? {})
  }

  @Mutation(() => WorkflowRun, {
    description:
      'Begins a FAILED run again, at the step that has failed, with the version of the steps that it has. INVALID_STATE for another status. For owners and admins; only owners do so for one that acts as an owner.',
  })
  @RequiresScope('WORKFLOWS')
  workflowRunRetry(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return retryRun(ctx, id)
  }

  @Mutation(() => WorkflowRun, {
    description:
      'Ends a run that is QUEUED, RUNNING or WAITING. What its steps have done is not taken back. INVALID_STATE for another status. For owners and admins.',
  })
  @RequiresScope('WORKFLOWS')
  workflowRunCancel(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return cancelRun(ctx, id)
  }

  @Mutation(() => WorkflowRun, {
    description:
      'Approves a step APPROVAL that a run waits for; the run goes on. INVALID_STATE if it waits for no decision. For the users whom the step asks, and for owners and admins; only owners, if the workflow acts as an owner and does not ask the caller.',
  })
  @RequiresScope('WORKFLOWS')
  workflowRunApprove(
    @IdArg() id: string,
    @StepArg() stepId: string,
    @CommentArg() comment: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    return decideStep(ctx, id, stepId, 'APPROVED', comment)
  }

  @Mutation(() => WorkflowRun, {
    description:
      'Rejects a step APPROVAL that a run waits for; the run goes on with its step `onRejected`, or fails. INVALID_STATE if it waits for no decision. For the users whom the step asks, and for owners and admins; only owners, if the workflow acts as an owner and does not ask the caller.',
  })
  @RequiresScope('WORKFLOWS')
  workflowRunReject(
    @IdArg() id: string,
    @StepArg() stepId: string,
    @CommentArg() comment: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    return decideStep(ctx, id, stepId, 'REJECTED', comment)
  }

  @Mutation(() => WorkflowHookReceipt, {
    description:
      'Starts a run for a signed request to `hookUrl` of a workflow. The same signed time and body return the run that they have started.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicWorkflowHookReceive(
    @Arg('token', () => String, { description: 'The secret in the address.' }) token: string,
    @Arg('signature', () => String, { description: 'The header X-Service-Signature of the request.' })
    signature: string,
    @Arg('body', () => String, { description: 'The body of the request, in base64.' }) body: string,
    @Ctx() ctx: WorkflowContext,
  ) {
    return receiveHook(ctx, { token, signature, body: Buffer.from(body, 'base64') })
  }
}

const administrators = { roles: ['OWNER', 'ADMIN'] } as const

export const workflowRunResource: Resource = {
  resolver: WorkflowRunResolver,
  announces: [runChanges],
  queues: [runQueue],
  jobs: [forgetRuns, startByTime],
  crossTenantFields: ['publicWorkflowHookReceive'],
  operations: [
    operation('POST /v1/workflows/{id}/run', 'workflowRunStart', {
      summary: 'Run a workflow',
      answers: 'The run, which is queued.',
      status: 202,
      refusals: [409, 422],
      example: { recordId: '019a0c5e-7f00-7a31-8b1c-2d3e4f5a6b7c', input: { note: 'Met at the fair' } },
      ...administrators,
    }),
    operation('GET /v1/workflow-runs', 'workflowRunList', {
      summary: 'List the runs of workflows',
      answers: 'A page of runs, newest first, without their steps.',
      ...administrators,
    }),
    operation('GET /v1/workflow-runs/{id}', 'workflowRun', {
      summary: 'Get a run of a workflow',
      answers: 'The run with its steps.',
      ...administrators,
    }),
    operation('POST /v1/workflow-runs/{id}/retry', 'workflowRunRetry', {
      summary: 'Retry a run of a workflow',
      answers: 'The run, which is queued.',
      refusals: [409],
      ...administrators,
    }),
    operation('POST /v1/workflow-runs/{id}/cancel', 'workflowRunCancel', {
      summary: 'Cancel a run of a workflow',
      answers: 'The run as ended.',
      refusals: [409],
      ...administrators,
    }),
    operation('POST /v1/workflow-runs/{id}/steps/{stepId}/approve', 'workflowRunApprove', {
      summary: 'Approve a step of a run',
      answers: 'The run, which goes on.',
      refusals: [409],
    }),
    operation('POST /v1/workflow-runs/{id}/steps/{stepId}/reject', 'workflowRunReject', {
      summary: 'Reject a step of a run',
      answers: 'The run, which goes on or fails.',
      refusals: [409],
    }),
  ],
}
