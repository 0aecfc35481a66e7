import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { flowsMax } from './bounds.ts'
import { activateFlow, createFlow, deactivateFlow, deleteFlow, updateFlow } from './flow.actions.ts'
import { FlowCreateInput, FlowPage, FlowPageArgs, FlowUpdateInput } from './flow.inputs.ts'
import { flowInterviewColumns, flowTables } from './flow.migrations.ts'
import { flow } from './flow.record.ts'
import { Flow } from './flow.ts'

const flows = recordsOf(flow)

@Resolver(() => Flow)
export class FlowResolver {
  @Query(() => Flow, { nullable: true, description: 'One flow by id. For owners and admins.' })
  @RequiresScopes(memberScope)
  flow(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return flows.one(ctx, id, info)
  }

  @Query(() => FlowPage, { description: 'The flows of the organization. For owners and admins.' })
  @RequiresScopes(memberScope)
  flowList(@Args(() => FlowPageArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return flows.page(ctx, args, info)
  }

  @Mutation(() => Flow, {
    description: `Creates a flow, which is DRAFT. Its elements are checked: unique names, connectors to elements that exist, no element that nothing leads to, settings that fit their types, existing fields, actions and subflows. Needs the scopes of what its elements do. An organization has at most ${flowsMax}. For owners and admins.`,
  })
  @RequiresScopes(memberScope)
  flowCreate(@InputArg(() => FlowCreateInput) input: RecordInput<Flow>, @Ctx() ctx: RequestContext) {
    return createFlow(ctx, input)
  }

  @Mutation(() => Flow, {
    description:
      'Changes a flow. Another type, other variables or elements are a new version: interviews keep the version with which they began. Needs the scopes of what its elements do. For owners and admins.',
  })
  @RequiresScopes(memberScope)
  flowUpdate(
    @IdArg() id: string,
    @InputArg(() => FlowUpdateInput) input: RecordInput<Flow>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateFlow(ctx, id, input, expectedVersion)
  }

  @Mutation(() => Flow, {
    description:
      'Activates a flow, after its elements were checked again: users can run it. INVALID_STATE if it is ACTIVE. Needs the scopes of what its elements do. For owners and admins.',
  })
  @RequiresScopes(memberScope)
  flowActivate(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return activateFlow(ctx, id, expectedVersion)
  }

  @Mutation(() => Flow, {
    description:
      'Deactivates a flow, which becomes OBSOLETE: no interviews can be started, also not by flows that run it. Those that have begun go on. INVALID_STATE unless it is ACTIVE. For owners and admins.',
  })
  @RequiresScopes(memberScope)
  flowDeactivate(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deactivateFlow(ctx, id, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a flow; its open interviews are CANCELLED. While another flow runs it, it is refused with HAS_DEPENDENTS, and `usedBy` names that. For owners and admins.',
  })
  @RequiresScopes(memberScope)
  flowDelete(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return deleteFlow(ctx, id, expectedVersion)
  }
}

const administrators = { roles: ['OWNER', 'ADMIN'], refusals: [409] } as const

export const flowResource: Resource = {
  resolver: FlowResolver,
  announces: [flow],
  migrations: [flowTables, flowInterviewColumns],
  rest: restArea(flow, { path: 'flows', filters: ['apiName', 'type', 'status'] }),
  operations: [
    operation('POST /v1/flows/{id}/activate', 'flowActivate', {
      summary: 'Activate a flow',
      answers: 'The flow as changed.',
      ...administrators,
    }),
    operation('POST /v1/flows/{id}/deactivate', 'flowDeactivate', {
      summary: 'Deactivate a flow',
      answers: 'The flow as changed.',
      ...administrators,
    }),
  ],
}
