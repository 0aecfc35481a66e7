import { Ctx, Mutation, Resolver } from 'type-graphql'
import { CustomObjectArg, IdArg } from '../../kernel/record/args.ts'
import { mergeRecords } from '../../kernel/record/merge/merge-records.ts'
import {
  DryRunArg,
  mergeAnswerOf,
  mergeDescription,
  MergedFieldsArg,
  MergedIdsArg,
  MergedVersionsArg,
  mergeOperation,
} from '../../kernel/record/merge/merge-resource.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { customRecord } from './custom-record.record.ts'
import { withCustomRecords } from './custom-records.ts'

const CustomRecordMerge = mergeAnswerOf(customRecord, 'CUSTOM_OBJECTS')

@Resolver()
export class MergeCustomRecordsResolver {
  @Mutation(() => CustomRecordMerge, { description: mergeDescription('records of a custom object') })
  @RequiresScope('CUSTOM_OBJECTS')
  customRecordMerge(
    @CustomObjectArg() object: string,
    @IdArg() id: string,
    @MergedIdsArg() ids: string[],
    @MergedFieldsArg() fields: unknown,
    @MergedVersionsArg() expectedVersions: unknown,
    @DryRunArg() dryRun: boolean,
    @Ctx() ctx: RequestContext,
  ) {
    return withCustomRecords(ctx, object, (_records, current, definition) =>
      mergeRecords(current, definition, id, { ids, fields, expectedVersions, dryRun }),
    )
  }
}

export const mergeCustomRecordsResource: Resource = {
  resolver: MergeCustomRecordsResolver,
  operations: [
    operation('POST /v1/custom-objects/{name}/records/{id}/merge', 'customRecordMerge', {
      ...mergeOperation('record of a custom object', 'records of a custom object'),
      folder: 'custom-records',
      parameters: { name: 'object' },
    }),
  ],
}
