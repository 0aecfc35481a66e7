import { Arg, Args, Ctx, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { InputField } from '../../kernel/record/declared-value.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import { OverlapHoursArg } from '../overlap-hours.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import type { ActionContext, FunctionContext } from '../function/function.context.ts'
import { customActionComponent } from './custom-action.component.ts'
import { sealedActionSecrets } from './action-secret.ts'
import { createAction, deleteAction, regenerateActionSecret, updateAction } from './custom-action.actions.ts'
import {
  ActionArg,
  CustomActionCreateInput,
  CustomActionPage,
  CustomActionPageArgs,
  CustomActionResult,
  CustomActionUpdateInput,
} from './custom-action.inputs.ts'
import {
  actionClaimTable,
  actionMappings,
  actionPreviousSecret,
  customActionTable,
} from './custom-action.migrations.ts'
import { customAction } from './custom-action.record.ts'
import { actionsMax, CustomAction } from './custom-action.ts'
import { executeAction } from './execute-action.ts'

const actions = recordsOf(customAction)
/** The longest timeout, and the time for what surrounds it. */
const deadlineMs = 40_000

@InputType({ description: 'What an action is run with.' })
class CustomActionExecuteInput {
  @InputField(() => ID, {
    nullable: true,
    description: 'Id of the record, which the caller must see; required if the action has `objectTypes`.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  recordId?: string | null

  @InputField(() => Json, {
    nullable: true,
    description:
      'What fits `inputSchema` with what `inputMapping` adds to it, at most 262144 bytes as JSON; null for an empty object.',
    example: { sku: 'A-100' },
  })
  input?: unknown
}

@Resolver(() => CustomAction)
export class CustomActionResolver {
  @Query(() => CustomAction, { nullable: true, description: 'One custom action by id. For owners and admins.' })
  @RequiresScopes('READ_CUSTOM_ACTIONS')
  customAction(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return actions.one(ctx, id, info)
  }

  @Query(() => CustomActionPage, { description: 'The custom actions of the organization. For owners and admins.' })
  @RequiresScopes('READ_CUSTOM_ACTIONS')
  customActionList(
    @Args(() => CustomActionPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return actions.page(ctx, args, info)
  }

  @Mutation(() => CustomAction, {
    description: `Creates a custom action. Only this answer contains the secret that signs the requests to its URL. An organization has at most ${actionsMax}. For owners and admins.`,
  })
  @RequiresScope('CUSTOM_ACTIONS')
  customActionCreate(
    @InputArg(() => CustomActionCreateInput) input: RecordInput<CustomAction>,
    @Ctx() ctx: FunctionContext,
  ) {
    return createAction(ctx, input)
  }

  @Mutation(() => CustomAction, { description: 'Changes a custom action. For owners and admins.' })
  @RequiresScope('CUSTOM_ACTIONS')
  customActionUpdate(
    @IdArg() id: string,
    @InputArg(() => CustomActionUpdateInput) input: RecordInput<CustomAction>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: FunctionContext,
  ) {
    return updateAction(ctx, id, input, expectedVersion)
  }

  @Mutation(() => CustomAction, {
    description:
      'Gives a custom action a new secret, which only this answer contains. Until the overlap ends, each request has two signatures, one by each secret; a secret of an earlier overlap ends at once. For owners and admins.',
  })
  @RequiresScope('CUSTOM_ACTIONS')
  customActionRegenerateSecret(
    @IdArg() id: string,
    @OverlapHoursArg() overlapHours: number,
    @Ctx() ctx: FunctionContext,
  ) {
    return regenerateActionSecret(ctx, id, overlapHours)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a custom action. While something uses it, it is refused with HAS_DEPENDENTS, and `usedBy` names that. For owners and admins.',
  })
  @RequiresScope('CUSTOM_ACTIONS')
  customActionDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: FunctionContext,
  ) {
    return deleteAction(ctx, id, expectedVersion)
  }

  @Mutation(() => CustomActionResult, {
    description:
      'Runs a custom action as the caller, who must see the record, and waits for its end. `status` says how it ended: an action that fails is no error of the operation. NOT_FOUND without the action or the record; INVALID_STATE while it is turned off, for another record type, or if `allowManual` is false and no automation runs it; VALIDATION_FAILED if `input`, with what `inputMapping` adds, does not fit its schema; FIELD_NOT_WRITABLE if the caller may not change what `outputMapping` changes; CREDENTIAL_INACTIVE and CREDENTIAL_SECRET_MISSING for the named credential over its URL; IDEMPOTENCY_IN_PROGRESS while a run with the same key goes on; DEPTH_EXCEEDED beyond a depth of 5.',
  })
  @RequiresScopes('INVOKE_FUNCTIONS')
  @Limits({ deadlineMs })
  customActionExecute(
    @ActionArg() id: string,
    @Arg('input', () => CustomActionExecuteInput, {
      nullable: true,
      description: 'What it is run with; null for no record and an empty input.',
    })
    input: CustomActionExecuteInput | null,
    @Ctx() ctx: ActionContext,
  ) {
    return executeAction(ctx, { key: id, recordId: input?.recordId ?? null, input: input?.input })
  }
}

export const customActionResource: Resource = {
  resolver: CustomActionResolver,
  component: customActionComponent,
  announces: [customAction],
  migrations: [customActionTable, actionClaimTable, actionPreviousSecret, actionMappings],
  sealed: sealedActionSecrets,
  rest: restArea(customAction, { path: 'custom-actions', filters: ['apiName', 'kind', 'isActive', 'exposeAsTool'] }),
  operations: [
    operation('POST /v1/custom-actions/{id}/regenerate-secret', 'customActionRegenerateSecret', {
      summary: 'Regenerate the secret of a custom action',
      answers: 'The action with its new secret.',
      roles: ['OWNER', 'ADMIN'],
    }),
    operation('POST /v1/custom-actions/{id}/execute', 'customActionExecute', {
      summary: 'Run a custom action',
      answers: 'What the action did.',
      refusals: [422],
      example: { input: { sku: 'A-100' } },
    }),
  ],
}
