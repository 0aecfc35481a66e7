import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { DeletedPageArgs } from '../../kernel/record/list-args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { customObjectComponent } from './custom-object.component.ts'
import { objectsMax, renamedRecordsMax } from './bounds.ts'
import { createObject, restoreObject, updateObject, type ObjectInput } from './custom-object.actions.ts'
import {
  CustomObjectCreateInput,
  CustomObjectPage,
  CustomObjectPageArgs,
  CustomObjectUpdateInput,
  fieldsOfObject,
} from './custom-object.inputs.ts'
import { customObjectTable, formerNameFields, objectRemovalTable } from './custom-object.migrations.ts'
import { customObject } from './custom-object.record.ts'
import { CustomObject } from './custom-object.ts'
import { forgetObjectRemovals, objectRemovalQueue, removeDeletedObjects } from './remove-object.queue.ts'

const objects = recordsOf(customObject)

@Resolver(() => CustomObject)
export class CustomObjectResolver {
  @Query(() => CustomObject, { nullable: true, description: 'One custom object by id.' })
  customObject(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return objects.one(ctx, id, info)
  }

  @Query(() => CustomObjectPage, { description: 'The custom objects of the organization.' })
  customObjectList(
    @Args(() => CustomObjectPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return objects.page(ctx, args, info)
  }

  @Query(() => [CustomObject], { description: 'Deleted custom objects, most recently deleted first.' })
  customObjectListDeleted(
    @Args(() => DeletedPageArgs) args: DeletedPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return objects.deleted(ctx, args, info)
  }

  @Mutation(() => CustomObject, {
    description: `Defines a record type of the organization, with its fields in one transaction; an organization has at most ${objectsMax}. Its records can be written at once. For owners and admins.`,
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customObjectCreate(@InputArg(() => CustomObjectCreateInput) input: object, @Ctx() ctx: RequestContext) {
    return createObject(ctx, input as ObjectInput)
  }

  @Mutation(() => CustomObject, {
    description: `Changes a custom object. Another \`nameField\` changes the names of its records, each with its event; it is refused with LIMIT_REACHED if there are more than ${renamedRecordsMax}. For owners and admins.`,
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customObjectUpdate(
    @IdArg() id: string,
    @InputArg(() => CustomObjectUpdateInput) input: RecordInput<CustomObject>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateObject(ctx, id, input as Partial<CustomObject>, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Deletes a custom object. Its records and fields are kept for 30 days, but nobody can read or change them until it is restored; then they are removed for good, and its name is free. While a validation rule, a duplicate rule, a page layout, a page, a hook, a trigger, a workflow, a flow, a custom action, a function, a webhook, an AI trigger or a LOOKUP, MASTER_DETAIL or ROLLUP_SUMMARY of another record type names it, it is refused with HAS_DEPENDENTS, and `usedBy` names that; while a change of one of its fields is under way, with INVALID_STATE. For owners and admins.',
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customObjectDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return objects.remove(ctx, id, expectedVersion)
  }

  @Mutation(() => CustomObject, {
    description:
      'Restores a deleted custom object, with its records and fields, unless they are being removed (INVALID_STATE). What its records name, in fields of the type LOOKUP, of records that were deleted meanwhile is cleared in the background, and records whose master was deleted meanwhile are deleted. For owners and admins.',
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customObjectRestore(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return restoreObject(ctx, id, expectedVersion)
  }
}

export const customObjectResource: Resource = {
  resolver: CustomObjectResolver,
  component: customObjectComponent,
  announces: [customObject],
  migrations: [customObjectTable, formerNameFields, objectRemovalTable],
  queues: [objectRemovalQueue],
  jobs: [removeDeletedObjects, forgetObjectRemovals],
  rest: restArea(customObject, { path: 'custom-objects', filters: ['name'], createsWith: fieldsOfObject }),
}
