import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { readAggregate } from '../../kernel/record/aggregate/read-aggregate.ts'
import { Aggregate, aggregateDescription, type AggregateArgs } from '../../kernel/record/aggregate/aggregate-types.ts'
import { AsOfArg, CustomObjectArg, ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { BulkResult } from '../../kernel/record/bulk-result.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { DeletedPageArgs } from '../../kernel/record/list-args.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { BulkUpsertResult } from '../../kernel/record/upsert/bulk-upsert-result.ts'
import { bulkUpsert } from '../../kernel/record/upsert/bulk-upsert.ts'
import { OnlyCreateArg, upsertDescriptions } from '../../kernel/record/upsert/upsert-resolver.ts'
import { FieldArg, KeyValueArg } from '../../kernel/record/upsert/upsert-types.ts'
import { requireIdOfKey, upsert } from '../../kernel/record/upsert/upsert.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  CustomRecordBulkUpdateItem,
  customRecordTypes as types,
  customRecordUpsertTypes as upsertTypes,
} from './custom-record.inputs.ts'
import { customRecordTable, deletedWithColumn } from './custom-record.migrations.ts'
import { customRecord } from './custom-record.record.ts'
import { CustomRecord } from './custom-record.ts'
import { withCustomRecords } from './custom-records.ts'
import { readCustomRecord } from './read-custom-record.ts'

const independently = 'Each item succeeds or fails independently.'

@Resolver(() => CustomRecord)
export class CustomRecordResolver {
  @Query(() => CustomRecord, { nullable: true, description: 'One record of a custom object by id.' })
  customRecord(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
    @AsOfArg(false) asOf?: string | null,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.one(current, id, info, asOf))
  }

  @Query(() => types.Page, { description: 'The records of a custom object that the caller sees.' })
  customRecordList(
    @CustomObjectArg() object: string,
    @Args(() => types.PageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
    @AsOfArg(true) asOf?: string | null,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.page(current, args, info, asOf))
  }

  @Query(() => types.Connection, {
    description: 'The records of a custom object that the caller sees, as a connection.',
  })
  customRecordConnection(
    @CustomObjectArg() object: string,
    @Args(() => types.ConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
    @AsOfArg(true) asOf?: string | null,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.connection(current, args, info, asOf))
  }

  @Query(() => [CustomRecord], {
    description: 'Deleted records of a custom object, most recently deleted first.',
  })
  customRecordListDeleted(
    @CustomObjectArg() object: string,
    @Args(() => DeletedPageArgs) args: DeletedPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.deleted(current, args, info))
  }

  @Query(() => Aggregate, { description: aggregateDescription('records of a custom object') })
  @RequiresScopes('READ_CUSTOM_OBJECTS')
  customRecordAggregate(
    @CustomObjectArg() object: string,
    @Args(() => types.AggregateArgs) args: AggregateArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return withCustomRecords(ctx, object, (_records, current, definition) =>
      readAggregate(current, definition, args, info),
    )
  }

  @Mutation(() => CustomRecord, {
    description:
      'Creates a record of a custom object. Without `ownerId` the caller becomes the owner; a detail, whose object has a MASTER_DETAIL, has none, and `ownerId` must be null. `customFields` has the values of the fields of the object, and no other keys.',
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordCreate(
    @CustomObjectArg() object: string,
    @InputArg(() => types.CreateInput) input: object,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.create(current, input))
  }

  @Mutation(() => CustomRecord, {
    description: 'Changes a record of a custom object. `customFields` changes only the named keys; null removes a key.',
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordUpdate(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @InputArg(() => types.UpdateInput) input: object,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.update(current, id, input, expectedVersion))
  }

  @Mutation(() => ID, {
    description:
      'Deletes a record of a custom object, and its details with it: up to 5,000 at once, more in the background, hidden from now on. It can be restored; until then only `customRecordListDeleted` returns it.',
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordDelete(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.remove(current, id, expectedVersion))
  }

  @Mutation(() => CustomRecord, {
    description:
      'Restores a deleted record of a custom object, unchanged, and the details that were deleted with it. A detail is restored while its masters are not deleted.',
  })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordRestore(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.restore(current, id, expectedVersion))
  }

  @Query(() => CustomRecord, {
    nullable: true,
    description: upsertDescriptions.byKey('record of a custom object', true),
  })
  customRecordByKey(
    @CustomObjectArg() object: string,
    @FieldArg() field: string,
    @KeyValueArg() value: string,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return withCustomRecords(ctx, object, async (records, current, definition) =>
      records.one(current, await requireIdOfKey(current, definition, { field, value }), info),
    )
  }

  @Mutation(() => upsertTypes.Result, { description: upsertDescriptions.upsert('record of a custom object', true) })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordUpsert(
    @CustomObjectArg() object: string,
    @FieldArg() field: string,
    @KeyValueArg() value: string,
    @InputArg(() => upsertTypes.Input) input: object,
    @ExpectedVersionArg() expectedVersion: number | null,
    @OnlyCreateArg() onlyCreate: boolean | null,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current, definition) =>
      upsert(current, definition, records, { field, value }, input, { expectedVersion, onlyCreate }),
    )
  }

  @Mutation(() => BulkUpsertResult, { description: upsertDescriptions.bulkUpsert('records of a custom object') })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordBulkUpsert(
    @CustomObjectArg() object: string,
    @FieldArg() field: string,
    @Arg('items', () => [upsertTypes.Item], {
      description: 'The values of 1 to 500 records, each with its key.',
    })
    items: object[],
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current, definition) =>
      bulkUpsert(current, definition, records, field, items),
    )
  }

  @Mutation(() => BulkResult, { description: `Changes 1 to 500 records of a custom object. ${independently}` })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordBulkUpdate(
    @CustomObjectArg() object: string,
    @Arg('items', () => [CustomRecordBulkUpdateItem], {
      description: 'The changes, 1 to 500, each with the id of its record.',
    })
    items: InstanceType<typeof CustomRecordBulkUpdateItem>[],
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.bulkUpdate(current, items))
  }

  @Mutation(() => BulkResult, { description: `Deletes 1 to 500 records of a custom object. ${independently}` })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordBulkDelete(
    @CustomObjectArg() object: string,
    @Arg('ids', () => [ID], { description: 'Ids of the records, 1 to 500.' }) recordIds: string[],
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (records, current) => records.bulkRemove(current, recordIds))
  }
}

export const customRecordResource: Resource = {
  resolver: CustomRecordResolver,
  perOrganization: customRecord,
  references: { CustomRecord: readCustomRecord },
  migrations: [customRecordTable, deletedWithColumn],
  rest: restArea(customRecord, {
    path: 'custom-objects/{name}/records',
    folder: 'custom-records',
    within: { parameter: 'name', argument: 'object' },
    filters: [{ name: 'owner', column: 'ownerId', operator: 'eq' }, 'externalId', ids, createdAfter, updatedAfter],
  }),
}
