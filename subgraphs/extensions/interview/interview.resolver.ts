import { Arg, Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg, InputArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { FlowNameArg } from '../flow/flow.inputs.ts'
import type { ActionContext } from '../function/function.context.ts'
import {
  backInInterview,
  cancelInterview,
  nextOfInterview,
  pauseInterview,
  resumeInterview,
  startInterview,
} from './interview.actions.ts'
import { expireInterviews, forgetInterviews } from './interview.jobs.ts'
import { pageOfInterviews, readInterview } from './interview.reads.ts'
import {
  FlowInterview,
  FlowInterviewBackInput,
  FlowInterviewListArgs,
  FlowInterviewNextInput,
  FlowInterviewPage,
  FlowInterviewStartInput,
} from './interview.types.ts'
import { turnQueue } from './turn-queue.ts'

/** The longest actions, and the time for what surrounds them. */
const deadlineMs = 40_000

const acts =
  'Elements act as the caller: with the scopes of the credential, and the visibility and field security of the user. One that is refused, such as with API_KEY_SCOPE_INSUFFICIENT, goes on with its connector `fault`; without one the interview is FAILED, and `error` says why. All that a request does is one transaction.'

@Resolver(() => FlowInterview)
export class FlowInterviewResolver {
  @Query(() => FlowInterview, {
    nullable: true,
    description: 'One interview. Its user gets all of it, owners and admins how far it has come; NOT_FOUND for others.',
  })
  @RequiresScopes(memberScope)
  flowInterview(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return readInterview(ctx, id)
  }

  @Query(() => FlowInterviewPage, {
    description:
      'The interviews of the caller, and for owners and admins those of all users, newest first. `total` and `totalPages` are null if there are more than 10,000.',
  })
  @RequiresScopes(memberScope)
  flowInterviewList(
    @Args(() => FlowInterviewListArgs) args: FlowInterviewListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return pageOfInterviews(ctx, args, info)
  }

  @Mutation(() => FlowInterview, {
    description: `Starts an interview of an active flow, and executes its elements up to its first screen, wait or end. ${acts} INVALID_STATE if the flow is not ACTIVE; LIMIT_REACHED with 200 open interviews of the user.`,
  })
  @RequiresScopes(memberScope)
  @Limits({ deadlineMs })
  flowInterviewStart(
    @FlowNameArg() apiName: string,
    @Arg('input', () => FlowInterviewStartInput, {
      nullable: true,
      description: 'What it is started with; null for no values.',
    })
    input: FlowInterviewStartInput | null,
    @Ctx() ctx: ActionContext,
  ) {
    return startInterview(ctx, apiName, input?.inputs)
  }

  @Mutation(() => FlowInterview, {
    description: `Answers the screen of an interview, and executes its elements up to the next screen, a wait or the end. VALIDATION_FAILED if the values do not fit the fields: \`errors\` and the fields of \`screen\` say why, and nothing has changed. VERSION_CONFLICT if the interview has gone on since: \`interview\` has its state. INVALID_STATE unless it is WAITING_FOR_INPUT. ${acts}`,
  })
  @RequiresScopes(memberScope)
  @Limits({ deadlineMs })
  flowInterviewNext(
    @IdArg() id: string,
    @InputArg(() => FlowInterviewNextInput) input: FlowInterviewNextInput,
    @Ctx() ctx: ActionContext,
  ) {
    return nextOfInterview(ctx, id, input)
  }

  @Mutation(() => FlowInterview, {
    description:
      'Goes back to the screen before: all variables have the values that they had there. Records that elements have changed stay changed, and elements that come again act again. INVALID_STATE if there is no screen before, or the screen does not allow it; VERSION_CONFLICT if the interview has gone on since.',
  })
  @RequiresScopes(memberScope)
  flowInterviewBack(
    @IdArg() id: string,
    @InputArg(() => FlowInterviewBackInput) input: FlowInterviewBackInput,
    @Ctx() ctx: RequestContext,
  ) {
    return backInInterview(ctx, id, input.version)
  }

  @Mutation(() => FlowInterview, {
    description:
      'Pauses an interview at its screen. INVALID_STATE unless it is WAITING_FOR_INPUT at a screen that allows it.',
  })
  @RequiresScopes(memberScope)
  flowInterviewPause(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return pauseInterview(ctx, id)
  }

  @Mutation(() => FlowInterview, {
    description: 'Goes on with a paused interview, at the screen where it was. INVALID_STATE unless it is PAUSED.',
  })
  @RequiresScopes(memberScope)
  flowInterviewResume(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return resumeInterview(ctx, id)
  }

  @Mutation(() => FlowInterview, {
    description:
      'Ends an open interview. What its elements have done is not taken back. INVALID_STATE if it has ended. For its user, owners and admins.',
  })
  @RequiresScopes(memberScope)
  flowInterviewCancel(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return cancelInterview(ctx, id)
  }
}

const tag = { tag: 'Flow interviews' } as const

export const flowInterviewResource: Resource = {
  resolver: FlowInterviewResolver,
  queues: [turnQueue],
  jobs: [expireInterviews, forgetInterviews],
  operations: [
    operation('POST /v1/flows/{apiName}/interviews', 'flowInterviewStart', {
      summary: 'Start an interview of a flow',
      answers: 'The interview at its first screen, wait or end.',
      status: 201,
      refusals: [409],
      example: { inputs: { source: 'fair' } },
      ...tag,
    }),
    operation('GET /v1/flows/interviews', 'flowInterviewList', {
      summary: 'List interviews',
      answers: 'A page of interviews, newest first.',
      ...tag,
    }),
    operation('GET /v1/flows/interviews/{id}', 'flowInterview', {
      summary: 'Get an interview',
      answers: 'The interview.',
      ...tag,
    }),
    operation('POST /v1/flows/interviews/{id}/next', 'flowInterviewNext', {
      summary: 'Answer the screen of an interview',
      answers: 'The interview at its next screen, wait or end.',
      refusals: [409],
      ...tag,
    }),
    operation('POST /v1/flows/interviews/{id}/back', 'flowInterviewBack', {
      summary: 'Go back in an interview',
      answers: 'The interview at the screen before.',
      refusals: [409],
      ...tag,
    }),
    operation('POST /v1/flows/interviews/{id}/pause', 'flowInterviewPause', {
      summary: 'Pause an interview',
      answers: 'The paused interview.',
      refusals: [409],
      ...tag,
    }),
    operation('POST /v1/flows/interviews/{id}/resume', 'flowInterviewResume', {
      summary: 'Resume an interview',
      answers: 'The interview at its screen.',
      refusals: [409],
      ...tag,
    }),
    operation('POST /v1/flows/interviews/{id}/cancel', 'flowInterviewCancel', {
      summary: 'Cancel an interview',
      answers: 'The interview as ended.',
      refusals: [409],
      ...tag,
    }),
  ],
}
