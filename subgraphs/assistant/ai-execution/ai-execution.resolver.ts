import { Arg, Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { withoutUnused, type FilterInput } from '../../kernel/record/filter-input.ts'
import { StatsFilterArg } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { OnePerRequest } from '../../kernel/subgraph/one-per-request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { aiTriggerArea } from '../ai-trigger/ai-trigger.area.ts'
import { aiTriggerTypes } from '../ai-trigger/ai-trigger.inputs.ts'
import { aiTrigger } from '../ai-trigger/ai-trigger.record.ts'
import type { TriggerContext } from '../ai-trigger/ai-trigger.context.ts'
import { executionChanges } from './ai-execution.events.ts'
import { aiExecutionTables, skippedExecutions } from './ai-execution.migrations.ts'
import { listExecutions, pageOfExecutions, readExecutionOf, workflowStats } from './ai-execution.reads.ts'
import {
  AiExecution,
  AiExecutionListArgs,
  AiExecutionPage,
  AiInboundReceipt,
  AiWorkflowStats,
} from './ai-execution.types.ts'
import { approveExecution, rejectExecution } from './decide-execution.ts'
import { endLostExecutions, forgetExecutions } from './execution.jobs.ts'
import { executionQueue } from './execution.queue.ts'
import { receiveInbound } from './receive-inbound.ts'
import { testTrigger } from './test-trigger.ts'
import { triggerConsumer } from './trigger-consumer.ts'

@Resolver(() => AiExecution)
export class AiExecutionResolver {
  @Query(() => AiExecution, {
    nullable: true,
    description: 'One execution of an AI workflow, for 30 days. For owners and admins.',
  })
  @RequiresScopes('READ_AI_WORKFLOWS')
  aiExecution(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return readExecutionOf(ctx, id)
  }

  @Query(() => [AiExecution], {
    description:
      'The executions of all AI workflows of the last 30 days, also of deleted ones, newest first. For owners and admins.',
  })
  @RequiresScopes('READ_AI_WORKFLOWS')
  aiExecutionList(@Args(() => AiExecutionListArgs) args: AiExecutionListArgs, @Ctx() ctx: RequestContext) {
    return listExecutions(ctx, args)
  }

  @Query(() => AiExecutionPage, {
    description: 'The executions of one AI workflow of the last 30 days, newest first. For owners and admins.',
  })
  @RequiresScopes('READ_AI_WORKFLOWS')
  aiTriggerExecutions(
    @IdArg() id: string,
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return pageOfExecutions(ctx, id, args, info)
  }

  @Query(() => AiWorkflowStats, {
    description: 'Figures of the AI workflows of the organization. For owners and admins.',
  })
  @RequiresScopes('READ_AI_WORKFLOWS')
  aiWorkflowStats(
    @StatsFilterArg(aiTrigger, aiTriggerTypes.Filter) filter: FilterInput | null,
    @Ctx() ctx: RequestContext,
  ) {
    return workflowStats(ctx, withoutUnused(filter ?? null))
  }

  @Mutation(() => AiExecution, {
    description:
      'Tests an AI workflow, also a paused one: the model is asked, and the answer is stored with the actions that would follow, which are PLANNED. No action is taken, conditions are not compared, and nothing is counted. An answer that does not fit makes the execution FAILED. For owners and admins.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiTriggerTest(
    @IdArg() id: string,
    @ValueArg('payload', () => Json, {
      nullable: true,
      description:
        'The data of the event, an object with at most 65536 characters as JSON: of an event of a record with `record`, otherwise the payload. Null: the sample of the event catalog, or an empty object for an AI workflow without an event type.',
      example: { record: { lastName: 'Halvorsen', company: 'Halvorsen Marine AS' } },
    })
    payload: unknown,
    @Ctx() ctx: TriggerContext,
  ) {
    return testTrigger(ctx, id, payload)
  }

  @Mutation(() => AiExecution, {
    description:
      'Approves the actions of an execution that is AWAITING_APPROVAL, as `actionsTaken` shows them; they are taken at once, as the owner of the trigger. For owners and admins; only owners approve those of an owner.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiExecutionApprove(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return approveExecution(ctx, id)
  }

  @Mutation(() => AiExecution, {
    description:
      'Rejects the actions of an execution that is AWAITING_APPROVAL: it is SKIPPED with REJECTED. For owners and admins; only owners reject those of an owner.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiExecutionReject(
    @IdArg() id: string,
    @ValueArg('reason', () => String, {
      nullable: true,
      max: 500,
      description: 'Why; null without a reason.',
      example: 'The customer has called already.',
    })
    reason: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    return rejectExecution(ctx, id, reason ?? null)
  }

  @Mutation(() => AiInboundReceipt, {
    description:
      'Starts an execution for a signed request to `inboundUrl` of an AI workflow. The same signed time and body return the execution that they have started.',
  })
  @OnePerRequest()
  @RequiresScopes('PUBLIC')
  publicAiTriggerReceive(
    @Arg('token', () => String, { description: 'The secret in the address.' }) token: string,
    @Arg('signature', () => String, { description: 'The header X-Service-Signature of the request.' })
    signature: string,
    @Arg('body', () => String, { description: 'The body of the request, in base64.' }) body: string,
    @Ctx() ctx: TriggerContext,
  ) {
    return receiveInbound(ctx, { token, signature, body: Buffer.from(body, 'base64') })
  }
}

const path = '/v1/webhook-ai-workflows'
const administrators = { roles: ['OWNER', 'ADMIN'] } as const

export const aiExecutionResource: Resource = {
  resolver: AiExecutionResolver,
  announces: [executionChanges],
  migrations: [aiExecutionTables, skippedExecutions],
  queues: [executionQueue],
  consumers: [triggerConsumer],
  jobs: [forgetExecutions, endLostExecutions],
  crossTenantFields: ['publicAiTriggerReceive'],
  operations: [
    operation(`GET ${path}/executions`, 'aiExecutionList', {
      summary: 'List executions of all AI workflows',
      answers: 'The executions.',
      ...administrators,
    }),
    operation(`GET ${path}/stats`, 'aiWorkflowStats', {
      summary: 'Figures of the AI workflows',
      answers: 'The figures.',
      filteredAs: aiTriggerArea,
      ...administrators,
    }),
    operation(`GET ${path}/executions/{id}`, 'aiExecution', {
      summary: 'Read an execution',
      answers: 'The execution.',
      ...administrators,
    }),
    operation(`POST ${path}/executions/{id}/approve`, 'aiExecutionApprove', {
      summary: 'Approve the actions of an execution',
      answers: 'The execution, whose actions are taken next.',
      refusals: [409],
      ...administrators,
    }),
    operation(`POST ${path}/executions/{id}/reject`, 'aiExecutionReject', {
      summary: 'Reject the actions of an execution',
      answers: 'The execution as ended.',
      refusals: [409],
      ...administrators,
    }),
    operation(`GET ${path}/triggers/{id}/executions`, 'aiTriggerExecutions', {
      summary: 'List executions of an AI workflow',
      answers: 'A page of executions.',
      ...administrators,
    }),
    operation(`POST ${path}/triggers/{id}/test`, 'aiTriggerTest', {
      summary: 'Test an AI workflow',
      answers: 'The execution of the test.',
      refusals: [502],
      ...administrators,
    }),
  ],
}
