import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { OverlapHoursArg } from '../overlap-hours.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { typeFilter } from '../extended-type.ts'
import { beforeSaveHookComponent } from './hook.component.ts'
import { hooksMax } from './bounds.ts'
import { sealedHookSecrets } from './hook-secret.ts'
import { createHook, deleteHook, regenerateHookSecret, updateHook, type HookContext } from './hook.actions.ts'
import { HookCreateInput, HookPage, HookPageArgs, HookUpdateInput } from './hook.inputs.ts'
import { hookPreviousSecret, hookTables } from './hook.migrations.ts'
import { beforeSaveHook } from './hook.record.ts'
import { BeforeSaveHook } from './hook.ts'

const hooks = recordsOf(beforeSaveHook)

@Resolver(() => BeforeSaveHook)
export class BeforeSaveHookResolver {
  @Query(() => BeforeSaveHook, { nullable: true, description: 'One before-save hook by id. For owners and admins.' })
  beforeSaveHook(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return hooks.one(ctx, id, info)
  }

  @Query(() => HookPage, { description: 'The before-save hooks of the organization. For owners and admins.' })
  beforeSaveHookList(
    @Args(() => HookPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return hooks.page(ctx, args, info)
  }

  @Mutation(() => BeforeSaveHook, {
    description: `Creates a before-save hook. Only this answer contains the secret that signs the calls of its address. A record type has at most ${hooksMax}. Every write that commits after the answer is decided on by it. For owners, and for admins who see all records and fields.`,
  })
  @RequiresScope('HOOKS')
  beforeSaveHookCreate(@InputArg(() => HookCreateInput) input: RecordInput<BeforeSaveHook>, @Ctx() ctx: HookContext) {
    return createHook(ctx, input)
  }

  @Mutation(() => BeforeSaveHook, {
    description:
      'Changes a before-save hook. Every write that commits after the answer is decided on by the changed hook. For owners, and for admins who see all records and fields; other admins may only turn it off.',
  })
  @RequiresScope('HOOKS')
  beforeSaveHookUpdate(
    @IdArg() id: string,
    @InputArg(() => HookUpdateInput) input: RecordInput<BeforeSaveHook>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: HookContext,
  ) {
    return updateHook(ctx, id, input, expectedVersion)
  }

  @Mutation(() => BeforeSaveHook, {
    description:
      'Gives a before-save hook a new secret, which only this answer contains. Until the overlap ends, each request has two signatures, one by each secret; a secret of an earlier overlap ends at once. For owners, and for admins who see all records and fields.',
  })
  @RequiresScope('HOOKS')
  beforeSaveHookRegenerateSecret(
    @IdArg() id: string,
    @OverlapHoursArg() overlapHours: number,
    @Ctx() ctx: HookContext,
  ) {
    return regenerateHookSecret(ctx, id, overlapHours)
  }

  @Mutation(() => ID, {
    description: 'Deletes a before-save hook; it cannot be restored. For owners and admins.',
  })
  @RequiresScope('HOOKS')
  beforeSaveHookDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteHook(ctx, id, expectedVersion)
  }
}

export const beforeSaveHookResource: Resource = {
  resolver: BeforeSaveHookResolver,
  component: beforeSaveHookComponent,
  announces: [beforeSaveHook],
  migrations: [hookTables, hookPreviousSecret],
  sealed: sealedHookSecrets,
  rest: restArea(beforeSaveHook, {
    path: 'hooks',
    filters: [typeFilter('objectType'), 'name', 'isActive', 'function'],
  }),
  operations: [
    operation('POST /v1/hooks/{id}/regenerate-secret', 'beforeSaveHookRegenerateSecret', {
      summary: 'Regenerate the secret of a before-save hook',
      answers: 'The hook with its new secret.',
      roles: ['OWNER', 'ADMIN'],
    }),
  ],
}
