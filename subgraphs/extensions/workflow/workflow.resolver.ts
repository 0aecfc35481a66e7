import { Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { workflowOnce } from './workflow-once.ts'
import { workflowComponent } from './workflow.component.ts'
import {
  activateWorkflow,
  createWorkflow,
  deleteWorkflow,
  pauseWorkflow,
  regenerateWorkflowSecret,
  updateWorkflow,
  type WorkflowInput,
} from './workflow.actions.ts'
import type { WorkflowContext } from './workflow.context.ts'
import { workflowTypes } from './workflow.inputs.ts'
import { workflowTables } from './workflow.migrations.ts'
import { workflow } from './workflow.record.ts'
import { sealedWorkflowColumns } from './workflow-secret.ts'
import { Workflow } from './workflow.ts'

const workflows = recordsOf(workflow)
const { Page, PageArgs: ListArgs, Connection, ConnectionArgs: EdgeArgs, CreateInput, UpdateInput } = workflowTypes

@Resolver(() => Workflow)
export class WorkflowResolver {
  @Query(() => Workflow, { nullable: true, description: 'One workflow by id. For owners and admins.' })
  workflow(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return workflows.one(ctx, id, info)
  }

  @Query(() => Page, { description: 'The workflows of the organization. For owners and admins.' })
  workflowList(@Args(() => ListArgs) args: PageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return workflows.page(ctx, args, info)
  }

  @Query(() => Connection, {
    description: 'The workflows of the organization, in the form of a connection. For owners and admins.',
  })
  workflowConnection(
    @Args(() => EdgeArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return workflows.connection(ctx, args, info)
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Address of requests that start a run of a workflow with the trigger WEBHOOK: `POST` with a JSON object of at most 65,536 bytes, signed by the secret as deliveries of webhooks are (`X-Service-Signature`), at most 300 seconds ago. The body is the `input` of the run. The same signed time and body start one run. Null after the deletion.',
  })
  hookUrl(@Root() { hookToken }: Workflow, @Ctx() { settings }: RequestContext) {
    return hookToken === null ? null : `${settings.publicUrl}/v1/workflow-hooks/${hookToken}`
  }

  @Mutation(() => Workflow, {
    description:
      'Creates a workflow, which is PAUSED. Its steps are checked: unique ids, reachable steps, disjoint bodies of loops, existing functions. Only this answer contains the secret of requests to `hookUrl`. An organization has at most 200. For owners and admins.',
  })
  @RequiresScope('WORKFLOWS')
  workflowCreate(@InputArg(() => CreateInput) input: WorkflowInput, @Ctx() ctx: WorkflowContext) {
    return createWorkflow(ctx, input)
  }

  @Mutation(() => Workflow, {
    description:
      'Changes a workflow. Other steps or another run-as user are a new version: runs keep the version with which they began. For owners and admins; only owners change one that acts as an owner.',
  })
  @RequiresScope('WORKFLOWS')
  workflowUpdate(
    @IdArg() id: string,
    @InputArg(() => UpdateInput) input: WorkflowInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: WorkflowContext,
  ) {
    return updateWorkflow(ctx, id, input, expectedVersion)
  }

  @Mutation(() => Workflow, {
    description:
      'Activates a workflow, after its steps were checked again. Events and times after that start runs. INVALID_STATE if it is ACTIVE. For owners and admins; only owners activate one that acts as an owner.',
  })
  @RequiresScope('WORKFLOWS')
  workflowActivate(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: WorkflowContext,
  ) {
    return activateWorkflow(ctx, id, expectedVersion)
  }

  @Mutation(() => Workflow, {
    description:
      'Pauses a workflow: nothing starts runs, and those that have not begun are SKIPPED. Runs that have begun go on. INVALID_STATE if it is PAUSED. For owners and admins.',
  })
  @RequiresScope('WORKFLOWS')
  workflowPause(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: number | null, @Ctx() ctx: RequestContext) {
    return pauseWorkflow(ctx, id, expectedVersion)
  }

  @Mutation(() => Workflow, {
    description:
      'Gives a workflow a new secret for requests to `hookUrl`, which only this answer contains. The secret before ends at once. For owners and admins; only owners do so for one that acts as an owner.',
  })
  @RequiresScope('WORKFLOWS')
  workflowRegenerateSecret(@IdArg() id: string, @Ctx() ctx: WorkflowContext) {
    return regenerateWorkflowSecret(ctx, id)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a workflow with its secret; it cannot be restored. Its runs that have begun are CANCELLED, the others SKIPPED. For owners and admins.',
  })
  @RequiresScope('WORKFLOWS')
  workflowDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: WorkflowContext,
  ) {
    return deleteWorkflow(ctx, id, expectedVersion)
  }
}

const administrators = { roles: ['OWNER', 'ADMIN'] } as const

export const workflowResource: Resource = {
  resolver: WorkflowResolver,
  component: workflowComponent,
  announces: [workflow],
  migrations: [workflowTables],
  names: [workflowOnce],
  sealed: sealedWorkflowColumns,
  rest: restArea(workflow, {
    path: 'workflows',
    filters: ['status', 'triggerType', 'triggerEntity'],
    derivedFields: ['hookUrl', 'secret'],
  }),
  operations: [
    operation('POST /v1/workflows/{id}/activate', 'workflowActivate', {
      summary: 'Activate a workflow',
      answers: 'The workflow as changed.',
      refusals: [409],
      ...administrators,
    }),
    operation('POST /v1/workflows/{id}/pause', 'workflowPause', {
      summary: 'Pause a workflow',
      answers: 'The workflow as changed.',
      refusals: [409],
      ...administrators,
    }),
    operation('POST /v1/workflows/{id}/regenerate-secret', 'workflowRegenerateSecret', {
      summary: 'Regenerate the secret of a workflow',
      answers: 'The workflow with its new secret.',
      ...administrators,
    }),
  ],
}
