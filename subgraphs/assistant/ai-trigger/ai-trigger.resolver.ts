import { Args, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { createTrigger, deleteTrigger, regenerateSecret, toggleTrigger, updateTrigger } from './ai-trigger.actions.ts'
import type { TriggerContext } from './ai-trigger.context.ts'
import { aiTriggerTypes } from './ai-trigger.inputs.ts'
import { aiTriggerTables } from './ai-trigger.migrations.ts'
import { aiTriggerArea } from './ai-trigger.area.ts'
import { aiTrigger } from './ai-trigger.record.ts'
import type { TriggerInput } from './ai-trigger.rules.ts'
import { sealedTriggerColumns } from './ai-trigger-secret.ts'
import { AiTrigger } from './ai-trigger.ts'

const triggers = recordsOf(aiTrigger)
const { Page, PageArgs: ListArgs, Connection, ConnectionArgs: EdgeArgs, CreateInput, UpdateInput } = aiTriggerTypes

@Resolver(() => AiTrigger)
export class AiTriggerResolver {
  @Query(() => AiTrigger, { nullable: true, description: 'One AI workflow by id. For owners and admins.' })
  aiTrigger(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return triggers.one(ctx, id, info)
  }

  @Query(() => Page, { description: 'The AI workflows of the organization. For owners and admins.' })
  aiTriggerList(@Args(() => ListArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return triggers.page(ctx, args, info)
  }

  @Query(() => Connection, {
    description: 'The AI workflows of the organization, in the form of a connection. For owners and admins.',
  })
  aiTriggerConnection(
    @Args(() => EdgeArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return triggers.connection(ctx, args, info)
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Address of inbound requests, which start an execution with their body: `POST` with a JSON object of at most 262,144 bytes, signed by the secret as deliveries of webhooks are (`X-Service-Signature`), at most 300 seconds ago. The same signed time and body start one execution. Null after the deletion.',
  })
  inboundUrl(@Root() { inboundToken }: AiTrigger, @Ctx() { settings }: RequestContext) {
    return inboundToken === null ? null : `${settings.publicUrl}/v1/public/ai-triggers/${inboundToken}`
  }

  @Mutation(() => AiTrigger, {
    description:
      'Creates an AI workflow, which is ACTIVE unless `status` says otherwise. Only this answer contains the secret of inbound requests. An organization has at most 100. For owners and admins.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiTriggerCreate(@InputArg(() => CreateInput) input: TriggerInput, @Ctx() ctx: TriggerContext) {
    return createTrigger(ctx, input)
  }

  @Mutation(() => AiTrigger, {
    description:
      'Changes an AI workflow. Executions that have no answer yet use the new settings; actions that wait for an approval stay as they are. For owners and admins; of an AI workflow of an owner, admins may only set `status` to PAUSED.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiTriggerUpdate(
    @IdArg() id: string,
    @InputArg(() => UpdateInput) input: TriggerInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: TriggerContext,
  ) {
    return updateTrigger(ctx, id, input, expectedVersion)
  }

  @Mutation(() => AiTrigger, {
    description:
      'Pauses an AI workflow that is ACTIVE, and activates one that is PAUSED. For owners and admins; only owners do so with one of an owner, which admins pause with `status`.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiTriggerToggle(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: TriggerContext,
  ) {
    return toggleTrigger(ctx, id, expectedVersion)
  }

  @Mutation(() => AiTrigger, {
    description:
      'Gives an AI workflow a new secret for inbound requests, which only this answer contains. Until the overlap ends, the previous secret is accepted as well; one of an earlier overlap ends at once. For owners and admins; only owners do so for one of an owner.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiTriggerRegenerateSecret(
    @IdArg() id: string,
    @ValueArg('overlapHours', () => Int, {
      default: 0,
      minimum: 0,
      maximum: 168,
      description: 'Hours during which the previous secret is accepted as well.',
      example: 24,
    })
    overlapHours: number,
    @Ctx() ctx: TriggerContext,
  ) {
    return regenerateSecret(ctx, id, overlapHours)
  }

  @Mutation(() => ID, {
    description:
      'Deletes an AI workflow with its secrets; it cannot be restored. Executions that have no answer yet are FAILED. For owners and admins.',
  })
  @RequiresScope('AI_WORKFLOWS')
  aiTriggerDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: TriggerContext,
  ) {
    return deleteTrigger(ctx, id, expectedVersion)
  }
}

const path = '/v1/webhook-ai-workflows'
const administrators = { roles: ['OWNER', 'ADMIN'] } as const

export const aiTriggerResource: Resource = {
  resolver: AiTriggerResolver,
  announces: [aiTrigger],
  migrations: [aiTriggerTables],
  sealed: sealedTriggerColumns,
  rest: aiTriggerArea,
  operations: [
    operation(`POST ${path}/triggers/{id}/toggle`, 'aiTriggerToggle', {
      summary: 'Pause or activate an AI workflow',
      answers: 'The AI workflow as changed.',
      ...administrators,
    }),
    operation(`POST ${path}/triggers/{id}/regenerate-secret`, 'aiTriggerRegenerateSecret', {
      summary: 'Regenerate the secret of an AI workflow',
      answers: 'The AI workflow with its new secret.',
      ...administrators,
    }),
  ],
}
